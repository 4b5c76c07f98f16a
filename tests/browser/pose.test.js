// SPDX-License-Identifier: BSD-3-Clause
// The page of `wattle pose --plot x.html`, with synthetic documents (pose_samples.js).
import { is, main, near, numbers, ok, openPage, test } from "./harness.js";
import { POSE_SAMPLES } from "./pose_samples.js";

const codesOf = ({ document }) => document.codes ?? [document];
const LETTERS = ["A", "B", "C", "D", "E"];
const INSIGHT_OF = { A: "dominating_speedup", B: "guaranteed_speedup", C: "metric_improvement", D: "energy_saved", E: "worst_slowdown" };

async function vertexSays(page, code, letter) {
    const found = await numbers(page, "#tooltip");
    near(found[`${letter}.t_s`], code.vertices[letter].t_s, `run time of ${letter}`);
    near(found[`${letter}.e_j`], code.vertices[letter].e_j, `energy of ${letter}`);
    near(found[`${letter}.p_w`], code.vertices[letter].e_j / code.vertices[letter].t_s, `power of ${letter}`);
    near(found[`${INSIGHT_OF[letter]}.ratio`], code.insights[INSIGHT_OF[letter]].ratio, `insight of ${letter}`);
    ok((await page.locator("#tooltip").innerText()).includes(code.insights[INSIGHT_OF[letter]].advice), `${letter}: no advice`);
}

test("the chart has its regions, bounds, vertices and the code, each named for readers of screens", async () => {
    const page = await openPage({ sample: "pose/one" });
    is(await page.locator(".chart .region").count(), 4, "regions");
    is(await page.locator("#chart .bounds .curve").count(), 3, "bounds");
    is(await page.locator("#chart .envelope .curve").count(), 2, "lines of the envelope");
    is(await page.locator("#chart .vertex").evaluateAll((nodes) => nodes.map((node) => node.dataset.vertex)), LETTERS, "vertices");
    const labels = await page.locator("#chart .item").evaluateAll((nodes) => nodes.map((node) => [node.getAttribute("role"), node.getAttribute("aria-label")]));
    ok(labels.length === 15 && labels.every(([role, label]) => role === "img" && label.length > 20), `labels: ${JSON.stringify(labels)}`);
    const names = await page.locator("#chart .names text").allTextContents();
    ok(names.length === 4 && names.includes("3 power optimisation"), `names: ${names}`);
    // Positions agree with the scales: the run time of B is between the adjacent ticks.
    const x = (selector) => page.locator(selector).evaluate((node) => node.getBoundingClientRect().x + node.getBoundingClientRect().width / 2);
    const [b, c] = [await x("[data-vertex=B] .mark"), await x("[data-vertex=C] .mark")];
    const theta = await x(".theta .mark");
    const { vertices, theta: code } = POSE_SAMPLES.one().document;
    ok(Math.abs((theta - b) / (theta - c) - (code.t_s - vertices.B.t_s) / (code.t_s - vertices.C.t_s)) < 0.02, `places: ${b} ${c} ${theta}`);
    await page.finish();
});

test("hover and focus show the values of the document", async () => {
    const page = await openPage({ sample: "pose/one" });
    const { document } = POSE_SAMPLES.one();
    for (const letter of LETTERS) {
        await page.locator(`[data-vertex=${letter}] .mark`).hover();
        await vertexSays(page, document, letter);
        ok(await page.locator(`[data-insight=${INSIGHT_OF[letter]}].lit`).count() === 1, `the row of ${letter} does not light up`);
    }
    const d = await page.locator("[data-vertex=D] .mark").boundingBox();
    await page.mouse.move(d.x + d.width / 2, d.y - 60);
    const here = await numbers(page, "#tooltip");
    ok(/Region 3/.test(await page.locator("#tooltip").innerText()) && Math.abs(here["here.t_s"] - document.theta.t_s) < 1 && here["here.p_w"] > document.pmin_w, `above D: ${JSON.stringify(here)}`);
    await page.mouse.move(1, 1);
    ok(!(await page.locator("#tooltip").isVisible()), "the tooltip stays");
    await page.locator("[data-insight=worst_slowdown]").hover();
    ok(await page.locator("[data-vertex=E].lit").count() === 1, "E does not light up with its row");
    await page.locator("#chart .theta").focus();
    await page.keyboard.press("ArrowRight");
    await vertexSays(page, document, "A");
    await page.keyboard.press("ArrowRight");
    await vertexSays(page, document, "B");
    await page.keyboard.press("End");
    ok(/Region 4: degradation/.test(await page.locator("#tooltip").innerText()), "the last part is no region");
    is(await page.locator("#chart .item[tabindex='0']").count(), 1, "stops of the Tab key");
    await page.finish();
});

