// SPDX-License-Identifier: BSD-3-Clause
// Every kind of figure, as SVG in a browser: units on the axes and no text outside the sheet. Gnuplot scripts too have units on their axes.
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { is, main, ok, openFigure, test } from "./harness.js";

const folder = mkdtempSync(join(tmpdir(), "wattle-figures-"));
const wattle = (...words) => execFileSync(process.env.WATTLE, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
for (const [run, label] of [["one", "app=cg"], ["two", "app=lu"]]) {
    mkdirSync(join(folder, run));
    for (const name of ["skx-2s", "spr-2s"]) {
        const host = join(folder, `${run}-${name}`);
        cpSync(join(process.env.SRC, "tests/hosts", name), host, { recursive: true, verbatimSymlinks: true });
        appendFileSync(join(host, "env"), `WATTLE_RUN_ID=${run}\n`);
        wattle("run", "-q", "-a", "--host", host, "--label", label, "--duration", "5s", "-o", `${run}/${name}.wtl`);
    }
}

const code = ["--time", "100", "--energy", "17125", "--pmin", "95", "--pmax", "260"];
// [name, the command without its file, the units that its axes need, whether it has a gnuplot script]
const FIGURES = [
    ["power", ["report", "one/skx-2s.wtl", "--figure", "power"], ["W", "s"]],
    ["energy", ["report", "one/skx-2s.wtl", "--figure", "energy"], ["J"]],
    ["distribution", ["report", "one/skx-2s.wtl", "--figure", "distribution"], ["W"]],
    ["run-power", ["report", "one", "--figure", "power"], ["W", "s"], true],
    ["run-domains", ["report", "one", "--figure", "domains"], ["%"], true],
    ["run-boxes", ["report", "one", "--figure", "boxes"], ["W"], true],
    ["run-nodes", ["report", "one", "--figure", "nodes"], ["s"], true],
    ["study-boxes", ["report", "one", "two", "--figure", "boxes"], ["W"], true],
    ["study-scaling", ["report", "one", "two", "--figure", "scaling"], ["s", "J", "W"], true],
    ["pose", ["pose", ...code], ["J", "s"]],
    ["pose-codes", ["pose", "--input", join(process.env.SRC, "examples/pose/table3.csv"), "--metric", "Et^2"], ["J", "s"]],
    ["pose-system", ["pose", "--system", "--input", join(process.env.SRC, "examples/pose/nodes.csv"), "--metric", "Et^3", "--metric", "EDS:1,900"], ["W", "x"]],
];

for (const [name, command, units, script] of FIGURES) {
    test(`${name}: units on axes, texts on the sheet`, async () => {
        const path = `${name}.svg`;
        wattle(...command, "--plot", path);
        const { texts, outside } = await openFigure(pathToFileURL(join(folder, path)).href);
        is(outside, [], "texts that leave the sheet");
        const labels = texts.filter((text) => /\((\S+)\)$/.test(text)).map((text) => text.match(/\((\S+)\)$/)[1]);
        for (const unit of units) {
            ok(labels.some((label) => label === unit || label.slice(1) === unit), `no axis has the unit ${unit}: ${labels.join(", ")}`);
        }
        if (script) {
            wattle(...command, "--plot", `${name}.gp`);
            const own = [...readFileSync(join(folder, `${name}.gp`), "utf8").matchAll(/^set (?:x|y|cb)label '(.*)'$/gm)].map(([, text]) => text);
            ok(own.some((text) => /\(\S+\)$/.test(text)), `the script has no unit: ${own.join(", ")}`);
            own.forEach((text) => ok(/\(\S+\)$/.test(text) || /^Node$/.test(text), `"${text}" has no unit`));
        }
    });
}

await main();
rmSync(folder, { recursive: true, force: true });
