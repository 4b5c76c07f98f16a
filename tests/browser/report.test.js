// SPDX-License-Identifier: BSD-3-Clause
// The page of `wattle report`, with synthetic documents (samples.js).
import { coloured, custom, is, main, ok, openPage, test } from "./harness.js";

const range = (page, plot = "#power") => page.locator(`${plot} .plot`).first().evaluate((node) => [Number(node.dataset.begin), Number(node.dataset.end)]);

async function dragOver(page, from, to, keys = []) {
    const box = await page.locator("#power .u-over").boundingBox();
    const y = box.y + box.height / 2;
    for (const key of keys) {
        await page.keyboard.down(key);
    }
    await page.mouse.move(box.x + from * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + to * box.width, y, { steps: 4 });
    await page.mouse.up();
    for (const key of keys) {
        await page.keyboard.up(key);
    }
}

for (const scheme of ["light", "dark"]) {
    test(`charts are drawn in the colours of their series, ${scheme}`, async () => {
        const page = await openPage({ sample: "hour", scheme });
        for (const series of [0, 1, 2]) {
            ok(await coloured(page, "#power", await custom(page, `--series-${series}`)) > 0.0005, `series ${series} is not to be seen`);
        }
        ok(await coloured(page, "#bands", await custom(page, "--series-2")) > 0.01, "no band of the third region");
        ok(await coloured(page, "#phases", await custom(page, "--series-1")) > 0.01, "no phase of the second letter");
        is(await page.locator(".activity canvas").count(), 6, "charts of metrics and activity");
        const paper = await custom(page, "--paper");
        ok(scheme === "light" ? paper[0] === 255 : paper[0] < 60, "the paper has the wrong colour");
        await page.finish();
    });
}

test("a spike of one stretch in 8000 is seen, and so is a gap", async () => {
    const page = await openPage({ sample: "hour" });
    // The means are below the upper sixth.
    ok(await coloured(page, "#power", await custom(page, "--series-0"), 0.16) > 0.0001, "no pixel of the spike");
    ok(await coloured(page, "#power", await custom(page, "--gap")) > 0.0003, "gaps are not hatched");
    await page.finish();
});

test("dragging zooms all charts, Shift pans, a double click shows all", async () => {
    const page = await openPage({ sample: "hour" });
    await page.locator("#power").scrollIntoViewIfNeeded();
    const all = await range(page);
    await dragOver(page, 0.25, 0.5);
    const zoomed = await range(page);
    const [want, room] = [all.map((_, i) => all[0] + (all[1] - all[0]) * [0.25, 0.5][i]), (all[1] - all[0]) * 0.01];
    ok(zoomed.every((x, i) => Math.abs(x - want[i]) < room), `zoomed to ${zoomed}, wanted ${want}`);
    is(await range(page, "#bands"), zoomed, "the bands show another time");
    is(await range(page, "#phases"), zoomed, "the phases show another time");
    is(await range(page, ".activity"), zoomed, "the frequency shows another time");
    await dragOver(page, 0.5, 0.3, ["Shift"]);
    const panned = await range(page);
    ok(panned[0] > zoomed[0] + 100 && Math.abs(panned[1] - panned[0] - (zoomed[1] - zoomed[0])) < 1, `panned to ${panned}`);
    await page.locator("#power .u-over").dblclick();
    is(await range(page), all, "not all after a double click");
    await page.finish();
});

test("the wheel zooms a chart that has the focus, and scrolls the page otherwise", async () => {
    const page = await openPage({ sample: "hour" });
    await page.locator("#power").scrollIntoViewIfNeeded();
    const all = await range(page);
    const box = await page.locator("#power .u-over").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 50);
    await page.mouse.wheel(0, -40);
    is(await range(page), all, "zoomed without focus");
    await page.locator("#power .plot").focus();
    await page.mouse.wheel(0, -40);
    await page.waitForFunction(([begin]) => Number(document.querySelector("#power .plot").dataset.begin) > begin, all);
    await page.finish();
});

