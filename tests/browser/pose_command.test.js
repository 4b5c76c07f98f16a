// SPDX-License-Identifier: BSD-3-Clause
// The pages that `wattle pose` writes hold the numbers of its JSON, printed as in its text.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { is, main, near, numbers, ok, openPage, test } from "./harness.js";

const { BUILD, SRC, WATTLE } = process.env;
const folder = mkdtempSync(join(BUILD, "tests/browser/pose-"));
const wattle = (...words) => execFileSync(WATTLE, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

test("insights and versions", async () => {
    const table = join(folder, "codes.csv");
    writeFileSync(table, "label,time_s,energy_j,pmin_w,pmax_w\nPathFinder,212.91,38952.89,181.14,345.57\nminiMD,132.06,34493.59,167.76,345.57\n");
    const one = ["--time", "212.91", "--energy", "38952.89", "--pmin", "181.14", "--pmax", "345.57", "--candidate", "180,36000,faster"];
    for (const [name, ...words] of [["one", ...one, "--metric", "Et^3"], ["metrics", ...one, "--metric", "EDS:1,900", "--metric", "E*t^2"], ["table", "--input", table]]) {
        const path = join(folder, `${name}.html`);
        const text = wattle("pose", ...words, "--plot", path);
        const json = JSON.parse(wattle("pose", ...words, "--format", "json"));
        const codes = json.codes ?? [json];
        const page = await openPage({ path });
        const found = await page.locator("#insights tr[data-insight] data").evaluateAll((nodes) => nodes.map((node) => [node.dataset.code, node.dataset.what, node.value, node.textContent]));
        is(found.length, codes.length * 10, `${name}: numbers`);
        for (const [code, what, have, shown] of found) {
            const [insight, kind] = what.split(".");
            const values = codes[code].insights[insight];
            const want = kind === "ratio" ? values.ratio : Object.entries(values).find(([key]) => /^absolute(_[js])?$/.test(key))[1];
            near(have === "" ? null : Number(have), want, `${name}: ${what} of ${codes[code].label}`);
            ok(name !== "one" || text.includes(shown.replace("\u00d7", "x")), `${what}: ${shown} is not in the text`);
        }
        const gains = await page.locator("#versions data[data-what=gain]").evaluateAll((nodes) => nodes.map((node) => Number(node.value)));
        is(gains.length, codes[0].candidates?.length ?? 0, `${name}: versions`);
        gains.forEach((gain, i) => near(gain, codes[0].candidates[i].gain, "gain"));
        ok(await page.locator(".chart .region").count() >= 3, "no regions");
        await page.finish();
    }
});

test("traces: power over time", async () => {
    const traces = ["one", "two", "three"].map((name) => join(folder, `${name}.wtl`));
    traces.forEach((trace) => wattle("run", "-q", "-a", "--host", join(SRC, "tests/hosts/skx-2s"), "--duration", "1s", "-o", trace));
    const words = [...traces, "--pmin", "50", "--pmax", "400"];
    const path = join(folder, "traces.html");
    wattle("pose", ...words, "--plot", path);
    const json = JSON.parse(wattle("pose", ...words, "--format", "json"));
    const page = await openPage({ path });
    const shown = await numbers(page, "#sources");
    near(shown["theta.t_s"], json.theta.t_s, "run time");
    near(shown["theta.e_j"], json.theta.e_j, "energy");
    await page.locator("#power .plot").focus();
    await page.keyboard.press("ArrowRight");
    const rows = await page.locator("#tooltip tr").allInnerTexts();
    is(rows.map((row) => row.trim().split(/\s+/)[0]), ["one.wtl", "two.wtl", "three.wtl"], "runs at the cursor");
    ok(rows.every((row) => Math.abs(parseFloat(row.trim().split(/\s+/)[1]) - json.theta.p_w) < 0.1 * json.theta.p_w), `powers: ${rows}`);
    ok((await page.locator("#sources").innerText()).includes("mean of 3 runs"), "where the numbers are from");
    await page.finish();
});

await main();
rmSync(folder, { recursive: true, force: true });
