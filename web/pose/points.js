// SPDX-License-Identifier: BSD-3-Clause
// The code and the vertices on a chart: marks with letters, each with a line that shows its insight while it is lit.
import { symbol, symbolCircle, symbolDiamond, symbolSquare, symbolStar, symbolTriangle } from "d3-shape";
import { svg } from "../lib/element.js";
import { lights, thetaKey, vertexKey } from "./light.js";
import { thetaTip, vertexTip } from "./tips.js";
import { VERTICES } from "./document.js";
import { THETA } from "./words.js";

export const MARKS = [symbolCircle, symbolSquare, symbolDiamond, symbolTriangle];

export const mark = (type, size, attributes = {}) => svg("path", { class: "mark", d: symbol(type, size)(), ...attributes });

const inBox = ([x, y], { left, right, top, bottom }) => x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;

// Letters of points that lie close go apart along the line: upper ones to the left, lower ones to the right.
function letterPlaces(points) {
    const places = {};
    const apart = 15;
    const upper = points.filter(({ letter }) => "AB".includes(letter)).sort((a, b) => b.at[0] - a.at[0]);
    const lower = points.filter(({ letter }) => "CDE".includes(letter)).sort((a, b) => a.at[0] - b.at[0]);
    let last = Infinity;
    for (const { letter, at } of upper) {
        last = Math.min(at[0] - 9, last - apart);
        places[letter] = [last, at[1] - 8];
    }
    last = -Infinity;
    for (const { letter, at } of lower) {
        last = Math.max(at[0] + 9, last + apart);
        places[letter] = [last, at[1] + 17];
    }
    return places;
}

// From the code to the vertex: along the axis in which the insight is measured.
function measure(theta, at, letter) {
    const [from, to] = letter === "D" || letter === "C" ? [theta, at] : [[theta[0], at[1]], at];
    return svg("g", { class: "measure" }, letter === "D" || letter === "C" ? null : svg("line", { class: "guide", x1: theta[0], y1: theta[1], x2: theta[0], y2: at[1] }),
        svg("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1] }));
}

export function drawVertices(chart, model, several) {
    const { plot, state } = chart;
    const type = several ? MARKS[model.form.index % MARKS.length] : symbolCircle;
    const shown = VERTICES.map((letter) => ({ letter, at: plot.at(model.vertices[letter]) })).filter(({ at }) => inBox(at, plot.box));
    const places = letterPlaces(shown);
    const front = model === chart.subject.models[state.front];
    const theta = plot.at(model.theta);
    return svg("g", { class: `vertices${front ? "" : " behind"}` }, shown.map(({ letter, at }) => {
        const [x, y] = places[letter];
        const far = Math.abs(x - at[0]) > 14;
        const node = svg("g", { class: "vertex", "data-vertex": letter, "data-code": model.index },
            measure(theta, at, letter),
            far ? svg("line", { class: "leader", x1: at[0], y1: at[1], x2: x, y2: y - (letter < "C" ? -2 : 9) }) : null,
            svg("g", { transform: `translate(${at[0].toFixed(1)},${at[1].toFixed(1)})` }, svg("circle", { class: "hit", r: 13 }), mark(type, 62)),
            svg("text", { x, y, "text-anchor": "middle", class: "letter", "aria-hidden": "true" }, letter));
        if (several) {
            node.style.setProperty("--stroke", `var(--series-${state.colour(model)})`);
        }
        const { nodes, label } = vertexTip(model, letter, several);
        lights(node, vertexKey(model, letter));
        return chart.items.add(node, { label, tip: nodes, place: () => at });
    }));
}

export function drawTheta(chart, model) {
    const { plot, subject } = chart;
    const at = plot.at(model.theta);
    const node = svg("g", { class: "theta", "data-code": model.index }, svg("g", { transform: `translate(${at[0].toFixed(1)},${at[1].toFixed(1)})` },
        svg("circle", { class: "hit", r: 14 }), mark(symbolStar, 150)),
    svg("text", { x: at[0] + 12, y: at[1] - 9, class: "letter", "aria-hidden": "true" }, THETA));
    const { nodes, label } = thetaTip(subject, model);
    lights(node, thetaKey(subject));
    return chart.items.add(node, { label, tip: nodes, place: () => at });
}
