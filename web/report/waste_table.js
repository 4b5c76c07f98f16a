// SPDX-License-Identifier: BSD-3-Clause
// Inefficient stretches: few threads work, and the power is nearly that of full activity.
import { element, number } from "../lib/element.js";
import { digits, duration } from "../lib/digits.js";
import { sortableTable } from "../lib/sortable.js";
import { watts } from "../lib/swatch.js";

const percent = (x) => `${Math.round(100 * x)} %`;

// Shows the stretch with the same length on either side, and selects it.
function jump(view, row) {
    return element("button", { type: "button", class: "jump", title: "show and select", click: () => {
        view.select(row.begin_s, row.end_s);
        view.set(row.begin_s - (row.end_s - row.begin_s), row.end_s + (row.end_s - row.begin_s));
        document.getElementById("time")?.scrollIntoView();
    } }, row.begin_s.toFixed(3));
}

function columns(activity, view) {
    return [
        { name: "from [s]", number: true, key: (row) => row.begin_s, cell: (row) => jump(view, row) },
        { name: "length", number: true, key: (row) => row.end_s - row.begin_s, cell: (row) => duration(row.end_s - row.begin_s) },
        { name: "energy [J]", number: true, key: (row) => row.energy_j, cell: (row) => number(row.energy_j, digits(row.energy_j), { "data-what": "waste_energy_j" }) },
        { name: "mean [W]", number: true, key: (row) => row.mean_w, cell: (row) => watts(row.mean_w) },
        { name: "threads that work", number: true, key: (row) => row.working, cell: (row) => digits(row.working) },
        { name: "of the others [J]", number: true, title: "the part of the energy of the threads that do not work", key: (row) => row.waiting_j, cell: (row) => digits(row.waiting_j) },
        { name: "mostly", key: (row) => row.type ?? -1, cell: (row) => (row.type === null ? "nothing known" : activity.looks.label(row.type)) },
    ];
}

export function wasteSection(activity, view) {
    const waste = activity?.tasks.waste;
    if (!waste) {
        return null;
    }
    const rule = waste.problem ? `Cannot be found: ${waste.problem}.`
        : `At most ${percent(waste.activity)} of ${digits(waste.full_threads)} threads work, at no less than ${percent(waste.power)} of the ${watts(waste.full_w)} W that the total draws while nearly all of them do; in steps of ${duration(waste.cell_s)}. `;
    const none = !waste.problem && waste.stretches.length === 0;
    return element("section", { id: "waste", "aria-labelledby": "waste-head" }, element("h2", { id: "waste-head" }, "Inefficient stretches"),
        element("p", {}, rule, none ? element("b", {}, "There is none.") : ""),
        waste.stretches.length === 0 ? null : [
            element("p", {}, `${waste.stretches.length + waste.left_out} stretches, ${duration(waste.time_s)} with ${digits(waste.energy_j)} J, of which ${digits(waste.waiting_j)} J for threads that do not work.`,
                waste.left_out > 0 ? ` ${waste.left_out} are not listed.` : ""),
            element("details", { open: waste.stretches.length <= 20 }, element("summary", {}, `${waste.stretches.length} stretches, the most joules of the others first`),
                sortableTable("Table of inefficient stretches", columns(activity, view), waste.stretches))]);
}
