// SPDX-License-Identifier: BSD-3-Clause
// The phases with their power and energy, and what their letters mean.
import { element, number } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { phaseEnergy } from "../lib/phase_chart.js";
import { qualityBadge } from "../lib/quality.js";
import { sortableTable } from "../lib/sortable.js";
import { watts } from "../lib/swatch.js";
import { known, totalQuality } from "./values.js";

const time = (field, name, title) => ({
    name, title, number: true, key: (row) => row[field], cell: (row) => number(row[field], duration(row[field]), { "data-what": field, "data-phase": row.phase }),
});
const power = {
    name: "power [W]", number: true, key: (row) => row.mean_w ?? 0,
    cell: (row) => (known(row.mean_w) ? number(row.mean_w, watts(row.mean_w), { "data-what": "mean_w" }) : "unknown"),
};
const COLUMNS = [
    { name: "phase", key: (row) => row.phase, cell: (row) => String(row.phase) },
    time("begin_s", "begin"), time("end_s", "end"), power,
    { name: "energy [J]", number: true, title: "with its interval: begin and end may lie elsewhere, and the energy between the readings around them is divided by assumption", key: (row) => row.energy_j ?? 0,
        cell: (row) => (known(row.energy_j) ? number(row.energy_j, phaseEnergy(row), { "data-what": "energy_j", "data-phase": row.phase }) : phaseEnergy(row)) },
    { name: "letter", key: (row) => row.letter ?? "", cell: (row) => `${row.letter ?? "unknown"}${row.short ? " (short)" : ""}` },
    { name: "power follows", key: (row) => row.counters.join(" "), cell: (row) => row.counters.join(", ") },
];
const LETTERS = [
    { name: "letter", key: (row) => row.name, cell: (row) => row.name },
    { name: "phases", number: true, key: (row) => row.phases, cell: (row) => String(row.phases) },
    { name: "time", number: true, key: (row) => row.length_s, cell: (row) => duration(row.length_s) }, power,
    { name: "power follows, in its longest phase", key: (row) => row.counters.join(" "), cell: (row) => row.counters.join(", ") },
];

export function phasesSection(report) {
    const { phases, phases_problem, run } = report;
    if (!phases) {
        return phases_problem ? element("section", { id: "phase-table", "aria-labelledby": "phases-head" }, element("h2", { id: "phases-head" }, "Phases"), element("p", {}, `None: ${phases_problem}.`)) : null;
    }
    const [node] = phases.nodes;
    const explained = known(node.explained) && node.phases.length > 1 ? `${Math.round(100 * node.explained)} % of the variation of power is between phases. ` : "";
    const notes = [node.missing_counters && `Not counted: ${node.missing_counters}.`, node.multiplexed && `Counted in turn, and scaled: ${node.multiplexed}.`].filter(Boolean);
    return element("section", { id: "phase-table", "aria-labelledby": "phases-head" }, element("h2", { id: "phases-head" }, "Phases"),
        element("p", {}, "Stretches in which the program behaves alike, found in its counters. Energy on the channels of the total, ", qualityBadge(totalQuality(run)), ". ", explained, ...notes.map((text) => `${text} `)),
        sortableTable("Table of phases", COLUMNS, node.phases),
        element("h3", {}, "Letters"), sortableTable("Table of letters", LETTERS, phases.letters));
}
