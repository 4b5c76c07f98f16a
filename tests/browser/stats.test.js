// SPDX-License-Identifier: BSD-3-Clause
// The numbers on the page of a real trace are those of `wattle stats --format json`, and its table is that of `wattle
// stats`. Recorded hosts in virtual time; one trace of a simulated node, for its regions, if possible.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { is, main, ok, openPage, test } from "./harness.js";

const { BUILD, SRC, WATTLE, WATTLE_SIM } = process.env;
const folder = mkdtempSync(join(BUILD, "tests/browser/traces-"));
const wattle = (...words) => execFileSync(WATTLE, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });

// The texts and values of the page: { "energy_j power:package-0": [[value, text], ...] }
function numbers(page) {
    return page.evaluate(() => {
        const found = {};
        for (const node of document.querySelectorAll("data[data-what]")) {
            const key = `${node.dataset.what} ${node.dataset.channel ?? node.dataset.region ?? ""}`;
            (found[key] ??= []).push([node.value, node.textContent]);
        }
        return found;
    });
}

// The rows of the table printed by `wattle stats`: { channel: [energy, mean, range, quality] }
function tableOf(text) {
    const rows = {};
    for (const line of text.split("\n")) {
        const cells = line.replace(/^ [+ ] /, "").trim().split(/ {2,}/);
        if (/^(\S+:\S+|total)$/.test(cells[0]) && cells.length > 3) {
            rows[cells[0]] = cells.slice(1);
        }
    }
    return rows;
}

function shown(page) {
    return page.locator("#channels tbody tr, #channels tfoot tr").evaluateAll((rows) => Object.fromEntries(rows.map((row) => {
        const [name, ...cells] = [...row.children].map((cell) => cell.textContent.replace(/^[+\u2007] /, "").replace(/^\S (\w+)$/, "$1").trim());
        return [name, cells.filter((text) => text !== "").map((text) => text.replace("\u00b1", "+-").replace(/^\u2013$/, "-"))];
    })));
}

async function compare(trace) {
    const page_path = trace.replace(/wtl$/, "html");
    wattle("report", "--force", "-o", page_path, trace);
    const run = JSON.parse(wattle("stats", "--regions", "--format", "json", trace));
    const page = await openPage({ path: page_path });
    const have = await numbers(page);
    const same = (key, value) => {
        ok(have[key]?.length > 0, `${key} is not on the page`);
        have[key].forEach(([text]) => is(text === "" ? null : Number(text), value, key));
    };
    for (const channel of run.channels) {
        same(`energy_j ${channel.name}`, channel.energy_j);
        same(`mean_w ${channel.name}`, channel.mean_w);
        channel.min_w !== null && same(`min_w ${channel.name}`, channel.min_w);
        channel.max_w !== null && same(`max_w ${channel.name}`, channel.max_w);
    }
    same("energy_j total", run.total.energy_j);
    run.edp_js !== null && same("edp_js ", run.edp_js);
    same("wall_time_s ", run.wall_time_s);
    for (const region of run.regions) {
        for (const what of ["inclusive", "exclusive"]) {
            same(`${what} ${region.name ?? ""}`, region[what].energy_j);
        }
        same(`union_s ${region.name ?? ""}`, region.union_s);
    }
    is(Object.keys(await shown(page)).length, run.channels.length + (run.total.channels.length > 0 ? 1 : 0), "rows of the table");
    is(await shown(page), tableOf(wattle("stats", trace)), "the table is not the one of wattle stats");
    is(await page.locator("[data-flag]").evaluateAll((nodes) => nodes.map((node) => node.dataset.flag)), run.flags, "flags");
    ok((await page.locator(".total .contains").innerText()).includes(run.total.contains), "the total without its words");
    await page.finish();
    return run;
}

for (const host of ["skx-2s", "epyc-zen3", "workstation-gpu", "faults", "xeon-2s-loaded", "laptop-battery"]) {
    test(`${host}: the page says what stats says`, async () => {
        const trace = join(folder, `${host}.wtl`);
        wattle("run", "-q", "-a", "--host", join(SRC, "tests/hosts", host), "--duration", "3s", "-o", trace);
        const run = await compare(trace);
        ok(run.channels.length > 0, "no channels");
    });
}

test("a simulated node: regions, too, and all of it marked", async () => {
    if (!existsSync(join(BUILD, "bin/examples/nested")) || spawnSync(WATTLE_SIM, ["run", "--", "true"]).status !== 0) {
        console.log("# no simulated node here, or no examples");
        return;
    }
    const trace = join(folder, "node.wtl");
    execFileSync(WATTLE_SIM, ["run", "--power", "package=60+40*load", "--", WATTLE, "run", "-q", "--interval", "10ms", "-o", trace, "--", join(BUILD, "bin/examples/nested"), "2", "1"],
        { stdio: "ignore" });
    const run = await compare(trace);
    ok(run.regions.length > 3 && run.channels[0].simulated, "no regions of a simulated node");
});

await main();
rmSync(folder, { recursive: true, force: true });
