// SPDX-License-Identifier: BSD-3-Clause
// A sample of a series' line for legends and tooltips, and the watts next to it.
import { svg } from "./element.js";
import { seriesDash } from "./palette.js";

export function swatch(index) {
    const line = svg("line", { x1: 0, y1: 5, x2: 26, y2: 5, "stroke-width": 3, "stroke-dasharray": seriesDash(index).join(" ") || null });
    line.style.stroke = `var(--series-${index % 8})`;
    return svg("svg", { class: "swatch", width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true" }, line);
}

// Watts in a chart are for orientation: show only useful digits.
export const watts = (value) => (value === null || Number.isNaN(value) ? "unknown" : Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(1));
