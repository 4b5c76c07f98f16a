// SPDX-License-Identifier: BSD-3-Clause
// The pages written by `wattle pose` contain the numbers of its JSON, printed as in its text.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verdictOf } from "../../web/pose/model.js";
import { unpack } from "../../web/lib/stretches.js";
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

test("machines without a code: a page with the bounds of each", async () => {
    const table = join(SRC, "examples/pose/nodes.csv"), path = join(folder, "system.html");
    const words = ["--system", "--input", table, "--metric", "Et^3", "--metric", "EDS:1,900"];
    wattle("pose", ...words, "--plot", path);
    const { systems } = JSON.parse(wattle("pose", ...words, "--format", "json"));
    for (const width of [1280, 420]) {
        const page = await openPage({ path, width });
        const found = await page.locator("#system data[data-what='system.energy_saved']").evaluateAll((nodes) => nodes.map((node) => Number(node.value)));
        is(found.length, systems.length, "rows");
        found.forEach((ratio, i) => near(ratio, systems[i].energy_saved, "energy saved"));
        is(await page.locator("#system-chart rect").count(), 6 * systems.length, "a bar for the powers and five for the bounds");
        const titles = await page.locator("#system-chart .axis-title").allTextContents();
        ok(titles.filter((title) => /\[.+\]$/.test(title)).length === 2, `units: ${titles}`);
        const outside = await page.locator("#system-chart svg").evaluateAll((charts) => charts.flatMap((chart) => [...chart.querySelectorAll("text")]
            .filter((text) => text.textContent && text.getBoundingClientRect().right > chart.getBoundingClientRect().right + 1).map((text) => text.textContent)));
        is(outside, [], "texts that leave the chart");
        await page.finish();
    }
});

test("traces: power over time", async () => {
    const traces = ["one", "two", "three"].map((name) => join(folder, `${name}.wtl`));
    traces.forEach((trace, run) => { // with a value at every moment, which a run on a busy machine need not have
        const table = join(folder, `power-${run}.csv`);
        writeFileSync(table, `time_s,package_w\n${Array.from({ length: 101 }, (_, i) => `${i / 100},${200 + run + i % 3}`).join("\n")}\n`);
        wattle("import", "-o", trace, table);
    });
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

// The page itself judges the movable point, in the same way as the command judges candidates.
test("the point that can be moved: the same verdicts as the command\u2019s", async () => {
    const versions = Array.from({ length: 12 }, (_, i) => Array.from({ length: 12 }, (_, k) => [60 + 22 * i, (60 + 22 * i) * (185 + 13 * k)])).flat();
    const table = join(folder, "versions.csv");
    writeFileSync(table, `label,time_s,energy_j\n${versions.map(([t, e], i) => `v${i},${t},${e}`).join("\n")}\n`);
    const path = join(folder, "verdicts.html");
    const metrics = ["Et^3", "Et^0", "EDS:1,900", "EDD:1,519.615", "E*t^2+0.1*t"].flatMap((name) => ["--metric", name]);
    wattle("pose", "--time", "213", "--energy", "55000", "--pmin", "180", "--pmax", "345", "--candidate", table, ...metrics, "--plot", path);
    const page = JSON.parse(readFileSync(path, "utf8").match(/<script type="application\/json" id="wattle-pose">(.*?)<\/script>/s)[1]);
    const seen = new Set();
    page.document.codes.forEach((code, m) => {
        const regions = page.shapes[m].regions.map((packed) => {
            const flat = unpack(packed);
            return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
        });
        const model = { ...code, form: page.metrics[m], shapes: { regions } };
        is(code.candidates.length, versions.length, "versions");
        for (const candidate of code.candidates) {
            const verdict = verdictOf(model, candidate);
            const where = `${candidate.label} under ${code.metric}`;
            is(verdict.region, candidate.region, `region of ${where}`);
            seen.add(verdict.region);
            for (const what of verdict.gain === null ? [] : ["gain", "power_share", "run_time_share"]) {
                ok(verdict[what] === null ? candidate[what] === null : Math.abs(verdict[what] - candidate[what]) <= 1e-9 * Math.max(1, Math.abs(candidate[what])),
                    `${what} of ${where}: ${verdict[what]}, ${candidate[what]}`);
            }
        }
    });
    is([...seen].sort(), [1, 2, 3, 4], "regions");
});

await main();
rmSync(folder, { recursive: true, force: true });
