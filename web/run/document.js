// SPDX-License-Identifier: BSD-3-Clause
// The document wattle.run-report/1 (docs/format/run-report.md), read from the page and prepared: packed numbers
// unpacked.
import { documentOf } from "../lib/document.js";
import { unpack } from "../lib/stretches.js";

const CURVE = ["sum", "mean", "min", "q1", "median", "q3", "max", "covered"];
const REGION = ["mean", "min", "max", "inside"];

const unpacked = (item, fields) => ({ ...item, ...Object.fromEntries(fields.filter((field) => field in item).map((field) => [field, unpack(item[field])])) });

// The begins of the cells, shared by all curves of a run: as an axis of lib/stretches.js.
function axis(run) {
    return { begin: Float32Array.from({ length: run.cells }, (_, k) => k * run.cell_s), end_s: run.time_s };
}

function ready(run) {
    return {
        ...run,
        axis: axis(run),
        curves: run.curves.map((curve) => unpacked(curve, CURVE)),
        regions: run.regions.map((region) => unpacked(region, REGION)),
        heat: (run.heat ?? []).map((order) => unpacked(order, ["power"])),
    };
}

export function readDocument() {
    const report = documentOf("wattle-run-report", "wattle.run-report/1");
    return { ...report, runs: report.runs.map(ready) };
}
