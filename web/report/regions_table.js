// SPDX-License-Identifier: BSD-3-Clause
// Regions by name with their energy, inclusive and exclusive.
import { element, number } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { qualityBadge } from "../lib/quality.js";
import { sortableTable } from "../lib/sortable.js";
import { regionEnergy, totalQuality } from "./values.js";

const time = (field, name, title) => ({
    name, title, number: true, key: (row) => row[field],
    cell: (row) => number(row[field], duration(row[field]), { "data-what": field, "data-region": row.name ?? "" }),
});
const energy = (total, field, name, title) => ({
    name, title, number: true, key: (row) => row[field].energy_j,
    cell: (row) => [number(row[field].energy_j, regionEnergy(row[field], total), { "data-what": field, "data-region": row.name ?? "" }), row[field].interval_only ? "*" : ""],
});

const columns = ({ total }) => [
    { name: "region", key: (row) => row.name ?? "", cell: (row) => row.name ?? element("i", {}, "outside of all regions") },
    { name: "count", number: true, title: "how often it began", key: (row) => row.count, cell: (row) => (row.name === null ? "" : String(row.count)) },
    time("thread_s", "thread time", "summed over threads"),
    time("union_s", "time", "at least one thread was inside"),
    energy(total, "inclusive", "inclusive [J]", "while at least one thread was inside"),
    time("exclusive_s", "exclusive time", "it was the innermost of at least one thread"),
    energy(total, "exclusive", "exclusive [J]", "while it was the innermost of at least one thread"),
];

export function regionsSection({ run }) {
    if (run.regions.length === 0) {
        return null;
    }
    const faults = run.regions.filter((row) => row.unbalanced > 0 || row.crossing > 0);
    const short = run.regions.some((row) => row.inclusive.interval_only || row.exclusive.interval_only);
    return element("section", { id: "regions", "aria-labelledby": "regions-head" }, element("h2", { id: "regions-head" }, "Regions"),
        element("p", {}, "Energy on the channels of the total, ", qualityBadge(totalQuality(run)), ", for all instances of a name together. ",
            short ? "* too short for the samples: only the interval is known, of which the value is the middle; sampling faster narrows it." : ""),
        sortableTable("Table of regions", columns(run), run.regions),
        faults.length === 0 ? null : element("ul", { class: "flags" }, faults.map((row) => element("li", {},
            element("b", {}, row.name ?? "outside of all regions"), `: ${row.unbalanced} begins or ends without the other, ${row.crossing} ended while not innermost`))));
}
