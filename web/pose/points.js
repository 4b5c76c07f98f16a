// SPDX-License-Identifier: BSD-3-Clause
// The code and the vertices on a chart: marks with letters, each with a line that shows its insight while highlighted.
import { symbol, symbolCircle, symbolDiamond, symbolSquare, symbolStar, symbolTriangle } from "d3-shape";
import { svg } from "../lib/element.js";
import { lights, thetaKey, vertexKey } from "./light.js";
import { thetaTip, vertexTip } from "./tips.js";
import { VERTICES } from "./document.js";
import { cautionSign } from "./values.js";
import { THETA } from "./words.js";

export const MARKS = [symbolCircle, symbolSquare, symbolDiamond, symbolTriangle];

export const mark = (type, size, attributes = {}) => svg("path", { class: "mark", d: symbol(type, size)(), ...attributes });

export const inBox = ([x, y], { left, right, top, bottom }) => x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;

// Letters of nearby points are moved apart along the line: upper ones to the left, lower ones to the right. Each point
// gets the position of its letter; of equal letters that would be side by side only the front metric's is shown.
function placeLetters(points, theta) {
    const apart = 15;
    const twin = (point) => points.some((other) => other.front && !point.front && other.letter === point.letter && Math.abs(other.at[0] - point.at[0]) < apart);
    const named = points.filter((point) => !twin(point));
    const besideTheta = ({ at }) => (Math.hypot(at[0] - theta[0], at[1] - theta[1]) < 22 ? 14 : 0);
    let last = Infinity;
    for (const point of named.filter(({ letter }) => "AB".includes(letter)).sort((a, b) => b.at[0] - a.at[0])) {
        last = Math.min(point.at[0] - 9 - besideTheta(point), last - apart);
        point.place = [last, point.at[1] - 8];
    }
    last = -Infinity;
    for (const point of named.filter(({ letter }) => "CDE".includes(letter)).sort((a, b) => a.at[0] - b.at[0])) {
        last = Math.max(point.at[0] + 9, last + apart);
        point.place = [last, point.at[1] + 17];
    }
}

// The visible vertices of all models: { model, front, letter, at, place }. D is the same point for all metrics: the
// front metric's is used.
export function placeVertices({ plot, state, subject }, models) {
    const points = models.flatMap((model) => {
        const front = model === subject.models[state.front];
        return VERTICES.filter((letter) => front || letter !== "D").map((letter) => ({ model, front, letter, at: plot.at(model.vertices[letter]) }));
    }).filter(({ at }) => inBox(at, plot.box));
    placeLetters(points, plot.at(subject.models[0].theta));
    return points;
}

// From the code to the vertex: along the axis on which the insight is measured.
function measure(theta, at, letter) {
    const [from, to] = letter === "D" || letter === "C" ? [theta, at] : [[theta[0], at[1]], at];
    return svg("g", { class: "measure" }, letter === "D" || letter === "C" ? null : svg("line", { class: "guide", x1: theta[0], y1: theta[1], x2: theta[0], y2: at[1] }),
        svg("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1] }));
}

// points: from placeVertices()
export function drawVertices(chart, model, points, several) {
    const { plot, state } = chart;
    const type = several ? MARKS[model.form.index % MARKS.length] : symbolCircle;
    const own = points.filter((point) => point.model === model);
    const theta = plot.at(model.theta);
    return svg("g", { class: `vertices${own[0]?.front ? "" : " behind"}` }, own.map(({ letter, at, place }) => {
        const [x, y] = place ?? at;
        const far = Math.abs(x - at[0]) > 14;
        const node = svg("g", { class: "vertex", "data-vertex": letter, "data-code": model.index },
            measure(theta, at, letter),
            far ? svg("line", { class: "leader", x1: at[0], y1: at[1], x2: x, y2: y - (letter < "C" ? -2 : 9) }) : null,
            svg("g", { transform: `translate(${at[0].toFixed(1)},${at[1].toFixed(1)})` }, svg("circle", { class: "hit", r: 13 }), mark(type, 62)),
            place ? svg("text", { x, y, "text-anchor": "middle", class: "letter", "aria-hidden": "true" }, letter) : null);
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
    svg("text", { x: at[0] + 12, y: at[1] - 9, class: "letter", "aria-hidden": "true" }, cautionSign(model.source) + THETA));
    const { nodes, label } = thetaTip(subject, model);
    lights(node, thetaKey(subject));
    return chart.items.add(node, { label, tip: nodes, place: () => at });
}
