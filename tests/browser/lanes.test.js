// SPDX-License-Identifier: BSD-3-Clause
// The lanes of tasks in the page of `wattle report`: drawing, tiles, the selected stretch, inefficient stretches.
import { coloured, custom, is, main, near, numbers, ok, openPage, soon, test } from "./harness.js";
import { EVIL } from "./samples.js";

const range = (page) => page.locator("#lanes .plot").evaluate((node) => [Number(node.dataset.begin), Number(node.dataset.end)]);

async function select(page, from, to) {
    await page.locator("#lanes").scrollIntoViewIfNeeded();
    const box = await page.locator("#lanes .u-over").boundingBox();
    await page.keyboard.down("Alt");
    await page.mouse.move(box.x + from * box.width, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + to * box.width, box.y + 10, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up("Alt");
}

for (const scheme of ["light", "dark"]) {
    test(`lanes have the colours of their types, ${scheme}`, async () => {
        const page = await openPage({ sample: "lanes", scheme });
        for (const name of ["series-0", "series-1", "lane-mpi", "lane-wait"]) {
            ok(await coloured(page, "#lanes", await custom(page, `--${name}`)) > 0.001, `${name} is not to be seen`);
        }
        ok(await coloured(page, "#working", await custom(page, "--ink-soft")) > 0.001, "no line of the threads that work");
        await page.finish();
    });
}

test("a selected stretch: time, number and joules are those of its pieces", async () => {
    const page = await openPage({ sample: "known" });
    const all = await range(page);
    await select(page, 0.25, 0.75);
    const found = await soon(async () => {
        const facts = await numbers(page, "#stretch .facts");
        ok(Math.abs(facts.length_s - 1) < 0.01 && facts.ended > 0, `length ${facts.length_s}`);
        return facts;
    });
    is(await range(page), all, "Alt-drag selects, and does not zoom");
    ok(Math.abs(found.working - 0.5) < 0.003 && Math.abs(found.busy_s / found.length_s - 0.5) < 0.003, `works half of the time: ${JSON.stringify(found)}`);
    ok(Math.abs(found.ended - 1000 * found.busy_s) <= 1, `${found.ended} tasks of 1 ms in ${found.busy_s} s`);
    // 90 W, and at any time 9 W of work or 7.5 W of waiting.
    ok(Math.abs(found.energy_j / found.length_s - 98.25) < 0.4, `${found.energy_j} J in ${found.length_s} s`);
    near(Math.round(100 * found.mean_w), Math.round((100 * found.energy_j) / found.length_s), "mean power");
    await page.locator("#lanes .plot").focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await soon(async () => ok((await page.locator("#stretch").textContent()).includes("None is selected"), "Escape removes the selection"));
    await page.finish();
});

test("streams of GPUs are not called threads", async () => {
    for (const [sample, words] of [["known", "Threads that work"], ["devices", "Threads and GPU streams that work"]]) {
        const page = await openPage({ sample });
        is(await page.locator("#working figcaption b").textContent(), words, sample);
        await page.finish();
    }
});

test("keys: [ and ] select, arrows choose a lane, Enter zooms to its piece, down to a microsecond", async () => {
    const page = await openPage({ sample: "known" });
    await page.locator("#lanes .plot").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("[");
    await page.keyboard.press("End");
    await page.keyboard.press("]");
    await soon(async () => is((await numbers(page, "#stretch .facts")).ended, 1000, "all tasks end in the whole"));
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    await soon(async () => ok(/thread 4712/.test(await page.locator("#spoken").textContent()), "the second lane is described"));
    for (let i = 0; i < 8; i++) {
        await page.keyboard.press("w");
    }
    // Where one lane waits the other one works.
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await soon(async () => {
        const [begin, end] = await range(page);
        ok(Math.abs(end - begin - 3e-3) < 1e-6, `a piece of 1 ms, and as much beside it: ${end - begin}`);
    });
    for (let i = 0; i < 14; i++) {
        await page.keyboard.press("+");
    }
    await soon(async () => {
        const deep = await range(page);
        ok(Math.abs(deep[1] - deep[0] - 1e-6) < 1e-9, `zoomed to ${deep[1] - deep[0]} s`);
    });
    await page.finish();
});

test("more pieces than a tile has: sums are the same, lanes of cores", async () => {
    const page = await openPage({ sample: "manyLanes" });
    const have = await page.evaluate(() => JSON.parse(document.getElementById("wattle-report").textContent).tasks);
    ok(have.tiles.length > 4, `${have.tiles.length} tiles`);
    await page.locator("#lanes .plot").focus();
    for (const key of ["Home", "[", "End", "]"]) {
        await page.keyboard.press(key);
    }
    const works = have.types.filter((type) => type.works);
    await soon(async () => { // Those of lanes of cores are in the sums of the sample, but not in those of the page.
        const found = await numbers(page, "#stretch .facts");
        ok(found.busy_s > 0 && found.busy_s < works.reduce((sum, type) => sum + type.time_s, 0), `${found.busy_s} s`);
    });
    await page.click("[data-choice=Cores]");
    await page.locator("#lanes .plot").focus();
    await page.keyboard.press("ArrowUp");
    await soon(async () => ok(/CPU 0/.test(await page.locator("#spoken").textContent()), "the first core is described"));
    await page.finish();
});

test("inefficient stretches: listed, shown and selected", async () => {
    const page = await openPage({ sample: "lanes" });
    is(await page.locator("#waste tbody tr").count(), 2, "stretches");
    await page.locator("#waste .jump").first().click();
    await soon(async () => {
        const [begin, end] = await range(page);
        ok(Math.abs(begin - 0.26) < 1e-6 && Math.abs(end - 0.32) < 1e-6, `shows ${begin} to ${end}`);
        near((await numbers(page, "#stretch .facts")).length_s.toFixed(6), (0.02).toFixed(6), "selected");
    });
    await page.finish();
});

test("hostile names stay text; a phone shows the lanes; print has them", async () => {
    const page = await openPage({ sample: "evilLanes", width: 420, height: 740, touch: true });
    ok((await page.locator("#lanes .keys").textContent()).includes(EVIL), "the name is shown");
    is(await page.evaluate(() => window.evil), undefined, "nothing ran");
    ok(await page.evaluate(() => document.documentElement.scrollWidth <= 420), "wider than the phone");
    await page.tap("#select");
    is(await page.locator("#select").getAttribute("aria-pressed"), "true", "selecting with a finger");
    await page.emulateMedia({ media: "print" });
    await page.finish();
});
await main();
