// SPDX-License-Identifier: BSD-3-Clause
// Not a test: the pictures of docs/guide/tasks.md. Usage: tests/browser/run task_pictures.js PAGE.html FOLDER
import { join } from "node:path";
import { main, openPage, test } from "./harness.js";

const [path, folder] = process.argv.slice(2);

// From the top of one element to the bottom of another.
async function take(page, first, last, name) {
    const clip = await page.evaluate(([a, b]) => {
        const [top, bottom] = [document.querySelector(a).getBoundingClientRect(), document.querySelector(b).getBoundingClientRect()];
        return { x: Math.floor(top.left), y: Math.floor(top.top + scrollY), width: Math.ceil(top.width), height: Math.ceil(bottom.bottom - top.top) };
    }, [first, last]);
    await page.screenshot({ path: join(folder, name), clip, fullPage: true });
}

test("pictures", async () => {
    const page = await openPage({ path, width: 1000, height: 900 });
    await take(page, "#power", "#lanes", "tasks.png");
    await page.locator("#waste .jump").first().click();
    await page.waitForTimeout(400);
    await take(page, "#working", "#lanes", "tasks-zoomed.png");
    await page.locator("#stretch").screenshot({ path: join(folder, "tasks-stretch.png") });
    await page.finish();
});
await main();
