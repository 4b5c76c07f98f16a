// SPDX-License-Identifier: BSD-3-Clause
// Values of runs with their intervals and their quality.
import { number } from "../lib/element.js";
import { digits, interval, range, si } from "../lib/digits.js";

export const known = (x) => x !== null && x !== undefined && !Number.isNaN(x);

// For an estimate "13 (4..47)", else "13.2 \u00b1 0.4"; if a node is unknown, the value of the others: not a sum.
export function energy(of, attributes = {}) {
    if (!known(of.energy_j) && of.unknown_nodes > 0 && known(of.known_j)) {
        return number(of.known_j, `at least ${digits(of.known_j)}`, { "data-what": "known_j", ...attributes });
    }
    const text = known(of.high_j) ? range(of.energy_j, of.low_j, of.high_j) : interval(of.energy_j, of.resolution_interval_j ?? NaN);
    return number(of.energy_j, text, { "data-what": "energy_j", ...attributes });
}

// With a prefix for large values: "12.3 M".
export const joules = (value, half = NaN) => (known(value) ? si(value, half ?? NaN) : "unknown ");

// Watts with a useful number of digits.
export const power = (value) => (!known(value) ? "unknown" : Math.abs(value) < 10 ? value.toFixed(2) : Math.abs(value) < 1000 ? value.toFixed(1) : value.toFixed(0));

// Numbers of a power axis, with the unit that keeps them short.
export function powerAxis(u, at) {
    const most = Math.max(...at.map(Math.abs), 0);
    const [factor, unit] = most >= 2e6 ? [1e6, "MW"] : most >= 2e3 ? [1e3, "kW"] : [1, "W"];
    return at.map((w) => `${Number((w / factor).toPrecision(6))} ${unit}`);
}

export const nodesText = (n) => `${n} node${n === 1 ? "" : "s"}`;

export const percent = (part) => (known(part) ? `${(100 * part).toFixed(Math.abs(part) < 0.0995 ? 1 : 0)} %` : "unknown");

// Mean over repeats with its interval, if there are enough of them.
export function mean(spread, attributes = {}) {
    const text = known(spread.ci95) ? interval(spread.mean, spread.ci95) : digits(spread.mean);
    return number(spread.mean, text, attributes);
}
