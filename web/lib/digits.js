// SPDX-License-Identifier: BSD-3-Clause
// Numbers with as many digits as their interval supports, by the rules of src/report/digits.h, so that page and
// terminal agree. null and NaN are unknown.

const unknown = (x) => x === null || x === undefined || Number.isNaN(x);

// Digits after the point, negative = zeros before it, for `count` significant digits of x > 0.
function decimalsOf(x, count) {
    let exponent = Math.floor(Math.log10(x));
    const unit = 10 ** (exponent - count + 1);
    if (Math.round(x / unit) * unit >= 10 ** (exponent + 1) * (1 - 1e-12)) {
        exponent++;
    }
    return count - 1 - exponent;
}

// Like printf: a tie goes to the even digit, where toFixed() rounds up.
export function fixed(value, decimals) {
    const text = value.toFixed(decimals);
    const exact = value.toFixed(Math.min(100, decimals + 30)).slice(-30);
    const odd = "13579".includes(text.at(-1));
    if (decimals > 70 || !/^50*$/.test(exact) || !odd) {
        return text;
    }
    return (value - Math.sign(value) * 0.25 * 10 ** -decimals).toFixed(decimals);
}

// Like printf's %.*g.
export function general(value, precision) {
    const [mantissa, exponent] = value.toExponential(precision - 1).split("e");
    if (exponent >= -4 && exponent < precision) {
        return String(Number(value.toPrecision(precision)));
    }
    return `${Number(mantissa)}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

function rounded(value, decimals) {
    if (decimals > 9) {
        return general(value, 3);
    }
    if (decimals < 0) {
        const unit = 10 ** -decimals;
        value = Math.round(value / unit) * unit;
        decimals = 0;
    }
    if (Math.abs(value) >= 1e12) {
        return general(value, 6);
    }
    return fixed(Math.abs(value) < 0.5 * 10 ** -decimals ? 0 : value, decimals);
}

function decimalsFor(value, half) {
    if (half > 0 && Number.isFinite(half)) {
        return decimalsOf(half, 2);
    }
    if (value === 0) {
        return 0;
    }
    return decimalsOf(Math.abs(value), half === 0 ? 6 : 3);
}

// Rounded to the second significant digit of its half width. If the half width is unknown: three digits. 0: six.
export function digits(value, half = NaN) {
    if (unknown(value)) {
        return "unknown";
    }
    const decimals = decimalsFor(value, half);
    const most = value === 0 ? 0 : decimalsOf(Math.abs(value), 6);
    return rounded(value, value !== 0 && decimals > most ? most : decimals);
}

// "1234.57 ± 0.23"; "1230" if the half width is unknown.
export function interval(value, half) {
    if (unknown(value) || !(half > 0) || !Number.isFinite(half)) {
        return digits(value, half);
    }
    let decimals = decimalsFor(value, half);
    const most = value === 0 ? decimals : decimalsOf(Math.abs(value), 6);
    if (decimals > most + 1) {
        decimals = most;
        half = 10 ** -decimals;
    }
    return `${rounded(value, decimals)} \u00b1 ${rounded(half, decimals)}`;
}

// "810 (450..1390)": an estimate between low and high.
export function range(value, low, high) {
    if (unknown(value) || unknown(low) || unknown(high)) {
        return digits(value);
    }
    const decimals = decimalsFor(value, (high - low) / 2);
    return `${rounded(value, decimals)} (${rounded(low, decimals)}..${rounded(high, decimals)})`;
}

const PREFIXES = ["p", "n", "\u00b5", "m", "", "k", "M", "G", "T"];

// With a prefix, to be followed by a unit: "1.10 \u00b5", "909 k", "12.3 ".
export function si(value, half = NaN) {
    if (unknown(value) || value === 0) {
        return `${digits(value, half)} `;
    }
    let step = 4;
    for (; Math.abs(value) >= 999.5 && step < 8; step++) {
        value /= 1000;
        half /= 1000;
    }
    for (; Math.abs(value) < 0.9995 && step > 0; step--) {
        value *= 1000;
        half *= 1000;
    }
    const enough = !(half < Math.abs(value) * 0.005);
    return `${digits(value, enough ? half : NaN)} ${PREFIXES[step]}`;
}

// A product that may be tiny: with a prefix below 0.001.
export function product(value, half) {
    const most = unknown(half) ? NaN : Math.min(half, Math.abs(value));
    if (!unknown(value) && value !== 0 && Math.abs(value) < 1e-3) {
        return si(value, most);
    }
    return `${digits(value, most)} `;
}

// Two to three digits, for extremes of power.
export function short(value) {
    return unknown(value) ? "?" : fixed(value, Math.abs(value) < 9.95 ? 1 : 0);
}

// A duration in seconds in a suitable unit, with three digits.
export function duration(seconds) {
    if (unknown(seconds)) {
        return "unknown";
    }
    if (seconds === 0) {
        return "0 s";
    }
    const units = [[0.9995, 1, "s"], [0.9995e-3, 1e3, "ms"], [0.9995e-6, 1e6, "\u00b5s"], [0, 1e9, "ns"]];
    const [, factor, unit] = units.find(([least]) => Math.abs(seconds) >= least);
    const decimals = decimalsOf(Math.abs(seconds * factor), 3);
    return `${rounded(seconds * factor, Math.max(0, decimals))} ${unit}`;
}

export function bytes(value) {
    if (unknown(value)) {
        return "unknown";
    }
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let step = 0;
    for (; step < 4 && value >= 999.5; step++) {
        value /= 1024;
    }
    return `${fixed(value, step > 0 && value < 9.95 ? 1 : 0)} ${units[step]}`;
}
