// SPDX-License-Identifier: BSD-3-Clause
// Colours after Okabe and Ito, safe for colour-blind readers; page.css has them for light and dark. A series also has a
// dash.

const COLOURS = 8;
const DASHES = [[], [7, 3], [2, 2], [8, 3, 2, 3]];

const custom = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const colour = (name) => custom(`--${name}`);
export const seriesColour = (i) => custom(`--series-${i % COLOURS}`);
export const seriesDash = (i) => DASHES[(i + Math.floor(i / COLOURS)) % DASHES.length];

// "#rrggbb" with an alpha
export function faint(hex, alpha) {
    return `${hex}${Math.round(alpha * 255).toString(16).padStart(2, "0")}`;
}

// Black or white, whichever has more contrast on the colour.
export function inkOn(hex) {
    const [r, g, b] = [1, 3, 5].map((i) => (parseInt(hex.slice(i, i + 2), 16) / 255) ** 2.2);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.22 ? "#000000" : "#ffffff";
}
