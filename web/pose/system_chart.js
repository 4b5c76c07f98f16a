// SPDX-License-Identifier: BSD-3-Clause
// The system summary as charts: the power range of each machine, and a bar for each bound from 1 (nothing to gain) to its ratio.
import { frame } from "../lib/axes.js";
import { element, svg } from "../lib/element.js";
import { fitted } from "../lib/fitted.js";
import { known, plain, times } from "./values.js";
import { INSIGHTS } from "./words.js";

const [BAR, GAP, MOST_WIDE] = [13, 16, 860];
const NUMBERS = 110; // pixels that two powers take; without them the table has the numbers
const NAMES = Object.keys(INSIGHTS);
const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

// A chart of rows, `tall` pixels each: bars(row, x, top) draws one.
function chart(rows, names, width, { tall, x: axis, bars, label }) {
    const left = Math.min(Math.round(width * 0.4), 16 + 7 * Math.max(...names.map((name) => name.length)));
    const size = { width, height: 48 + tall * rows.length, left, right: 20, top: 6, bottom: 42 };
    const { x, node } = frame(size, axis, { low: 0, high: 1, title: "" });
    // The rows have names instead of numbers.
    node.querySelectorAll("text[text-anchor='end']:not(.axis-title)").forEach((part) => part.remove());
    node.querySelectorAll("line.grid").forEach((line) => line.getAttribute("y1") === line.getAttribute("y2") && line.remove());
    return svg("svg", { class: "system-chart", viewBox: `0 0 ${width} ${size.height}`, role: "img", "aria-label": label }, node, rows.map((row, i) => [
        svg("text", { class: "row-name", x: left - 8, y: size.top + tall * (i + 0.5) + 4, "text-anchor": "end" }, svg("title", {}, names[i]), cut(names[i], Math.floor((left - 8) / 7))),
        bars(row, x, size.top + tall * i)].flat(Infinity)));
}

function bar(x, from, to, y, index, text) {
    const rect = svg("rect", { x: x(from), y: y + 1, width: Math.max(1, x(to) - x(from)), height: BAR - 2 });
    rect.style.fill = `var(--series-${index % 8})`;
    return [rect, svg("text", { x: x(to) + 5, y: y + BAR - 3 }, text)];
}

export function systemChart(rows, names) {
    const ratios = rows.flatMap((row) => NAMES.map((name) => row[name])).filter(known);
    const most = Math.max(1.1, ...ratios);
    const watts = Math.max(...rows.map(({ pmax_w }) => pmax_w));
    const powers = { tall: BAR + GAP, label: rows.map((row, i) => `${names[i]}: ${plain(row.pmin_w)} to ${plain(row.pmax_w)} W`).join("; "),
        x: { low: 0, high: 1.35 * watts, title: "Power, Pmin to Pmax", unit: "W" },
        bars: (row, x, top) => bar(x, row.pmin_w, row.pmax_w, top + GAP / 2, 6, x(1.35 * watts) - x(row.pmax_w) > NUMBERS ? `${plain(row.pmin_w)} to ${plain(row.pmax_w)}` : "") };
    const bounds = { tall: NAMES.length * BAR + GAP, label: rows.map((row, i) => `${names[i]}: ${NAMES.map((name) => `${INSIGHTS[name].name} ${known(row[name]) ? times(row[name]) : "depends on run time"}`).join(", ")}`).join("; "),
        x: { low: 1, high: 1 + 1.35 * (most - 1), title: "Ratio of before to after, at most", unit: "\u00d7" },
        bars: (row, x, top) => NAMES.map((name, k) => bar(x, 1, known(row[name]) ? row[name] : 1, top + GAP / 2 + k * BAR, k, known(row[name]) ? times(row[name]) : "depends on run time")) };
    const key = NAMES.map((name, k) => {
        const square = element("span", { class: "square", "aria-hidden": "true" });
        square.style.background = `var(--series-${k % 8})`;
        return [element("span", { class: "key" }, square, ` ${INSIGHTS[name].name}`), " "];
    });
    return element("figure", { id: "system-chart" }, fitted((width) => chart(rows, names, width, powers), MOST_WIDE),
        element("p", { class: "keys" }, key), fitted((width) => chart(rows, names, width, bounds), MOST_WIDE));
}
