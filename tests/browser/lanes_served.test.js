// SPDX-License-Identifier: BSD-3-Clause
// `wattle report --serve` and the file of the same trace: the sums of a selected stretch are those that are known, and the
// server answers only who has its address.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { is, main, numbers, ok, openPage, soon, test } from "./harness.js";

const { BUILD, WATTLE } = process.env;
const folder = mkdtempSync(join(BUILD, "tests/browser/served-"));
const trace = join(folder, "tasks.wtl");
const known = JSON.parse(execFileSync(join(BUILD, "tests/integration/lanes/make_tasks"), [trace, "20000", "8", "500"]));

function serve() {
    const server = spawn(WATTLE, ["report", "--serve", trace], { stdio: ["ignore", "pipe", "inherit"] });
    return new Promise((resolve, reject) => {
        let text = "";
        server.stdout.on("data", (data) => {
            text += data;
            const url = text.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//)?.[0];
            url && resolve({ server, url });
        });
        server.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    });
}

// Select the whole window: the borders of the view lie outside of it.
async function selectAll(page) {
    await page.locator("#lanes .plot").focus();
    for (const key of ["Home", "[", "End", "]"]) {
        await page.keyboard.press(key);
    }
    await page.waitForSelector("#stretch [data-ready='']", { state: "attached" });
}

async function compare(page, exact) {
    await selectAll(page);
    const tasks = ["dpotrf", "dtrsm", "dsyrk", "dgemm"];
    const busy = tasks.reduce((sum, name) => sum + known[name].time_s, 0);
    const found = await soon(async () => { // its answers come one after the other
        const facts = await numbers(page, "#stretch .facts");
        is(facts.ended, tasks.reduce((sum, name) => sum + known[name].count, 0), "tasks that ended");
        ok(Math.abs(facts.energy_j - known.energy_j) < exact, `${facts.energy_j} J of ${known.energy_j}`);
        return facts;
    });
    ok(Math.abs(found.busy_s - busy) < 1e-6, `worked ${found.busy_s} s of ${busy}`);
    const times = await page.locator("#stretch data[data-type]").evaluateAll((nodes) => nodes.map((node) => [node.dataset.type, Number(node.value)]));
    for (const [name, time] of times.filter(([name]) => known[name])) {
        ok(Math.abs(time - known[name].time_s) < 1e-6, `${name}: ${time} s of ${known[name].time_s}`);
    }
}

function status(url, options = {}) {
    return new Promise((resolve, reject) => {
        request(url, options, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
        }).on("error", reject).end();
    });
}

test("in a file", async () => {
    const path = join(folder, "tasks.html");
    execFileSync(WATTLE, ["report", "-o", path, trace]);
    const page = await openPage({ path });
    await compare(page, 0.5);
    await page.finish();
});

test("served", async () => {
    const { server, url } = await serve();
    const page = await openPage({ url });
    await page.locator("#lanes").scrollIntoViewIfNeeded();
    for (let i = 0; i < 12; i++) {
        await page.locator("#lanes .plot").focus();
        await page.keyboard.press("w");
    }
    await page.keyboard.press("0");
    await compare(page, 0.3);
    await page.finish();
    is(await status(url), 200, "the page");
    is(await status(`${url}tile/0/0`), 200, "a tile");
    is(await status(`${url}tile/0/1`), 404, "no such tile");
    is(await status(`${url}energy/0.1/x`), 404, "no such time");
    is(await status(url.replace(/\/[0-9a-f]{32}\//, `/${"0".repeat(32)}/`)), 404, "another token");
    is(await status(url.replace(/\/[0-9a-f]{32}\//, "/")), 404, "no token");
    is(await status(url, { headers: { Host: "evil.example" } }), 404, "another host");
    is(await status(url, { method: "POST" }), 405, "another method");
    is(await status(`${url}${"x".repeat(5000)}`), 414, "too long");
    server.kill();
});
await main();
rmSync(folder, { recursive: true, force: true });
