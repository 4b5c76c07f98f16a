// SPDX-License-Identifier: BSD-3-Clause
// The nodes: which stand out and by which rule, boxes, heat map, table.
import { element, number } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { sortableTable } from "../lib/sortable.js";
import { BOX_NOTE, boxPlot } from "./boxes.js";
import { heatFigure } from "./heat.js";
import { energy, known, nodesText, percent, power } from "./values.js";

const BOXES = 48;

function list(nodes) {
    const names = nodes.map((node) => node.name);
    return names.length > 16 ? `${names.slice(0, 16).join(", ")} and ${names.length - 16} more` : names.join(", ");
}

// The rules are those of src/analysis/cluster/run_profile.c.
function standing(run) {
    const of = (mark) => run.nodes.filter((node) => node.marks.includes(mark));
    const find = (name) => run.nodes.find((node) => node.name === name);
    const { least, median, most } = run.extremes;
    const extremes = [["lowest", "least", least], ["median", "median", median], ["highest", "most", most]].filter(([,, name]) => name).map(([word, extreme, name]) =>
        element("div", { class: "fact", "data-extreme": extreme }, element("dt", {}, `${word} power`), element("dd", {}, element("b", {}, name), find(name) ? `, ${power(find(name).mean_w)} W` : "")));
    const rule = (mark, text) => (of(mark).length > 0 ? element("li", { "data-mark": mark }, element("b", {}, mark), `: ${list(of(mark))} \u2014 ${text}`) : null);
    const rules = [
        rule("idle", `mean power below ${power(run.limits.idle_below_w)} W, 60 % of the median node`),
        rule("outlier", "mean power far from that of the others (generalized extreme Studentized deviate at 5 %, and more than 1 % from the median); idle nodes are not looked at"),
        rule("straggler", `ended more than ${duration(run.limits.late_s)} after the median node (3.5 robust standard deviations, 1 % of the run, two samples)`),
        rule("late begin", "began that long after the median node"),
        rule("not added", "an estimate among measured nodes"),
        rule("unfinished", "its trace was cut off or is damaged: what it holds so far"),
    ].filter(Boolean);
    const few = !known(run.limits.outlier_nodes);
    const none = few ? "No node is idle or late. Whether one is far from the others cannot be judged: that needs five nodes that are not idle."
        : "No node stands out: none is idle, far from the others or late.";
    if (few && rules.length > 0) {
        rules.push(element("li", { "data-mark": "not judged" }, "Whether a node is far from the others cannot be judged: that needs five nodes that are not idle."));
    }
    return [element("dl", { class: "facts" }, extremes), rules.length > 0 ? element("ul", { class: "marks" }, rules) : element("p", {}, none)];
}

// All if there are few; else those that stand out, the extremes, and some in between by power.
function chosen(run) {
    const rows = run.nodes.filter((node) => node.power_w.n > 0);
    if (rows.length <= BOXES) {
        return rows;
    }
    const must = new Set(rows.filter((node) => node.marks.length > 0 || Object.values(run.extremes).includes(node.name)).slice(0, BOXES / 2));
    const sorted = [...rows].sort((a, b) => a.mean_w - b.mean_w);
    const step = sorted.length / (BOXES - must.size);
    sorted.forEach((node, i) => Math.floor(i / step) !== Math.floor((i - 1) / step) && must.add(node));
    return sorted.filter((node) => must.has(node));
}

function table(run) {
    const columns = [
        { name: "node", key: (node) => node.name, cell: (node) => [node.name, node.marks.length > 0 ? ` (${node.marks.join(", ")})` : "",
            node.flags.length > 0 ? element("span", { class: "caution", title: node.flags.map((flag) => flag.text).join("\n") }, ` ${node.flags.map((flag) => flag.name.replaceAll("_", " ")).join(", ")}`) : null] },
        { name: "energy [J]", number: true, key: (node) => node.energy_j, cell: (node) => energy(node, { "data-node": node.name }) },
        { name: "mean [W]", number: true, key: (node) => node.mean_w, cell: (node) => number(node.mean_w, power(node.mean_w), { "data-what": "mean_w", "data-node": node.name }) },
        { name: "median [W]", number: true, key: (node) => node.power_w.median, cell: (node) => power(node.power_w.median) },
        { name: "5..95 % [W]", number: true, key: (node) => node.power_w.p95, cell: (node) => (node.power_w.n > 0 ? `${power(node.power_w.p5)}..${power(node.power_w.p95)}` : "unknown") },
        { name: "begin", number: true, key: (node) => node.begin_s, cell: (node) => duration(node.begin_s) },
        { name: "end", number: true, key: (node) => node.end_s, cell: (node) => duration(node.end_s) },
        { name: "gaps", number: true, key: (node) => node.gap_s, cell: (node) => (node.gap_s > 0 ? duration(node.gap_s) : "\u2013") },
        { name: "in MPI", number: true, key: (node) => node.mpi_share ?? -1, cell: (node) => (known(node.mpi_share) ? percent(node.mpi_share) : "\u2013") },
        { name: "clock", key: (node) => node.residual_s ?? -1, cell: (node) => (known(node.residual_s) ? `${node.clock} \u00b1 ${duration(node.residual_s)}` : node.clock) },
    ];
    const few = 200;
    const make = () => sortableTable("Nodes", columns, run.nodes);
    if (run.nodes.length <= few) {
        return element("details", { id: "node-table", open: run.nodes.length <= 32 }, element("summary", {}, `Table of ${nodesText(run.nodes.length)}`), make());
    }
    // A long table is created only when opened.
    const node = element("details", { id: "node-table" }, element("summary", {}, `Table of ${nodesText(run.nodes.length)}${run.nodes_left_out > 0 ? `, ${run.nodes_left_out} left out` : ""}`));
    node.addEventListener("toggle", () => node.open && !node.querySelector("table") && node.append(make()));
    return node;
}

// Every flag of every node, as text.
function flagsByNode(run) {
    const nodes = run.nodes.filter((node) => node.flags.length > 0);
    return nodes.length === 0 ? null : element("details", { id: "node-flags", open: nodes.length <= 8 },
        element("summary", {}, `Flags of ${nodesText(nodes.length)}`),
        element("ul", { class: "marks" }, nodes.map((node) => element("li", { "data-node": node.name }, element("b", {}, node.name),
            element("ul", {}, node.flags.map((flag) => element("li", { "data-flag": flag.name }, element("b", {}, flag.name.replaceAll("_", " ")), `: ${flag.text}`)))))));
}

export function nodesSection(run, view, reference) {
    const boxes = chosen(run);
    const rows = boxes.map((node) => ({ name: node.name, box: node.power_w, index: 0, class: node.marks.length > 0 ? "marked" : "" }));
    return element("section", { id: "nodes", "aria-labelledby": "nodes-head" }, element("h2", { id: "nodes-head" }, "Nodes"), standing(run),
        heatFigure(run, view),
        element("figure", { id: "node-boxes" }, element("figcaption", {}, `Power of ${boxes.length === run.node_count ? "each node" : `${boxes.length} of ${run.node_count} nodes`} over its time, and of all together. ${BOX_NOTE} Means over ${duration(run.fine_s)}.`),
            boxPlot([{ name: "all nodes", box: run.moments, index: 2 }, ...rows], reference, "Power of nodes")),
        table(run), flagsByNode(run));
}