test("the Tab key comes to the chart, and to the point that can be moved", async () => {
    const page = await openPage({ sample: "pose/one" });
    const classes = [];
    for (let i = 0; i < 14; i++) {
        await page.keyboard.press("Tab");
        classes.push(await page.evaluate(() => document.activeElement.getAttribute("class") ?? ""));
    }
    ok(classes.some((name) => name.includes("theta")) && classes.some((name) => name.includes("probe")), `stops: ${classes}`);
    await page.finish();
});

test("metrics are laid over each other, and taken away", async () => {
    const page = await openPage({ sample: "pose/metrics" });
    const [et3, eds] = codesOf(POSE_SAMPLES.metrics());
    is(await page.locator("#chart .bounds").count(), 2, "bounds of both");
    await page.locator("[data-vertex=E][data-code='1'] .mark").hover();
    await vertexSays(page, eds, "E");
    ok(/under EDS:1,900/.test(await page.locator("#tooltip").innerText()), "the tooltip does not say which metric");
    await page.selectOption("#front", "1");
    await page.locator("[data-vertex=D] .mark").hover();
    await vertexSays(page, eds, "D");
    await page.click("[data-metric='1']");
    is(await page.locator("#chart .bounds").count(), 1, "bounds of one");
    is(await page.locator("#front").inputValue(), "0", "whose regions");
    await page.locator("[data-vertex=E] .mark").hover();
    await vertexSays(page, et3, "E");
    await page.click("[data-metric='0']");
    is(await page.locator("#chart .bounds").count(), 1, "the last metric cannot be taken away");
    await page.finish();
});

test("nearer to the code, and back", async () => {
    const page = await openPage({ sample: "pose/one" });
    const wide = () => page.locator(".bounds .optimisation_bound .line").evaluate((node) => node.getBoundingClientRect().width);
    const all = await wide();
    await page.click("[data-do^=Nearer]");
    ok(Math.abs(await wide() / all - 1.5) < 0.02, `${all} pixels became ${await wide()}`);
    for (let i = 0; i < 9; i++) {
        await page.click("[data-do^=Nearer]");
    }
    const [code, box] = [await page.locator(".theta .mark").boundingBox(), await page.locator("svg.pose").boundingBox()];
    ok(Math.abs((code.x - box.x) / box.width - 0.5) < 0.1, "the code is not in the middle");
    await page.click("[data-do='Show all']");
    is(await wide(), all, "all is not as it was");
    await page.finish();
});

test("several codes stand side by side, on a phone below each other, and can be chosen", async () => {
    for (const [width, columns] of [[1280, 2], [360, 1]]) {
        const page = await openPage({ sample: "pose/codes", width });
        const tops = await page.locator("#chart figure").evaluateAll((nodes) => nodes.map((node) => Math.round(node.getBoundingClientRect().top)));
        is(tops.filter((top) => top === tops[0]).length, columns, `in the first row at ${width} pixels`);
        await page.click("[data-subject='0'] >> text=TeaLeaf OpenMP");
        is(await page.locator("#chart figure:visible").count(), 2, "charts after one was left out");
        is(await page.locator("#chart figure:visible svg.pose").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label").split(".")[0])),
            ["Energy over run time of TeaLeaf MPI, Haswell", "Energy over run time of miniMD OpenMP, KNL"], "which");
        await page.click("text=all of KNL");
        is(await page.locator("#chart figure:visible").count(), 1, "charts of one machine");
        is(await page.locator("#insights table").first().locator("tbody tr").count(), 6, "rows of the overview");
        await page.finish();
    }
});

test("versions have region, gain and shares, on the chart, over their parameter, in the table", async () => {
    const page = await openPage({ sample: "pose/versions" });
    const { candidates } = POSE_SAMPLES.versions().document;
    is(await page.locator("#chart .candidate").count(), 4, "on the chart");
    is(await page.locator(".chart .front, .chart .way").count(), 2, "front and path");
    await page.locator("#chart [data-candidate='1'] .mark").hover();
    const text = await page.locator("#tooltip").innerText();
    ok(/2\.2 GHz/.test(text) && /3, power optimisation/.test(text) && /1\.13\u00d7/.test(text) && /25 %/.test(text), `tooltip: ${text}`);
    near((await numbers(page, "#tooltip"))["candidate.t_s"], candidates[1].t_s, "run time of the version");
    is(await page.locator("#versions tbody tr").count(), 4, "rows");
    ok(/most is gained by 3\.0 GHz: 2\.13\u00d7/.test(await page.locator("#versions").innerText()), "the best version is not named");
    await page.locator("#versions tbody tr >> text=2.6 GHz").hover();
    is(await page.locator(".candidate.lit").evaluateAll((nodes) => nodes.map((node) => node.dataset.candidate)), ["2", "2"], "what lights up");
    is(await page.locator("#versions .gain .candidate").count(), 4, "on the second chart");
    await page.finish();
});

