// SPDX-License-Identifier: BSD-3-Clause
// What holds for every page at every width: units on the axes, no text cut off, and the line that says what is embedded.
import { is, main, ok, openPage, test } from "./harness.js";
import { POSE_SAMPLES } from "./pose_samples.js";
import { RUN_SAMPLES } from "./run_samples.js";
import { SAMPLES } from "./samples.js";

const SETS = { report: SAMPLES, run: RUN_SAMPLES, pose: POSE_SAMPLES };
const PAGES = ["report/hour", "report/repeats", "report/estimated", "report/onlyGaps", "run/forty", "run/study", "run/flagged", "pose/one", "pose/versions", "pose/codes", "pose/traced"];
const RATIO = /^gain: /; // has no unit

// Titles of axes in SVG, and texts that extend beyond their figure or the page (scrollable parts may).
const look = (page) => page.evaluate(() => {
    const inside = (a, b) => a.left >= b.left - 1.5 && a.right <= b.right + 1.5 && a.top >= b.top - 1.5 && a.bottom <= b.bottom + 1.5;
    const all = (selector, of = document) => [...of.querySelectorAll(selector)];
    const charts = all("svg").filter((node) => node.querySelector(".axes") && node.clientWidth > 0);
    return {
        charts: charts.map((node) => ({ name: node.getAttribute("class") ?? node.closest("figure")?.className, titles: all(".axis-title", node).map((one) => one.textContent).filter(Boolean) })),
        cut: charts.flatMap((node) => all("text", node).filter((text) => text.textContent && !inside(text.getBoundingClientRect(), node.getBoundingClientRect())).map((text) => text.textContent)),
        wide: charts.filter((node) => node.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !node.closest(".wide")).length,
        over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        embeds: document.querySelector(".embeds")?.textContent ?? "",
        captions: all("#power figcaption, #power .note, .activity figcaption").map((node) => node.textContent),
    };
});

for (const name of PAGES) {
    for (const [width, scheme] of [[1440, "light"], [420, "light"], [420, "dark"]]) {
        test(`${name}, ${width} px, ${scheme}: units, nothing cut off`, async () => {
            const page = await openPage({ sample: name.replace("report/", ""), width, scheme });
            const { charts, cut, wide, over, embeds, captions } = await look(page);
            is(cut, [], "texts that leave their chart");
            is(wide, 0, "charts wider than the page");
            ok(over <= 0, `the page is ${over} pixels too wide`);
            for (const chart of charts) {
                ok(chart.titles.length > 0, `${chart.name}: no axis has a title`);
                chart.titles.forEach((title) => ok(/\[\S.*\]$/.test(title) || RATIO.test(title), `${chart.name}: "${title}" has no unit`));
            }
            ok(!name.startsWith("report") || charts.length === 0 || charts.every(({ titles }) => titles.length === 2), "a histogram has two axes");
            ok(captions.length === 0 || captions.some((text) => /\[\w+\]/.test(text)), "power has no unit");
            ok(embeds.includes("embeds") && embeds.includes("--redact"), `what the page embeds: "${embeds}"`);
            await page.finish();
        });
    }
}

test("histograms of one domain have one scale of power", async () => {
    const page = await openPage({ sample: "hour" });
    const powers = (name) => page.locator(`.histogram[data-channel='${name}'] .axes text[text-anchor='middle']`).evaluateAll((nodes) => nodes.map((node) => [node.textContent, node.getAttribute("x")]));
    const [one, other, node] = [await powers("perf:package-0"), await powers("perf:package-1"), await powers("hwmon:node-0")];
    ok(one.length > 1, "numbers at the axis");
    is(other, one, "package-1 as package-0");
    ok(JSON.stringify(node) !== JSON.stringify(one), "the node has its own");
    await page.finish();
});

for (const [kind, sample] of [["report", "hour"], ["run", "forty"], ["pose", "one"]]) {
    test(`a redacted page of ${kind} says so`, async () => {
        const page = await openPage({ document: { ...SETS[kind][sample](), redacted: true }, name: kind });
        ok((await look(page)).embeds.startsWith("Redacted: "), "it does not");
        await page.finish();
    });
}

test("events have the texts that the program gave them", async () => {
    const page = await openPage({ sample: "hour" });
    const rows = await page.locator("#events tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)));
    is(rows, [["7 (Cholesky)", "1 (<b>solve</b>)"], ["7 (Cholesky)", "2"]], "events");
    await page.finish();
});

await main();
