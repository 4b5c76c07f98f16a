// SPDX-License-Identifier: BSD-3-Clause
// Not a test: how long a zoom and a move of the lanes take, from the key to the painted frame, over the whole depth of a
// trace. Usage: tests/browser/run lanes_speed.js PAGE.html | http://127.0.0.1:PORT/TOKEN/ ...
import { main, openPage, test } from "./harness.js";

// Zooms in 26 times at a third of what is shown, with moves between, and out again.
async function frames(page) {
    return page.evaluate(async () => {
        const plot = document.querySelector("#lanes .plot");
        plot.scrollIntoView();
        plot.focus();
        const spans = [];
        const busy = [];
        const press = async (key, count) => {
            for (let i = 0; i < count; i++) {
                const from = performance.now();
                plot.dispatchEvent(new KeyboardEvent("keydown", { key }));
                const worked = performance.now();
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                spans.push(performance.now() - from);
                busy.push(worked - from);
            }
        };
        for (let depth = 0; depth < 26; depth++) {
            await press("w", 1);
            await press("d", 2);
            await press("a", 1);
        }
        const deepest = Number(plot.dataset.end) - Number(plot.dataset.begin);
        await press("s", 26);
        return { spans, busy, deepest };
    });
}

for (const path of process.argv.slice(2)) {
    test(path, async () => {
        const page = await openPage(path.startsWith("http") ? { url: path } : { path });
        const drawn = Number(await page.locator("html").getAttribute("data-drawn"));
        const { spans, busy, deepest } = await frames(page);
        await page.finish();
        const at = (list, q) => [...list].sort((a, b) => a - b)[Math.floor(q * (list.length - 1))].toFixed(1);
        console.log(`# drawn after ${drawn.toFixed(0)} ms; ${spans.length} frames down to ${(deepest * 1e6).toFixed(1)} us: median ${at(spans, 0.5)} ms, 95 % ${at(spans, 0.95)} ms, longest ${at(spans, 1)} ms; ` +
            `of it in the page's own code ${at(busy, 0.5)}, ${at(busy, 0.95)}, ${at(busy, 1)} ms`);
    });
}
await main();
