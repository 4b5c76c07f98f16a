// SPDX-License-Identifier: BSD-3-Clause
// Not a test: screenshots of a page for visual inspection. Usage: tests/browser/run shots.js FOLDER [SAMPLE |
// PAGE.html]...
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { main, openPage, test } from "./harness.js";

const [folder, ...pages] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const name of pages.length > 0 ? pages : ["hour"]) {
    const source = name.endsWith(".html") ? { path: name } : { sample: name };
    const base = name.replace(/.*\//, "").replace(/\.html$/, "");
    for (const [kind, options] of Object.entries({ wide: { width: 1440 }, dark: { width: 1440, scheme: "dark" }, narrow: { width: 420, height: 740, touch: true }, "narrow-dark": { width: 420, height: 740, touch: true, scheme: "dark" } })) {
        test(`${base}, ${kind}`, async () => {
            const page = await openPage({ ...source, ...options });
            await page.screenshot({ path: join(folder, `${base}-${kind}.png`), fullPage: true });
            for (const section of await page.locator("section").all()) {
                await section.screenshot({ path: join(folder, `${base}-${kind}-${await section.getAttribute("id")}.png`) });
            }
            if (await page.locator("#power .u-over").count() > 0 && await page.locator("[data-choice=Stack]").count() > 0) {
                await page.click("[data-choice=Stack]");
                await page.locator("#power .plot").focus();
                await page.keyboard.press("+");
                await page.keyboard.press("ArrowRight");
                await page.screenshot({ path: join(folder, `${base}-${kind}-stack.png`) });
                await page.click("[data-choice=Lines]");
                await page.locator("#power .plot").focus();
                await page.keyboard.press("+");
                await page.keyboard.press("ArrowLeft");
                await page.screenshot({ path: join(folder, `${base}-${kind}-zoomed.png`) });
                await page.keyboard.press("0");
            }
            if (kind === "wide") {
                await page.pdf({ path: join(folder, `${base}.pdf`), preferCSSPageSize: true });
            }
            await page.finish();
        });
    }
}
await main();
