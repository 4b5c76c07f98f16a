// SPDX-License-Identifier: BSD-3-Clause
// Repeats of one measurement: means with their intervals over runs, and each run as a point.
import { element, number, svg } from "../lib/element.js";
import { digits, interval } from "../lib/digits.js";
import { sortableTable } from "../lib/sortable.js";
import { known } from "./values.js";

const ROWS = [["wall_time_s", "time [s]"], ["energy_j", "energy [J]"], ["mean_w", "mean power [W]"], ["edp_js", "EDP [J s]"], ["ed2p_js2", "ED2P [J s\u00b2]"], ["cpu_s", "CPU time [s]"]];

function dots(runs, value) {
    const values = runs.map(value).filter(known);
    if (values.length < 2) {
        return null;
    }
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const x = (v) => (high > low ? 6 + ((v - low) / (high - low)) * 308 : 160);
    return svg("svg", { class: "dots", viewBox: "0 0 320 40", role: "img", "aria-label": `Energy of ${values.length} runs, from ${digits(low)} to ${digits(high)} J` },
        svg("line", { x1: 2, x2: 318, y1: 12, y2: 12 }), values.map((v) => svg("circle", { cx: x(v), cy: 12, r: 5 })),
        svg("text", { x: 2, y: 34 }, `${digits(low)} J`), svg("text", { x: 318, y: 34, "text-anchor": "end" }, `${digits(high)} J, each run a point`));
}

export function repeatsSection({ run }) {
    const { repeat, runs } = run;
    if (!repeat) {
        return null;
    }
    const means = ROWS.filter(([field]) => known(repeat[field]?.mean)).map(([field, label]) => ({ label, field, ...repeat[field] }));
    const columns = [
        { name: "of the runs", cell: (row) => row.label },
        { name: "mean", number: true, cell: (row) => number(row.mean, interval(row.mean, row.ci95 ?? NaN), { "data-what": `repeat.${row.field}` }) },
        { name: "standard deviation", number: true, cell: (row) => digits(row.sd) },
    ];
    const each = [
        { name: "run", number: true, key: (row) => row.at, cell: (row) => String(row.at) },
        { name: "energy [J]", number: true, key: (row) => row.total.energy_j, cell: (row) => digits(row.total.energy_j, row.total.resolution_interval_j ?? NaN) },
        { name: "mean [W]", number: true, key: (row) => row.total.mean_w, cell: (row) => digits(row.total.mean_w) },
        { name: "time [s]", number: true, key: (row) => row.wall_time_s, cell: (row) => row.wall_time_s.toFixed(4) },
        { name: "exit", number: true, cell: (row) => String(row.exit_code ?? "\u2013") },
    ];
    return element("section", { id: "repeats", "aria-labelledby": "repeats-head" }, element("h2", { id: "repeats-head" }, `${repeat.n} runs`),
        element("p", {}, repeat.n < 3 ? "Fewer than 3 runs: the variation from run to run is unknown." : "\u00b1 is half of the 95 % interval of the mean over runs (Student)."),
        sortableTable("Means over runs", columns, means),
        runs ? [dots(runs, (one) => one.total.energy_j), sortableTable("Each run", each, runs.map((one, i) => ({ ...one, at: i + 1 })))] : null);
}
