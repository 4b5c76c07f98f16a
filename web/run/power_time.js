// SPDX-License-Identifier: BSD-3-Clause
// Power over time: the sum over nodes, or the spread of the nodes, of one part of the machine.
import { choice } from "../lib/choice.js";
import { element } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { pageKeys } from "../lib/gestures.js";
import { drawGaps } from "../lib/marks.js";
import { faint, seriesColour } from "../lib/palette.js";
import { columns, stretchAt } from "../lib/stretches.js";
import { isCaution, qualityBadge, qualityWord } from "../lib/quality.js";
import { isPrinting } from "../lib/theme.js";
import { TimePlot } from "../lib/time_plot.js";
import { power, powerAxis } from "./values.js";

const grid = (from, to, count) => Array.from({ length: count }, (_, i) => from + ((i + 0.5) * (to - from)) / count);

// A series of lib/stretches.js whose minima and maxima are other curves.
export const series = (run, mean, min = mean, max = mean) => ({ time: run.axis, mean, min, max });

// { series, bands, data } for uPlot: range, middle half, mean, median of the nodes.
function spreadPlot(run, curve, index) {
    const colour = () => seriesColour(index);
    const edge = (alpha) => ({ stroke: () => faint(seriesColour(index), alpha), width: 0.75, points: { show: false } });
    const rows = [series(run, curve.mean, curve.min, curve.max), series(run, curve.median, curve.q1, curve.q3)];
    return {
        series: [edge(0.5), edge(0.5), edge(0), edge(0), { stroke: colour, width: 2, points: { show: false } }, { stroke: colour, width: 1.2, dash: [5, 3], points: { show: false } }],
        bands: [{ series: [1, 2], fill: () => faint(seriesColour(index), 0.14) }, { series: [3, 4], fill: () => faint(seriesColour(index), 0.3) }],
        data: (from, to, count) => {
            const [all, half] = rows.map((row) => columns(row, from, to, count));
            return [grid(from, to, count), all.max, all.min, half.max, half.min, all.mean, half.mean];
        },
    };
}

function sumPlot(run, curve, index) {
    const row = series(run, curve.sum);
    return {
        series: [{ stroke: () => seriesColour(index), width: 2, fill: () => faint(seriesColour(index), 0.12), points: { show: false } }],
        bands: [],
        data: (from, to, count) => [grid(from, to, count), columns(row, from, to, count).mean],
    };
}

// Intervals in which nodes are missing that are known elsewhere: [{ begin_s, end_s }]
function thin(run, curve) {
    const most = Math.max(...curve.covered, 0);
    const out = [];
    curve.covered.forEach((n, k) => {
        const [begin_s, end_s] = [k * run.cell_s, (k + 1) * run.cell_s];
        if (n === most) {
            return;
        }
        out.length > 0 && Math.abs(out.at(-1).end_s - begin_s) < run.cell_s / 2 ? (out.at(-1).end_s = end_s) : out.push({ begin_s, end_s });
    });
    return out;
}

class Chart {
    constructor(run, view, state) {
        Object.assign(this, { run, view, state });
        this.plot = new TimePlot(view, {
            label: "Power over time, over nodes",
            height: () => (isPrinting() ? 260 : Math.max(260, Math.min(400, innerHeight * 0.45))),
            build: () => (state.sum ? sumPlot : spreadPlot)(run, this.curve, state.part),
            range: (low, high) => (low === null || !Number.isFinite(low) ? [0, 1] : [Math.min(0, low), Math.max(0, high) * 1.06 || 1]),
            axis: { values: powerAxis },
            under: (u) => drawGaps(u, thin(run, this.curve).map((gap) => ({ ...gap, rows: this.strip(u) }))),
            tip: (time) => this.words(time).map((text, i) => element("p", { class: i === 0 ? "tip-time" : null }, text)),
            spoken: (time) => this.words(time).join(", "),
        });
    }

    get curve() {
        return this.run.curves[this.state.part];
    }

    // Where nodes are missing: a strip at the bottom.
    strip(u) {
        const { top, height } = u.bbox;
        return [top + height * 0.96, top + height];
    }

    words(time) {
        const { run, curve } = this;
        const at = (values) => stretchAt(series(run, values), time)?.mean;
        const n = at(curve.covered) ?? 0;
        const head = [this.view.instant(time), `${curve.part}, ${n} of ${run.node_count} nodes known`];
        return n === 0 ? head : [...head, `sum ${power(at(curve.sum))} W, mean of a node ${power(at(curve.mean))} W`,
            `median ${power(at(curve.median))} W, half of the nodes ${power(at(curve.q1))}..${power(at(curve.q3))} W, all ${power(at(curve.min))}..${power(at(curve.max))} W`];
    }
}

function inWords(run) {
    return run.curves.map((curve) => {
        const best = curve.sum.reduce((at, w, k) => (Number.isNaN(w) || w <= (curve.sum[at] ?? -Infinity) ? at : k), 0);
        const least = Math.min(...curve.covered);
        return `${curve.part}: highest sum ${power(curve.sum[best])} W at ${duration(best * run.cell_s)}, of ${curve.covered[best]} nodes; at every moment at least ${least} of ${run.node_count} nodes are known`;
    });
}

function shownRange(view) {
    const button = (label, name, action) => element("button", { type: "button", "aria-label": name, title: name, click: action }, label);
    return element("span", { class: "choice" }, button("\u25c0", "Earlier", () => view.pan(-0.25)), button("+", "Zoom in", () => view.zoom(0.5)),
        button("\u2212", "Zoom out", () => view.zoom(2)), button("\u25b6", "Later", () => view.pan(0.25)), button("All", "Show all", () => view.reset()));
}

export function powerSection(run, view) {
    const state = { sum: true, part: 0 };
    const chart = new Chart(run, view, state);
    const word = qualityWord(run.parts[0]);
    pageKeys(view);
    const change = (what) => {
        Object.assign(state, what);
        node.dataset.sum = state.sum;
        chart.plot.rebuild();
    };
    const node = element("section", { id: "power", "aria-labelledby": "power-head", "data-sum": "true" },
        element("h2", { id: "power-head" }, "Power over time"),
        element("div", { class: "toolbar controls", role: "toolbar", "aria-label": "Power over time" },
            choice("Over nodes", [["Sum", true], ["Each node", false]], true, (sum) => change({ sum })),
            run.curves.length > 1 ? choice("Part", run.curves.map((curve, i) => [curve.part, i]), 0, (part) => change({ part })) : null,
            shownRange(view)),
        element("p", { class: "hint controls" }, "Drag to zoom, double-click to see all. Keys: W S zoom, A D move, 0 all."),
        element("p", { class: "note" }, "Power [W]", isCaution(word) ? [" ", qualityBadge(word)] : null),
        chart.plot.node,
        element("p", { class: "note for-sum" }, "The sum includes the nodes whose power is known at that time; the others are missing, not zero. Hatching at the bottom marks times when nodes are missing."),
        element("p", { class: "note for-each" }, `Line: mean over nodes; dashed: median; dark band: the middle half of the nodes; light band: from minimum to maximum. Means over ${duration(run.cell_s)}.`),
        element("details", { class: "words" }, element("summary", {}, "In words"), element("ul", {}, inWords(run).map((text) => element("li", {}, text)))));
    return node;
}
