// SPDX-License-Identifier: BSD-3-Clause
// The frame of a chart: scales, grid, ticks, titles.
import { svg } from "./element.js";

// From values low..high to pixels from..to; by: the function that is linear on the axis.
function scale([low, high], [from, to], by, back) {
    const [first, span] = [by(low), by(high) - by(low)];
    const place = (v) => (span === 0 ? (from + to) / 2 : from + ((by(v) - first) / span) * (to - from));
    place.invert = (at) => back(first + ((at - from) / (to - from)) * span);
    place.domain = [low, high];
    return place;
}

const linear = (values, pixels) => scale(values, pixels, (v) => v, (v) => v);
export const logarithmic = (values, pixels) => scale(values, pixels, Math.log, Math.exp);

// About `count` multiples of 1, 2 or 5 x 10^k: { values, text(value) }
export function linearTicks([low, high], count) {
    const raw = (high - low || Math.abs(high) || 1) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const part = raw / power;
    const step = power * (part > 7 ? 10 : part > 3.2 ? 5 : part > 1.4 ? 2 : 1);
    const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
    const decimals = Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
    const text = (v) => v.toFixed(decimals).replace("-", "\u2212").replace(/^\D?\d{4,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, "\u2009"));
    return { values: Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step), text };
}

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"]];

// The prefix that keeps numbers up to `most` short: [factor, prefix].
function prefixFor(most) {
    return PREFIXES.find(([factor]) => Math.abs(most) >= 2 * factor) ?? PREFIXES.at(-1);
}

// size: { width, height, left, right, top, bottom } in pixels; x, y: { low, high, title, unit, prefix (whether allowed)
// }. Returns { x, y, node, box }: scales from values to pixels, and the nodes to put into the svg.
export function frame(size, x, y) {
    const box = { left: size.left, right: size.width - size.right, top: size.top, bottom: size.height - size.bottom };
    const sx = linear([x.low, x.high], [box.left, box.right]);
    const sy = linear([y.low, y.high], [box.bottom, box.top]);
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

function ticks(place, axis, count, draw) {
    const [factor] = unitOf(axis);
    const { values, text } = linearTicks(place.domain.map((v) => v / factor), Math.max(2, count));
    return values.map((v) => draw(Math.round(place(v * factor) * 2) / 2, text(v)));
}

// The path text for points in pixels.
export const path = (points) => points.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)},${py.toFixed(1)}`).join("");
