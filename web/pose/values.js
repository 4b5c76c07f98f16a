// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a POSE model as text; all their digits stand in <data>.
import { number } from "../lib/element.js";
import { digits, range } from "../lib/digits.js";
import { INSIGHTS, TIMES } from "./words.js";

export const known = (x) => x !== null && x !== undefined && !Number.isNaN(x);

// What was typed, or measured: six digits, without zeros that say nothing.
export function plain(x) {
    const text = digits(x, 0);
    return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

export const value = (x, unit, what, code) => [number(known(x) ? x : null, plain(x), { "data-what": what, "data-code": code }), unit ? ` ${unit}` : ""];

function within(x, interval) {
    return interval ? range(x, ...interval) : digits(x);
}

// The unit of M's differences; unknown where alpha and beta have hidden it.
export function metricUnit({ kind, n }) {
    if (kind !== "Et^N") {
        return "";
    }
    return n === 0 ? "J" : `J s${n === 1 ? "" : [...String(n)].map((c) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[c] ?? "\u22c5").join("")}`;
}

export function absoluteOf(model, name) {
    const insight = model.insights[name];
    const unit = name === "metric_improvement" ? metricUnit(model.form) : INSIGHTS[name].unit;
    const x = insight[INSIGHTS[name].absolute];
    return [number(x, within(x, insight.absolute_interval), { "data-what": `${name}.absolute`, "data-code": model.index }), unit ? ` ${unit}` : ""];
}

export function ratioOf(model, name) {
    const insight = model.insights[name];
    return [number(insight.ratio, `${within(insight.ratio, insight.ratio_interval)}${known(insight.ratio) ? TIMES : ""}`,
        { "data-what": `${name}.ratio`, "data-code": model.index })];
}

export const times = (x) => `${digits(x)}${TIMES}`;
export const percent = (x) => (known(x) ? `${Math.round(x * 100)} %` : "\u2013");

// The text of what the functions above return.
export const textOf = (nodes) => [nodes].flat(3).filter(Boolean).map((node) => node.textContent ?? node).join("");
