// SPDX-License-Identifier: BSD-3-Clause
// Regions over nodes: the cost of each, and the power of the nodes while they were inside.
import { element, number } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { faint, seriesColour } from "../lib/palette.js";
import { sortableTable } from "../lib/sortable.js";
import { columns, stretchAt } from "../lib/stretches.js";
import { isPrinting } from "../lib/theme.js";
import { TimePlot } from "../lib/time_plot.js";
import { series } from "./power_time.js";
import { energy, known, nodesText, power, powerAxis } from "./values.js";

const nameOf = (region) => (region.name === "" ? "outside of all regions" : region.name);
const grid = (from, to, count) => Array.from({ length: count }, (_, i) => from + ((i + 0.5) * (to - from)) / count);

function energyOf(region) {
    return energy(region, { "data-region": region.name });
}

function table(run) {
    const spread = (of) => (of.n > 0 ? `${power(of.min)}..${power(of.max)}` : "\u2013");
    const list = [
        { name: "region", key: nameOf, cell: nameOf },
        { name: "energy [J]", number: true, key: (r) => r.energy_j, cell: energyOf },
        { name: "of a node [J]", title: "median over nodes", number: true, key: (r) => r.node_j.median, cell: (r) => number(r.node_j.median, power(r.node_j.median), { "data-what": "node_j.median", "data-region": r.name }) },
        { name: "nodes from, to [J]", number: true, key: (r) => r.node_j.max, cell: (r) => spread(r.node_j) },
        { name: "power [W]", title: "median over nodes", number: true, key: (r) => r.node_w.median, cell: (r) => power(r.node_w.median) },
        { name: "time of a node", title: "median over nodes, in which it was open", number: true, key: (r) => r.node_s.median, cell: (r) => duration(r.node_s.median) },
        { name: "count", number: true, key: (r) => r.count, cell: (r) => String(r.count) },
        { name: "nodes", number: true, key: (r) => r.nodes, cell: (r) => (r.unresolved_nodes > 0 ? `${r.nodes} (${r.unresolved_nodes} too short)` : String(r.nodes)) },
    ];
    return sortableTable("Regions over nodes", list, run.regions);
}

// The power of the nodes that are inside, over time.
function chart(run, view, state, drawn) {
    const region = () => drawn[state.region];
    const plot = new TimePlot(view, {
        label: "Power within a region over time",
        height: () => (isPrinting() ? 220 : Math.max(220, Math.min(320, innerHeight * 0.35))),
        build: () => {
            const row = series(run, region().mean, region().min, region().max);
            const ink = () => seriesColour(state.region + 1);
            const edge = { stroke: () => faint(seriesColour(state.region + 1), 0.5), width: 0.75, points: { show: false } };
            return {
                series: [edge, edge, { stroke: ink, width: 2, points: { show: false } }],
                bands: [{ series: [1, 2], fill: () => faint(seriesColour(state.region + 1), 0.2) }],
                data: (from, to, count) => {
                    const { min, mean, max } = columns(row, from, to, count);
                    return [grid(from, to, count), max, min, mean];
                },
            };
        },
        range: (low, high) => (low === null || !Number.isFinite(low) ? [0, 1] : [Math.min(0, low), high * 1.06 || 1]),
        axis: { values: powerAxis },
        tip: (time) => words(time).map((text, i) => element("p", { class: i === 0 ? "tip-time" : null }, text)),
        spoken: (time) => words(time).join(", "),
    });
    const words = (time) => {
        const at = stretchAt(series(run, region().mean, region().min, region().max), time);
        const n = stretchAt(series(run, region().inside), time)?.mean ?? 0;
        return [`${nameOf(region())}, ${view.instant(time)}`, n === 0 ? "no node is inside" : `open on ${nodesText(n)}`,
            at ? `mean ${power(at.mean)} W${known(at.min) && !Number.isNaN(at.min) ? `, nodes ${power(at.min)}..${power(at.max)} W` : ""}` : "power unknown"];
    };
    return plot;
}

export function regionsSection(run, view) {
    if (run.regions.length === 0) {
        return null;
    }
    const drawn = run.regions.filter((region) => region.mean).sort((a, b) => (b.energy_j ?? 0) - (a.energy_j ?? 0));
    const first = Math.max(0, drawn.findIndex((region) => region.name !== ""));
    const state = { region: first };
    const plot = drawn.length > 0 && view ? chart(run, view, state, drawn) : null;
    const pick = element("select", { "aria-label": "Region", id: "region-choice" }, drawn.map((region, i) => element("option", { value: i, selected: i === first }, nameOf(region))));
    pick.addEventListener("change", () => {
        state.region = Number(pick.value);
        plot.rebuild();
    });
    return element("section", { id: "regions", "aria-labelledby": "regions-head" }, element("h2", { id: "regions-head" }, "Regions"), table(run),
        run.regions_left_out > 0 ? element("p", { class: "caution" }, `${run.regions_left_out} further regions had no room.`) : null,
        element("p", { class: "note" }, "Inclusive: energies of regions inside each other overlap. Over nodes they add up; where the energy of a node is not known, that of the region is not."),
        plot ? element("figure", { id: "region-power" }, element("figcaption", {}, "Power of the nodes while they are inside."),
            element("div", { class: "toolbar controls" }, element("label", {}, "Region ", pick)), plot.node,
            element("p", { class: "note" }, "Line: mean over the nodes inside, weighted with their time inside; band: minimum to maximum of those that are inside for at least half of a stretch.")) : null);
}