test("a point that is dragged, moved by keys or typed says region, gain and shares", async () => {
    const page = await openPage({ sample: "pose/one" });
    const fact = (name) => page.locator(`[data-fact='${name}'] b`).innerText();
    await page.fill("#what-if-time", "300");
    await page.fill("#what-if-power", "200");
    is(await fact("region"), "3, power optimisation", "region");
    const { theta } = POSE_SAMPLES.one().document;
    const gain = (theta.e_j / 60000) * (theta.t_s / 300) ** 3;
    ok(Math.abs(parseFloat(await fact("gain")) - gain) < 0.01, `gain ${await fact("gain")}, want ${gain}`);
    const share = Math.log(theta.e_j / theta.t_s / 200) / Math.log(gain);
    is(await fact("won by power"), `${Math.round(share * 100)} %`, "share");
    await page.locator(".probe").focus();
    await page.keyboard.press("ArrowLeft");
    ok(Number(await page.inputValue("#what-if-time")) < 300, "Left does not make it faster");
    await page.locator(".probe .ring").scrollIntoViewIfNeeded();
    const box = await page.locator(".probe .ring").boundingBox();
    await page.mouse.move(box.x + 8, box.y + 8);
    await page.mouse.down();
    const at = await page.locator("[data-vertex=E] .mark").boundingBox();
    await page.mouse.move(at.x + 40, at.y - 60, { steps: 3 });
    await page.mouse.up();
    is(await fact("region"), "4, degradation", "region after dragging");
    await page.fill("#what-if-power", "20");
    ok(/Below P/.test(await page.locator(".answer").innerText()), "a power below Pmin is not said to be so");
    await page.finish();
    const other = await openPage({ sample: "pose/expression" });
    await other.fill("#what-if-time", "300");
    await other.fill("#what-if-power", "200");
    is(await other.locator("[data-fact]").allInnerTexts(), ["region 3, power optimisation"], "what is known of a metric that is an expression");
    await other.finish();
});

test("traces: power over time, intervals, sources, warnings, the system", async () => {
    const page = await openPage({ sample: "pose/traced" });
    is(await page.locator("#power canvas").count(), 1, "charts over time");
    await page.locator("#power .plot").focus();
    await page.keyboard.press("ArrowRight");
    ok(/three\.wtl\s+2\d\d/.test(await page.locator("#tooltip").innerText()), "no power at the cursor");
    const text = await page.locator("main").innerText();
    for (const place of [".answer-card", "#power figcaption", "#sources tbody tr"]) {
        ok((await page.locator(place).first().innerText()).includes("simulated"), `${place} does not say simulated`);
    }
    ok(/\u25a1/.test(await page.locator("#chart .theta .letter").textContent()), "the chart does not mark the code as simulated");
    ok(/\u2248/.test(await page.locator(".power-name").first().textContent()), "the chart does not mark the bounds as estimated");
    for (const pattern of [/Power of package \+ dram of 2 sockets \[W\], 3 runs\. The code is the region solve of it/, /simulated/, /GAPS The traces have gaps/, /1\.274 \u00b1 0\.025 \u00d7/, /mean of 3 runs; energy of package \+ dram of 2 sockets/, /omp_parallel/, /estimated/, /181\.1 \u00b1 1\.2 W/, /1\.38\u00d7/]) {
        ok(pattern.test(text), `no ${pattern}`);
    }
    await page.finish();
});

test("warnings of all codes and machines, bounds of which one was given", async () => {
    const page = await openPage({ sample: "pose/odd" });
    is(await page.locator("#summary .flags li").evaluateAll((nodes) => nodes.map((node) => node.dataset.warning)), ["BELOW_FLOOR", "BOUNDS_SIMULATED"], "warnings");
    for (const [name, who] of [["BELOW_FLOOR", "below"], ["BOUNDS_SIMULATED", "package, node17"]]) {
        ok((await page.locator(`[data-warning=${name}]`).innerText()).includes(`(${who}`), `${name} is not said to be of ${who}`);
    }
    const rows = await page.locator("#sources details").nth(1).locator("tbody tr").evaluateAll((nodes) => nodes.map((node) => node.textContent));
    ok(/given by the user.*as given/.test(rows[2]), rows[2]);
    ok(/calibration: fma.*estimated/.test(rows[3]), rows[3]);
    await page.finish();
});

