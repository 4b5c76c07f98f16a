// SPDX-License-Identifier: BSD-3-Clause
// Candidates on a chart: a mark for each, with a shape for its region; their path along the parameter, and the Pareto
// front.
import { symbolCircle, symbolDiamond, symbolTimes, symbolTriangle } from "d3-shape";
import { svg } from "../lib/element.js";
import { path } from "../lib/axes.js";
import { candidateKey, lights } from "./light.js";
import { mark } from "./points.js";
import { candidateTip } from "./tips.js";
import { known } from "./values.js";

const MOST_NAMED = 14;
const SHAPES = { 1: symbolTriangle, 2: symbolCircle, 3: symbolDiamond, 4: symbolTimes };

export const regionMark = (n, size = 70) => mark(SHAPES[n] ?? symbolCircle, size, { class: `mark region-mark region-${n}` });

export const candidatesOf = (model) => model.candidates ?? [];

// A line through the front, from the fastest to the one with the least energy; another from value to value of the
// parameter.
export function drawFront(chart, model) {
    const list = candidatesOf(model);
    const along = list.filter(({ parameter }) => known(parameter)).sort((a, b) => a.parameter - b.parameter);
    const better = (a, b) => a.t_s <= b.t_s && a.e_j <= b.e_j && (a.t_s < b.t_s || a.e_j < b.e_j);
    const { theta } = model;
    const front = [...list.filter(({ on_front }) => on_front), ...(list.some((one) => better(one, theta)) ? [] : [theta])].sort((a, b) => a.t_s - b.t_s);
    return svg("g", { class: "ways", "clip-path": chart.plot.clip, "aria-hidden": "true" },
        along.length > 1 ? svg("path", { class: "way", d: path(along.map(chart.plot.at)) }) : null,
        list.length > 1 && front.length > 1 ? svg("path", { class: "front", d: path(front.map(chart.plot.at)) }) : null);
}

export function drawCandidates(chart, model) {
    const list = candidatesOf(model);
    const { plot } = chart;
    return svg("g", { class: "candidates" }, list.map((candidate, i) => {
        const at = plot.at(candidate);
        const name = shorten(candidate.label);
        const left = at[0] + 8 + name.length * 6.5 > plot.box.right;
        const node = svg("g", { class: `candidate${candidate.on_front ? " on-front" : ""}`, "data-candidate": i },
            svg("g", { transform: `translate(${at[0].toFixed(1)},${at[1].toFixed(1)})` }, svg("circle", { class: "hit", r: 12 }), regionMark(candidate.region)),
            list.length > MOST_NAMED || plot.narrow ? null : svg("text", { class: "label", x: at[0] + (left ? -8 : 8), y: at[1] - 5, "text-anchor": left ? "end" : null,
                "aria-hidden": "true" }, name));
        const { nodes, label } = candidateTip(model, candidate, chart.parameter);
        lights(node, candidateKey(i));
        return chart.items.add(node, { label, tip: nodes, place: () => at });
    }));
}

function shorten(text) {
    const letters = [...text];
    return letters.length > 22 ? `${letters.slice(0, 21).join("")}\u2026` : text;
}
