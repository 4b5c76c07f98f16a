// SPDX-License-Identifier: BSD-3-Clause
// Box plots of power: the middle half with its median, whiskers from 5 to 95 %, the extremes as points, the mean as a
// cross; and a reference line.
import { frame } from "../lib/axes.js";
import { element, svg } from "../lib/element.js";
import { fitted } from "../lib/fitted.js";
import { power } from "./values.js";

const [ROW, MOST_WIDE] = [26, 860];

const words = (row) => `${row.name}: median ${power(row.box.median)} W, middle half ${power(row.box.q1)}..${power(row.box.q3)}, 5 to 95 % ${power(row.box.p5)}..${power(row.box.p95)}, all ${power(row.box.min)}..${power(row.box.max)}, mean ${power(row.box.mean)}`;

function box(row, x, y) {
    const { box: b } = row;
    const line = (from, to, extra = {}) => svg("line", { x1: x(from), x2: x(to), y1: y, y2: y, ...extra });
    const cap = (at, half) => svg("line", { x1: x(at), x2: x(at), y1: y - half, y2: y + half });
    const rect = svg("rect", { x: x(b.q1), y: y - 7, width: Math.max(1, x(b.q3) - x(b.q1)), height: 14 });
    rect.style.fill = `var(--series-${row.index % 8})`;
    return svg("g", { class: `box ${row.class ?? ""}`, "data-box": row.name }, svg("title", {}, words(row)),
        line(b.p5, b.q1), line(b.q3, b.p95), cap(b.p5, 4), cap(b.p95, 4), rect,
        svg("line", { class: "median", x1: x(b.median), x2: x(b.median), y1: y - 7, y2: y + 7 }),
        svg("path", { class: "mean", d: `M${x(b.mean) - 3},${y - 3}l6,6m0,-6l-6,6` }),
        [b.min, b.max].map((at) => svg("circle", { cx: x(at), cy: y, r: 1.8 })));
}

// rows: { name, box (a description), index (of its colour) }; reference in W or null
export function boxPlot(rows, reference, label) {
    const shown = rows.filter((row) => row.box.n > 0);
    if (shown.length === 0) {
        return element("p", {}, "No power is known.");
    }
    return fitted((width) => draw(shown, reference, label, width), MOST_WIDE, { role: "region", "aria-label": label });
}

function draw(shown, reference, label, width) {
    const all = [...shown.flatMap((row) => [row.box.min, row.box.max]), ...(reference === null ? [] : [reference])];
    const room = (Math.max(...all) - Math.min(...all)) * 0.04 || 1;
    const longest = Math.max(...shown.map((row) => row.name.length));
    const left = Math.min(260, Math.round(width * 0.4), 16 + longest * 7);
    const size = { width, height: (reference === null ? 52 : 66) + ROW * shown.length, left, right: 16, top: reference === null ? 8 : 22, bottom: 40 };
    const { x, node } = frame(size, { low: Math.max(0, Math.min(...all) - room), high: Math.max(...all) + room, title: "Power of a node", unit: "W" },
        { low: 0, high: 1, title: "" });
    node.querySelectorAll("text[text-anchor='end']:not(.axis-title), line.grid[y1][y2]").forEach((part) => {
        if (part.tagName === "text" || part.getAttribute("y1") === part.getAttribute("y2")) {
            part.remove(); // the rows have names, not numbers
        }
    });
    const y = (i) => size.top + ROW * (i + 0.5);
    const cut = Math.max(8, Math.floor((left - 16) / 7));
    const names = shown.map((row, i) => svg("text", { class: "row-name", x: left - 8, y: y(i) + 4, "text-anchor": "end" },
        svg("title", {}, row.name), row.name.length > cut ? `${row.name.slice(0, cut - 1)}\u2026` : row.name));
    const mark = reference === null ? [] : [svg("line", { class: "reference", x1: x(reference), x2: x(reference), y1: size.top, y2: size.height - size.bottom }),
        svg("text", { class: "reference-name", x: x(reference), y: size.top - 6, "text-anchor": x(reference) > size.width - 40 ? "end" : "middle" }, `${power(reference)} W`)];
    return svg("svg", { class: "boxes", viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": `${label}. ${shown.slice(0, 20).map(words).join("; ")}` },
        node, mark, names, shown.map((row, i) => box(row, x, y(i))));
}

export const BOX_NOTE = "Box: the middle half, with the median; whiskers: 5 to 95 %; points: minimum and maximum; cross: mean.";
