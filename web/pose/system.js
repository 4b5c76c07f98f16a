// SPDX-License-Identifier: BSD-3-Clause
// System summary: the maximum ratio of each insight over all codes that a machine can run.
import { element, number } from "../lib/element.js";
import { sortableTable } from "../lib/sortable.js";
import { systemChart } from "./system_chart.js";
import { known, plain, times } from "./values.js";
import { HEADS, HEADS_TEXT, INSIGHTS } from "./words.js";

export const machineName = ({ name, group }) => [name, group].filter(Boolean).join(", ") || "this machine";

const systemsOf = ({ systems, models, subjects }) => (systems.length > 0 ? systems : subjects.flatMap(({ models: own }) => own).filter(({ system }) => system)
    .map(({ system, group, metric, pmin_w, pmax_w }) => ({ name: null, group, metric, pmin_w, pmax_w, ...system }))
    .filter((one, i, all) => all.findIndex((other) => ["metric", "group", "pmin_w", "pmax_w"].every((key) => other[key] === one[key])) === i));

// What tells the rows apart.
function rowNames(rows) {
    const machines = new Set(rows.map(machineName)).size;
    const metrics = new Set(rows.map(({ metric }) => metric)).size;
    return rows.map((row) => [machines > 1 || metrics === 1 ? machineName(row) : null, metrics > 1 ? row.metric : null].filter(Boolean).join(", "));
}

export function systemSection(page) {
    const rows = systemsOf(page);
    if (rows.length === 0) {
        return null;
    }
    const ratio = (row, name) => number(row[name], known(row[name]) ? times(row[name]) : "depends on run time", { "data-what": `system.${name}` });
    const watts = (what, name) => ({ name: `${name} [W]`, number: true, key: (row) => row[what], cell: (row) => number(row[what], plain(row[what])) });
    return element("section", { id: "system", "aria-labelledby": "system-head" }, element("h2", { id: "system-head" }, "System summary"),
        element("p", {}, "The most that any code on this machine can have of each: no code between its two powers has a greater ratio."),
        sortableTable("System summary", [
            { name: "machine", key: machineName, cell: machineName }, { name: "metric", key: (row) => row.metric, cell: (row) => row.metric }, watts("pmin_w", "Pmin"), watts("pmax_w", "Pmax"),
            ...Object.entries(INSIGHTS).map(([name, { name: title }]) => ({ name: HEADS[name], title, number: true, key: (row) => row[name], cell: (row) => ratio(row, name) })),
        ], rows), element("p", { class: "note" }, HEADS_TEXT),
        page.subjects.length === 0 ? systemChart(rows, rowNames(rows)) : null);
}
