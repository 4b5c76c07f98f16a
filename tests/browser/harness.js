// SPDX-License-Identifier: BSD-3-Clause
// A page in headless Chromium, opened from a file, with TAP on standard output. Every page that a test opens must make
// no requests except for itself, and write nothing to its console: both are checked when it is closed.
//
//   import { test, main, openPage, ok, is } from "./harness.js";
//   test("charts draw", async () => { const page = await openPage({ sample: "hour" }); ...; await page.finish(); });
//   await main();
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LANE_SAMPLES } from "./lane_samples.js";
import { POSE_SAMPLES } from "./pose_samples.js";
import { RUN_SAMPLES } from "./run_samples.js";
import { SAMPLES } from "./samples.js";

const build = process.env.BUILD;
const { chromium } = createRequire(join(build, "tests/browser/package.json"))("playwright-core");
const scratch = mkdtempSync(join(build, "tests/browser/pages-"));
const tests = [];
const LIMIT_MS = 300000; // for what never comes: a busy machine may be slow
let browser;

export const test = (name, body) => tests.push({ name, body });

export function ok(value, text) {
    if (!value) {
        throw new Error(text);
    }
}

export function is(have, want, text) {
    ok(JSON.stringify(have) === JSON.stringify(want), `${text}: have ${JSON.stringify(have)}, want ${JSON.stringify(want)}`);
}

// The numbers below a node: { "B.t_s": 312.88, ... }
export const numbers = (page, selector) => page.locator(`${selector} data[data-what]`).evaluateAll((nodes) =>
    Object.fromEntries(nodes.map((node) => [node.dataset.what, node.value === "" ? null : Number(node.value)])));

// Equal except in the last digit; null is unknown.
export function near(have, want, text) {
    ok(want === null ? have === null : Math.abs(have - want) <= 1e-12 * Math.abs(want), `${text}: have ${have}, want ${want}`);
}

// Wait until `look` throws nothing: what the page does after a key or a move, it does as soon as it has time. Returns what it returns.
export async function soon(look) {
    for (const end = performance.now() + 60000; ;) {
        try {
            return await look();
        } catch (error) {
            if (performance.now() > end) {
                throw error;
            }
            await new Promise((done) => setTimeout(done, 50));
        }
    }
}

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

// The page of a document, as written by the program (src/report/page_template.h). name: that of web/NAME.
export function writePage(document, name = "report") {
    const json = JSON.stringify(document).replaceAll("<", "\\u003c");
    const into = { TITLE: escape(document.title ?? name), SUMMARY: escape("the total"), DOCUMENT: json };
    const template = readFileSync(join(build, `web/${name}.html`), "utf8");
    const path = join(scratch, `${tests.length}-${Math.random().toString(36).slice(2)}.html`);
    writeFileSync(path, template.replace(/\{\{(TITLE|SUMMARY|DOCUMENT)\}\}/g, (_, what) => into[what]));
    return path;
}

async function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM, timeout: LIMIT_MS,
        args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
}

const SETS = { report: { ...SAMPLES, ...LANE_SAMPLES }, pose: POSE_SAMPLES, run: RUN_SAMPLES };

// "hour" of samples.js, "pose/one" of pose_samples.js: [document, name of the page]
function sampleOf(name) {
    const [page, sample] = name.includes("/") ? name.split("/") : ["report", name];
    return [SETS[page][sample](), page];
}

// { sample | document (of web/NAME, name: "report") | path | url (of report --serve), width, height, scheme, touch, javaScript }: a page of
// Playwright, with finish()
export async function openPage({ sample, document, name, path, url: served, width = 1280, height = 900, scheme = "light", touch = false, javaScript = true }) {
    const file = served ? null : path ?? writePage(...(document ? [document, name] : sampleOf(sample)));
    browser ??= await launch();
    const context = await browser.newContext({
        viewport: { width, height }, colorScheme: scheme, hasTouch: touch, isMobile: touch, javaScriptEnabled: javaScript, deviceScaleFactor: touch ? 3 : 1,
    });
    context.setDefaultTimeout(LIMIT_MS);
    const page = await context.newPage();
    const url = served ?? pathToFileURL(file).href;
    const faults = [];
    page.on("console", (message) => faults.push(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("request", (request) => request.url() !== url && !(served && request.url().startsWith(served)) && !request.url().startsWith("data:,") && faults.push(`request: ${request.url().slice(0, 200)}`));
    page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`));
    await page.goto(url);
    if (javaScript) {
        await page.waitForSelector("html[data-drawn], html[data-failed]", { state: "attached" });
    }
    page.finish = async () => {
        await context.close();
        is(faults, [], "console, errors and requests");
    };
    return page;
}

// The texts of an SVG figure, and those that extend beyond the sheet.
export async function openFigure(url) {
    browser ??= await launch();
    const page = await browser.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    await page.goto(url);
    const found = await page.evaluate(() => {
        const sheet = document.documentElement.getBoundingClientRect();
        const nodes = [...document.querySelectorAll("text")];
        const out = (box) => box.left < sheet.left - 1 || box.right > sheet.right + 1 || box.top < sheet.top - 1 || box.bottom > sheet.bottom + 1;
        return { texts: nodes.map((node) => node.textContent), outside: nodes.filter((node) => out(node.getBoundingClientRect())).map((node) => node.textContent) };
    });
    await page.close();
    return found;
}

// The fraction 0..1 of the pixels of the first canvas below `selector`, from its top down to `part` of its height, that
// are within 40 of the colour [r, g, b].
export function coloured(page, selector, colour, part = 1) {
    return page.locator(`${selector} canvas`).first().evaluate((canvas, [[r, g, b], high]) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, Math.round(canvas.height * high));
        let hits = 0;
        for (let i = 0; i < data.length; i += 4) {
            hits += data[i + 3] > 150 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 40;
        }
        return hits / (data.length / 4);
    }, [colour, part]);
}

// "--series-0" of the page as [r, g, b]
export function custom(page, name) {
    return page.evaluate((n) => {
        const hex = getComputedStyle(document.documentElement).getPropertyValue(n).trim();
        return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    }, name);
}

export async function main() {
    let failed = 0;
    console.log(`1..${tests.length}`);
    for (const [i, { name, body }] of tests.entries()) {
        try {
            const from = performance.now();
            await body();
            console.log(`ok ${i + 1} - ${name} # ${((performance.now() - from) / 1e3).toFixed(1)} s`);
        } catch (error) {
            failed++;
            console.log(`not ok ${i + 1} - ${name}\n${String(error.stack).replace(/^/gm, "# ")}`);
        }
    }
    await browser?.close();
    rmSync(scratch, { recursive: true, force: true });
    process.exitCode = failed > 0 ? 1 : 0;
}
