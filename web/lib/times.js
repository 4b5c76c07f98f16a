// SPDX-License-Identifier: BSD-3-Clause
// Times on axes and in tooltips, as seconds or as hours, minutes and seconds.

// Distances between ticks: clock steps beyond a second.
export const TICKS = [
    ...Array.from({ length: 6 }, (_, i) => [1, 2, 5].map((k) => k * 10 ** (i - 6))).flat(),
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
    ...Array.from({ length: 5 }, (_, i) => [1, 2, 5].map((k) => k * 86400 * 10 ** i)).flat(),
];

const decimalsOf = (step) => Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));

// Zero has no sign: a first sample just before the window is at 0, not at -0.
const fixed = (seconds, step) => seconds.toFixed(decimalsOf(step)).replace(/^-(?=[0.]*$)/, "");

// Format a time where times differ by `step`. From two minutes on as h:mm:ss.
export function clock(seconds, step, longest) {
    const all = fixed(seconds, step);
    if (longest < 120) {
        return all;
    }
    const sign = all.startsWith("-") ? "-" : "";
    const text = all.slice(sign.length);
    const [whole, fraction] = text.split(".");
    const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    const minutes = longest < 3600 ? String(m + 60 * h) : `${h}:${String(m).padStart(2, "0")}`;
    return `${sign}${minutes}:${String(s).padStart(2, "0")}${fraction ? `.${fraction}` : ""}`;
}

export function clockUnit(longest) {
    return longest < 120 ? "s" : longest < 3600 ? "min:s" : "h:min:s";
}

// "12.345 s", or "0:12:34.5 (754.5 s)" in a tooltip, where times differ by `step`.
export function instant(seconds, step, longest) {
    const plain = `${fixed(seconds, step)} s`;
    return longest < 120 ? plain : `${clock(seconds, step, longest)} (${plain})`;
}

// "2026-11-22 10:11:12 UTC" for nanoseconds since 1970
export function date(nanoseconds) {
    return new Date(nanoseconds / 1e6).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