test("the tooltip says the values at the cursor, gaps with their reason, regions with their energy", async () => {
    const page = await openPage({ sample: "hour" });
    await page.locator("#power").scrollIntoViewIfNeeded();
    const at = async (plot, seconds, down) => {
        await page.locator(`${plot} .plot`).scrollIntoViewIfNeeded();
        const box = await page.locator(`${plot} .u-over`).boundingBox();
        const [begin, end] = await range(page, plot);
        await page.mouse.move(box.x + ((seconds - begin) / (end - begin)) * box.width, box.y + down);
    };
    await at("#power", 700, 60);
    const text = await page.locator("#tooltip").innerText();
    ok(/11:4\d|0:11:/.test(text) && /hwmon:node-0/.test(text) && /\d+\.\d W \(\d+\.\d\.\.\d+\.\d\)/.test(text), `tooltip: ${text}`);
    const legend = await page.locator("[data-shown=cursor]").first().innerText();
    ok(/^\d+\.\d \(/.test(legend), `legend: ${legend}`);
    await at("#power", 1540, 60);
    ok((await page.locator("#tooltip").innerText()).includes("gap in perf:dram-1: read failed, 90.0 s"), "the gap has no words");
    await at("#bands", 300, 30);
    const region = await page.locator("#tooltip").innerText();
    await at("#phases", 900, 10);
    const phase = await page.locator("#tooltip").innerText();
    ok(/phase 2, letter B/.test(phase) && /320(\.\d)? W, at least 192\d* ± 2\d* J|at least/.test(phase) && /power follows CPU_CYCLES, CACHE_MISSES/.test(phase), `phases: ${phase}`);
    ok(/solve/.test(region) && /thread 4711/.test(region) && /all 32 of this name: inclusive 15000\d\d ± 5000 J/.test(region), `bands: ${region}`);
    await page.finish();
});

test("all of it by keyboard alone", async () => {
    const page = await openPage({ sample: "hour" });
    await page.keyboard.press("Tab");
    is(await page.evaluate(() => document.activeElement.className), "skip", "the first stop is not the skip link");
    await page.keyboard.press("Enter");
    await page.locator("#power .plot").focus();
    ok(await page.locator("#power .plot").evaluate((node) => node.matches(":focus-visible") && getComputedStyle(node).outlineStyle !== "none"), "the focus is not to be seen");
    const all = await range(page);
    await page.keyboard.press("ArrowRight");
    ok(/hwmon:node-0/.test(await page.locator("#tooltip").innerText()), "no values after an arrow key");
    await page.waitForFunction(() => /hwmon:node-0 \d/.test(document.getElementById("spoken").textContent));
    await page.keyboard.press("+");
    const zoomed = await range(page);
    ok(Math.abs((zoomed[1] - zoomed[0]) * 2 - (all[1] - all[0])) < 1, `+ zoomed to ${zoomed}`);
    await page.keyboard.press("Shift+ArrowLeft");
    ok((await range(page))[0] < zoomed[0], "Shift+Left does not pan");
    await page.keyboard.press("0");
    is(await range(page), all, "0 does not show all");
    await page.keyboard.press("w");
    const near = await range(page);
    ok(Math.abs((near[1] - near[0]) * 2 - (all[1] - all[0])) < 1, `W zoomed to ${near}`);
    await page.keyboard.press("d");
    ok((await range(page))[0] > near[0], "D does not move right");
    ok(/ J, mean [\d.]+ W/.test(await page.locator(".shown-range").innerText()), "no joules and mean power of the zoomed range");
    await page.keyboard.press("0");
    await page.fill("#find-region", "halo");
    await page.locator("#find-region").press("Enter");
    ok((await range(page))[1] - (await range(page))[0] < (all[1] - all[0]) / 4, "Enter does not show the region that was found");
    await page.fill("#find-region", "");
    await page.locator("#power .plot").focus();
    await page.keyboard.press("0");
    await page.locator("[data-series='hwmon:node-0']").focus();
    await page.keyboard.press("Space");
    is(await page.locator("[data-series='hwmon:node-0']").getAttribute("aria-pressed"), "false", "the series is still pressed");
    await page.locator("#bands .plot").focus();
    await page.keyboard.press("ArrowDown");
    ok(/depth 1/.test(await page.locator("#tooltip").innerText()), "Down does not choose a line of bands");
    await page.finish();
});

test("the legend hides a series, the stack puts parts on each other", async () => {
    const page = await openPage({ sample: "hour" });
    const blue = await custom(page, "--series-0");
    const before = await coloured(page, "#power", blue);
    await page.click("[data-series='hwmon:node-0']");
    ok(await coloured(page, "#power", blue) < before / 4, "the node is still drawn");
    await page.click("[data-series='hwmon:node-0']");
    await page.click("[data-choice=Stack]");
    is(await page.locator("#power").getAttribute("data-stacked"), "true", "not stacked");
    // The lines of the channels inside packages are excluded.
    is(await page.locator("#power canvas").count(), 1, "canvases");
    await page.finish();
});

test("tables sort, gaps lead to their place, provenance is filtered", async () => {
    const page = await openPage({ sample: "hour" });
    const first = () => page.locator("#regions tbody tr th").first().innerText();
    await page.click("#regions th >> text=inclusive [J]");
    is(await first(), "iterate", "the largest region");
    await page.click("#regions th >> text=inclusive [J]");
    is(await first(), "outside of all regions", "the smallest region");
    is(await page.locator("#regions th[aria-sort]").getAttribute("aria-sort"), "ascending", "aria-sort");
    await page.locator("#gaps button.jump").first().click();
    const [begin, end] = await range(page);
    ok(begin < 1500 && end > 1590 && end - begin < 400, `the gap is not shown: ${begin}..${end}`);
    await page.click("#provenance summary");
    await page.fill("#filter", "xeon");
    is(await page.locator("#provenance tr:visible").count(), 1, "rows after the filter");
    await page.finish();
});

test("on a phone nothing is wider than the screen", async () => {
    for (const sample of ["hour", "hostile", "repeats", "estimated", "empty"]) {
        const page = await openPage({ sample, width: 360, height: 740, touch: true });
        const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        ok(wide[0] <= wide[1], `${sample}: ${wide[0]} of ${wide[1]} pixels`);
        await page.finish();
    }
});

test("two fingers zoom, one moves the cursor", async () => {
    const page = await openPage({ sample: "hour", width: 360, height: 740, touch: true });
    await page.locator("#power").scrollIntoViewIfNeeded();
    const all = await range(page);
    await page.locator("#power .u-over").evaluate((over) => {
        const { left, width, top } = over.getBoundingClientRect();
        const finger = (type, pointerId, part) => over.dispatchEvent(new PointerEvent(type, {
            pointerId, pointerType: "touch", clientX: left + part * width, clientY: top + 50, bubbles: true }));
        finger("pointerdown", 1, 0.4);
        finger("pointermove", 1, 0.45);
        finger("pointerdown", 2, 0.55);
        finger("pointermove", 1, 0.2);
        finger("pointermove", 2, 0.8);
        finger("pointerup", 1, 0.2);
        finger("pointerup", 2, 0.8);
    });
    const [begin, end] = await range(page);
    // 0.1 of the width has become 0.6 of it.
    ok(Math.abs((end - begin) / (all[1] - all[0]) - 1 / 6) < 0.02, `shown: ${begin}..${end}`);
    ok(/hwmon|^\d/.test(await page.locator("[data-shown=cursor]").first().innerText()), "no cursor");
    await page.finish();
});

test("printed, the page is light and open, without controls", async () => {
    const page = await openPage({ sample: "hour", scheme: "dark" });
    await page.evaluate(() => {
        addEventListener("beforeprint", () => setTimeout(() => 0));
        addEventListener("afterprint", () => (window.after = document.querySelectorAll("details[open]").length));
        addEventListener("beforeprint", () => {
            window.during = { theme: document.documentElement.dataset.theme, closed: document.querySelectorAll("details:not([open])").length };
        });
    });
    const pdf = await page.pdf({ preferCSSPageSize: true });
    ok(pdf.length > 50000, `a PDF of ${pdf.length} bytes`);
    is(await page.evaluate(() => window.during), { theme: "light", closed: 0 }, "while it is printed");
    await page.waitForFunction(() => document.documentElement.dataset.theme !== "light");
    await page.emulateMedia({ media: "print" });
    ok(!(await page.locator(".toolbar").isVisible()), "controls on paper");
    await page.finish();
});

test("the button changes the colours", async () => {
    const page = await openPage({ sample: "estimated" });
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.click("#theme");
    is(await paper(), light, "light");
    await page.click("#theme");
    ok(await paper() !== light, "not dark");
    await page.finish();
});

test("hostile names stay text", async () => {
    const page = await openPage({ sample: "hostile" });
    is(await page.evaluate(() => window.evil), undefined, "a name was run");
    is(await page.locator("img, b:text-is('bold')").count(), 0, "a name became html");
    ok((await page.locator("h1").innerText()).includes("</script><img"), "the title is not shown as it is");
    ok((await page.locator("#details").innerText()).includes("</script><img"), "the names are not shown as they are");
    await page.finish();
});

test("traces with nothing, one sample, only gaps are said to be so", async () => {
    const texts = {
        empty: [/No total/, /The trace holds no samples/],
        one: [/unknown/, /UNFINISHED/],
        onlyGaps: [/read failed/, /UNFINISHED/],
    };
    for (const [sample, wanted] of Object.entries(texts)) {
        const page = await openPage({ sample });
        const text = await page.locator("main").innerText();
        wanted.forEach((pattern) => ok(pattern.test(text), `${sample}: no ${pattern} in ${text.slice(0, 600)}`));
        ok(!/NaN|undefined|null|Infinity/.test(text), `${sample}: ${text.match(/.{20}(NaN|undefined|null|Infinity).{20}/s)?.[0]}`);
        await page.finish();
    }
});

test("one sample is a dot", async () => {
    const page = await openPage({ sample: "one" });
    ok(await coloured(page, "#power", await custom(page, "--series-0")) > 0.00001, "nothing is drawn");
    await page.finish();
});

test("estimates and simulations are marked wherever they stand", async () => {
    for (const [sample, word] of [["estimated", "estimated"], ["repeats", "simulated"]]) {
        const page = await openPage({ sample });
        for (const place of [".total", ".bars li", "#channels tbody tr", "#channels tfoot", ".legend tbody tr", ".histogram figcaption", "#details summary"]) {
            ok((await page.locator(place).first().innerText()).includes(word), `${sample}: ${place} does not say ${word}`);
        }
        await page.finish();
    }
});

test("repeats have their means, intervals and runs", async () => {
    const page = await openPage({ sample: "repeats" });
    const text = await page.locator("#repeats").innerText();
    ok(/1810 ± 19/.test(text) && /5 runs/.test(text), `repeats: ${text}`);
    is(await page.locator("#repeats circle").count(), 5, "runs in the picture");
    await page.finish();
});

test("without JavaScript the page says so, and the total", async () => {
    const page = await openPage({ sample: "hour", javaScript: false });
    const text = await page.locator("body").innerText();
    ok(/need JavaScript/.test(text) && /the total/.test(text), `page: ${text.slice(0, 200)}`);
    await page.finish();
});

test("data that cannot be read are said to be so", async () => {
    const page = await openPage({ document: { schema: "wattle.report/9" } });
    ok(/cannot be shown: its schema is wattle.report\/9/.test(await page.locator("[role=alert]").innerText()), "no sentence");
    await page.close();
});

await main();
