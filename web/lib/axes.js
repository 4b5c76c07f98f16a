// SPDX-License-Identifier: BSD-3-Clause
// The frame of a chart: linear scales, grid, ticks, titles.
import { scaleLinear } from "d3-scale";
import { svg } from "./element.js";

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"]];

// The prefix in which numbers up to `most` are short: [factor, prefix].
function prefixFor(most) {
    return PREFIXES.find(([factor]) => Math.abs(most) >= 2 * factor) ?? PREFIXES.at(-1);
}

// size: { width, height, left, right, top, bottom } in pixels; x, y: { low, high, title, unit, prefix (may it have one) }.
// { x, y, node, box }: scales from values to pixels, and what is to be put into the svg.
export function frame(size, x, y) {
    const box = { left: size.left, right: size.width - size.right, top: size.top, bottom: size.height - size.bottom };
    const sx = scaleLinear([x.low, x.high], [box.left, box.right]);
    const sy = scaleLinear([y.low, y.high], [box.bottom, box.top]);
    const node = svg("g", { class: "axes", "aria-hidden": "true" },
        ticks(sx, x, (box.right - box.left) / 85, (at, text) => [
            svg("line", { class: "grid", x1: at, x2: at, y1: box.top, y2: box.bottom }),
            svg("text", { x: at, y: box.bottom + 17, "text-anchor": "middle" }, text)]),
        ticks(sy, y, (box.bottom - box.top) / 55, (at, text) => [
            svg("line", { class: "grid", x1: box.left, x2: box.right, y1: at, y2: at }),
            svg("text", { x: box.left - 7, y: at + 4, "text-anchor": "end" }, text)]),
        svg("text", { class: "axis-title", x: box.right, y: size.height - 4, "text-anchor": "end" }, titleOf(x)),
        svg("text", { class: "axis-title", x: 2, y: 13 }, titleOf(y)));
    return { x: sx, y: sy, node, box };
}

function unitOf({ prefix, low, high, unit }) {
    const [factor, letter] = prefix ? prefixFor(Math.max(Math.abs(low), Math.abs(high))) : [1, ""];
    return [factor, unit ? `${letter}${unit}` : ""];
}

function titleOf(axis) {
    const [, unit] = unitOf(axis);
    return unit ? `${axis.title} [${unit}]` : axis.title;
}

function ticks(scale, axis, count, draw) {
    const [factor] = unitOf(axis);
    const inUnits = scaleLinear(scale.domain().map((v) => v / factor), scale.range());
    const places = inUnits.ticks(Math.max(2, count));
    const text = inUnits.tickFormat(Math.max(2, count));
    return places.map((v) => draw(Math.round(inUnits(v) * 2) / 2, text(v).replaceAll(",", "\u2009")));
}

// Pixels to the text of a path.
export const path = (points) => points.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)},${py.toFixed(1)}`).join("");
