// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a POSE model as text; <data> has all their digits.
import { number } from "../lib/element.js";
import { fixed, general, interval } from "../lib/digits.js";
import { cautionMark, isCaution, qualityBadge, qualityWord } from "../lib/quality.js";
import { INSIGHTS, TIMES } from "./words.js";

const ROUNDING = 1e-12; // a ratio this close to 1 is 1

export const known = (x) => x !== null && x !== undefined && !Number.isNaN(x);

// Values that are not measurements are marked: with a badge, or only with the sign in a picture. of: a source, or
// bounds
export const cautionBadge = (of) => (of && isCaution(qualityWord(of)) ? [" ", qualityBadge(qualityWord(of))] : null);
export const cautionSign = (of) => (of ? cautionMark(qualityWord(of)) : "");

function decimalsOf(scale) {
    const magnitude = scale > 0 ? Math.floor(Math.log10(scale)) : 0;
    return magnitude >= 8 ? 0 : magnitude >= 1 ? 2 : magnitude < -5 ? 8 : 3 - magnitude;
}

// As printed in the terminal (wtl_pose_number() in src/report/pose/pose_text.c): two decimals, more if the scale is
// small.
export function plain(x, scale = Math.abs(x)) {
    return known(x) ? Math.abs(x) >= 1e12 ? general(x, 6) : fixed(x, decimalsOf(scale)) : "unknown";
}

export const times = (x) => `${x < 1e5 ? fixed(x, 2) : general(x, 3)}${TIMES}`;

export const value = (x, unit, what, code, scale) => [number(known(x) ? x : null, plain(x, scale), { "data-what": what, "data-code": code }), unit ? ` ${unit}` : ""];

// A parameter has the digits that were given.
export const parameter = (x, code) => number(x, general(x, 6), { "data-what": "parameter", "data-code": code });

// The unit of differences of M; unknown if alpha and beta hide it.
export function metricUnit({ kind, n }) {
    if (kind !== "Et^N") {
        return "";
    }
    return n === 0 ? "J" : `J s${n === 1 ? "" : [...String(n)].map((c) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[c] ?? "\u22c5").join("")}`;
}

const halfOf = (range) => (range ? (range[1] - range[0]) / 2 : 0);

// JSON has no infinity: without a minimum power, some insights are unbounded.
const missing = (model) => (model.pmin_w === 0 ? "no limit" : "unknown");

// The text for a bound that leaves nothing, with its interval (wtl_pose_nothing() in src/report/pose/pose_text.c);
// null: it leaves something.
export function nothingOf(model, name) {
    const { ratio, ratio_interval } = model.insights[name];
    const high = ratio_interval?.[1] ?? ratio;
    if (!known(high) || high >= 1 - ROUNDING) {
        return null;
    }
    return name === "guaranteed_speedup" || name === "dominating_speedup" ? "none needed" : "nothing";
}

function absoluteText(model, name, x) {
    const half = halfOf(model.insights[name].absolute_interval);
    if (!known(x) || half > 0) {
        return known(x) ? interval(x, half) : missing(model);
    }
    return name === "metric_improvement" ? general(x, 4) : plain(x, name === "energy_saved" ? model.theta.e_j : model.theta.t_s);
}

export function absoluteOf(model, name) {
    const x = model.insights[name][INSIGHTS[name].absolute];
    const unit = name === "metric_improvement" ? metricUnit(model.form) : INSIGHTS[name].unit;
    const nothing = nothingOf(model, name);
    return [number(x, nothing ?? absoluteText(model, name, x), { "data-what": `${name}.absolute`, "data-code": model.index }), unit && known(x) && !nothing ? ` ${unit}` : ""];
}

export function ratioOf(model, name, intervalToo = true) {
    const { ratio, ratio_interval } = model.insights[name];
    const half = intervalToo ? halfOf(ratio_interval) : 0;
    const text = known(ratio) ? half > 0 ? `${interval(ratio, half)} ${TIMES}` : times(ratio) : missing(model);
    return [number(ratio, text, { "data-what": `${name}.ratio`, "data-code": model.index })];
}

export const percent = (x) => (known(x) ? `${Math.round(x * 100)} %`.replace("-", "\u2212") : "\u2013");

// The text of what the functions above return.
export const textOf = (nodes) => [nodes].flat(3).filter(Boolean).map((node) => node.textContent ?? node).join("");