test("a bound that leaves nothing is said in words", async () => {
    const page = await openPage({ sample: "pose/below" });
    const cell = (name) => page.locator(`[data-insight=${name}] td`).first().innerText();
    is([await cell("energy_saved"), await cell("metric_improvement"), await cell("worst_slowdown")], ["nothing", "nothing", "nothing"], "the absolute values");
    is(await cell("guaranteed_speedup"), "2.60 s", "a bound that leaves something");
    const answer = await page.locator(".answer-card").innerText();
    ok(/alone saves nothing \(0\.90.\) and cannot improve the metric \(0\.81.\): there is nothing for a speed-up to beat/.test(answer), answer);
    ok(!/\u2212|-\d/.test(answer + await page.locator(".insights").innerText()), "a number below nothing");
    await page.finish();
});

test("hostile names stay text, odd numbers are named", async () => {
    for (const sample of ["hostile", "odd"]) {
        const page = await openPage({ sample: `pose/${sample}` });
        const text = await page.locator("main").innerText();
        is(await page.evaluate(() => window.evil), undefined, "a name was run");
        is(await page.locator("img, #page b:text-is('bold')").count(), 0, "a name became html");
        ok(sample === "odd" || text.includes("</script><img"), "the names are not shown as they are");
        ok(sample === "odd" || !text.includes("\u202e"), "a name turns its neighbours");
        ok(!/NaN|undefined|null|Infinity/.test(text), text.match(/.{20}(NaN|undefined|null|Infinity).{20}/s)?.[0]);
        await page.finish();
    }
});

test("on a phone nothing is wider than the screen", async () => {
    for (const sample of ["codes", "versions", "traced", "hostile"]) {
        const page = await openPage({ sample: `pose/${sample}`, width: 360, height: 740, touch: true });
        const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        ok(wide[0] <= wide[1], `${sample}: ${wide[0]} of ${wide[1]} pixels`);
        await page.finish();
    }
});

test("a finger on a vertex brings its values, which stay when it is lifted", async () => {
    const page = await openPage({ sample: "pose/one", width: 360, height: 740, touch: true });
    await page.locator("[data-vertex=D] .mark").tap();
    await vertexSays(page, POSE_SAMPLES.one().document, "D");
    ok(await page.locator("#tooltip").isVisible(), "the values went with the finger");
    await page.locator("h1").tap();
    await page.locator("[data-vertex=E] .mark").tap();
    await vertexSays(page, POSE_SAMPLES.one().document, "E");
    await page.finish();
});

test("light, dark and paper", async () => {
    const page = await openPage({ sample: "pose/codes", scheme: "dark" });
    const ink = () => page.locator("#chart .letter").first().evaluate((node) => getComputedStyle(node).fill);
    const dark = await ink();
    await page.click("#theme");
    ok(await ink() !== dark, "the chart does not follow the theme");
    await page.evaluate(() => addEventListener("beforeprint", () => {
        window.during = { theme: document.documentElement.dataset.theme, closed: document.querySelectorAll("details:not([open])").length,
            widest: Math.max(...[...document.querySelectorAll("svg.pose")].map((node) => node.clientWidth)) };
    }));
    const pdf = await page.pdf({ preferCSSPageSize: true });
    ok(pdf.length > 30000, `a PDF of ${pdf.length} bytes`);
    const { theme, closed, widest } = await page.evaluate(() => window.during);
    is([theme, closed], ["light", 0], "while it is printed");
    ok(widest > 100 && widest <= 680, `a chart of ${widest} pixels on paper`);
    await page.emulateMedia({ media: "print" });
    ok(!(await page.locator("#chart .toolbar, .what-if, .probe").first().isVisible()), "controls on paper");
    await page.finish();
});

test("without JavaScript, and with other data, the page says so", async () => {
    const page = await openPage({ sample: "pose/one", javaScript: false });
    ok(/need JavaScript/.test(await page.locator("body").innerText()), "no sentence");
    await page.finish();
    const other = await openPage({ document: { schema: "wattle.pose-page/9" }, name: "pose" });
    ok(/cannot be shown: its schema is wattle.pose-page\/9/.test(await other.locator("[role=alert]").innerText()), "no sentence");
    await other.close();
});

await main();
