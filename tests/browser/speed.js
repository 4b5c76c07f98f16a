// SPDX-License-Identifier: BSD-3-Clause
// Not a test: the time until a page is drawn, and the CPU time of its process until then. Usage: tests/browser/run
// speed.js [PAGE.html]... (none: the hour of samples.js)
import { statSync } from "node:fs";
import { main, openPage, test, writePage } from "./harness.js";
import { hour } from "./samples.js";

const RUNS = 7;
for (const path of process.argv.length > 2 ? process.argv.slice(2) : [writePage(hour())]) {
    test(path, async () => {
        const [drawn, zoomed, busy] = [[], [], []];
        for (let i = 0; i < RUNS; i++) {
            const page = await openPage({ path });
            drawn.push(Number(await page.locator("html").getAttribute("data-drawn")));
            const session = await page.context().newCDPSession(page);
            await session.send("Performance.enable");
            const { metrics } = await session.send("Performance.getMetrics");
            busy.push(metrics.find((metric) => metric.name === "ProcessTime").value * 1e3);
            zoomed.push(await page.evaluate(async () => {
                const plot = document.querySelector("#power .plot");
                const from = performance.now();
                plot?.dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                return performance.now() - from;
            }));
            await page.finish();
        }
        const median = (list) => list.sort((a, b) => a - b)[RUNS >> 1].toFixed(0);
        console.log(`# ${(statSync(path).size / 1e6).toFixed(2)} MB: drawn after ${median(drawn)} ms (${drawn[0].toFixed(0)}..${drawn.at(-1).toFixed(0)}), ${median(busy)} ms of processor time, ` +
            `a zoom takes ${median(zoomed)} ms; ${RUNS} loads`);
    });
}
await main();
