// SPDX-License-Identifier: BSD-3-Clause
// The page of `wattle report` for runs of many nodes, with synthetic documents (run_samples.js).
import { coloured, custom, is, main, ok, openPage, test } from "./harness.js";

const text = (page, selector) => page.locator(selector).allInnerTexts();

for (const scheme of ["light", "dark"]) {
    test(`a run is drawn: sum, nodes, heat map, ${scheme}`, async () => {
        const page = await openPage({ sample: "run/forty", scheme });
        const first = await custom(page, "--series-0");
        ok(await coloured(page, "#power", first) > 0.0005, "no sum");
        ok(await coloured(page, "#power", await custom(page, "--gap")) > 0.0001, "where nodes are missing is not hatched");
        ok(await coloured(page, "#heat", [15, 42, 84]) > 0.01, "no dark cell in the heat map");
        ok(await coloured(page, "#heat", [255, 234, 70]) > 0.005, "no pale row of the idle node");
        is(await page.locator("#node-boxes .box").count(), 41, "a box for each node and one for all");
        ok(await coloured(page, "#phases", await custom(page, "--series-1")) > 0.01, "no phase of the second letter");
        ok((await text(page, "#phases"))[0].includes("n0002: it has no counters"), "a node without phases has no reason");
        await page.locator("[data-choice='Each node']").click();
        ok(await coloured(page, "#power", first) > 0.0005, "no mean of the nodes");
        await page.locator("[data-choice='dram']").click();
        ok(await coloured(page, "#power", await custom(page, "--series-2")) > 0.0005, "the part is not drawn");
        await page.finish();
    });
}

test("numbers stand in the page as in its document, marks and rules by name", async () => {
    const page = await openPage({ sample: "run/forty" });
    const total = await page.locator("#summary data[data-what='energy_j']").getAttribute("value");
    const other = await page.evaluate(() => JSON.parse(document.getElementById("wattle-run-report").textContent).runs[0].parts[0].energy_j);
    is(Number(total), other, "the total");
    ok((await text(page, "[data-mark='idle']"))[0].includes("n0003"), "the idle node is not named");
    ok((await text(page, "[data-extreme='most']"))[0].includes("n0006"), "the greatest is not named");
    is(Number(await page.locator("#statistics data[data-what='power.n']").getAttribute("value")), 40, "n of the statistics");
    ok((await text(page, "#breakdown"))[0].includes("Not measured"), "what is not measured is not said");
    await page.finish();
});

test("no part is taken for the whole, and every flag of a node is shown", async () => {
    const page = await openPage({ sample: "run/flagged" });
    ok((await text(page, "#summary .total .big"))[0].startsWith("at least "), "the sum of the others is shown as a sum");
    is(await page.locator("#summary data[data-what='energy_j']").count(), 0, "there is no total");
    is(await page.locator("#summary [data-flag]").evaluateAll((nodes) => nodes.map((node) => node.dataset.flag)), ["NOT_ALONE", "CAPPED"], "flags");
    is(await page.locator("#node-flags [data-flag]").evaluateAll((nodes) => nodes.map((node) => node.dataset.flag)), ["NOT_ALONE", "NOT_ALONE", "CAPPED"], "flags, node by node");
    ok((await text(page, "[data-flag='NOT_ALONE']"))[0].includes("n0002 and 1 other: other programs took 40 %"), "who has it, and why");
    ok((await text(page, "#node-table tbody"))[0].includes("NOT ALONE, CAPPED"), "flags in the table");
    await page.finish();
});

test("the tooltip says how many nodes a sum holds", async () => {
    const page = await openPage({ sample: "run/forty" });
    await page.locator("#power").scrollIntoViewIfNeeded();
    const box = await page.locator("#power .u-over").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForSelector("#tooltip:not([hidden])");
    ok((await text(page, "#tooltip"))[0].includes("39 of 40 nodes known"), "the missing node is counted");
    await page.finish();
});

test("keys move the cursor and choose rows of the heat map; what is there is spoken", async () => {
    const page = await openPage({ sample: "run/forty" });
    await page.locator("#heat .plot").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction(() => document.getElementById("spoken").textContent.startsWith("n0002"));
    await page.locator("#power .plot").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.getElementById("spoken").textContent.includes("nodes known"));
    await page.finish();
});

test("phases of nodes: one line each, with its joules", async () => {
    const page = await openPage({ sample: "run/forty" });
    await page.locator("#phases .plot").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => /^n0001, phase [23], letter [AB].* W, .* J/.test(document.getElementById("spoken").textContent));
    await page.finish();
});

test("1536 nodes in 512 rows, a sample of boxes, the table when it is wanted", async () => {
    const page = await openPage({ sample: "run/many" });
    ok((await text(page, "#heat figcaption"))[0].includes("mean of 3"), "joined nodes are not said");
    ok(await page.locator("#node-boxes .box").count() <= 50, "too many boxes");
    is(await page.locator("#node-table table").count(), 0, "the table is there already");
    await page.locator("#node-table summary").click();
    await page.locator("#node-table tbody tr").first().waitFor();
    is(await page.locator("#node-table tbody tr").count(), 1536, "rows");
    await page.locator("[data-choice='By energy']").click();
    await page.finish();
});

test("hostile names stay text", async () => {
    const page = await openPage({ sample: "run/hostile" });
    is(await page.locator("img").count(), 0, "an image");
    ok((await page.locator("h1").innerText()).startsWith("</script><img"), "the title");
    ok(!(await page.locator("body").innerText()).includes("\u202e"), "a character that turns the direction");
    ok((await text(page, "[data-absent]")).length === 2, "what is absent");
    await page.finish();
});

test("nothing known is said, not drawn", async () => {
    const page = await openPage({ sample: "run/nothing" });
    ok((await text(page, "#summary"))[0].includes("energy unknown"), "the energy");
    ok((await text(page, "#nodes"))[0].includes("No power is known"), "the boxes");
    is(await page.locator("#regions").count(), 0, "no regions");
    await page.finish();
});

test("a study: cases with intervals, boxes with the reference, energy against time, differences, network", async () => {
    const page = await openPage({ sample: "run/study" });
    is(await page.locator("#cases tbody tr").count(), 8, "cases");
    ok((await text(page, "#cases tbody tr"))[0].includes("\u00b1"), "an interval");
    is(await page.locator("#case-boxes .box").count(), 8, "boxes");
    is(await page.locator("#case-boxes .reference").count(), 1, "the reference");
    is(await page.locator("#scaling .dot").count(), 8, "dots");
    ok((await text(page, "#scaling"))[0].includes("1.020 \u00b1 0.030"), "the exponent");
    ok((await text(page, "#differences tbody tr"))[0].includes("\u221210.0 % (-12.0..-8.0)"), "a difference with its interval");
    is(await page.locator("#network tbody tr").count(), 8, "network power");
    ok((await text(page, "#summary"))[0].includes("n0007"), "the node that is missing");
    await page.finish();
});

for (const sample of ["run/forty", "run/study"]) {
    test(`${sample} fits 360 pixels and paper`, async () => {
        const page = await openPage({ sample, width: 360, height: 740, touch: true });
        ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, "wider than the phone");
        await page.finish();
        const paper = await openPage({ sample });
        await paper.emulateMedia({ media: "print" });
        await paper.pdf({ format: "A4" });
        ok(!(await paper.locator(".toolbar").first().isVisible()), "buttons on paper");
        await paper.finish();
    });
}

await main();
