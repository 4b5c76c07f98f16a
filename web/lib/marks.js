// SPDX-License-Identifier: BSD-3-Clause
// Drawn on a plot in addition to its series: hatched gaps, shaded time outside the window, names at the ends of lines.
import { fit } from "./fit.js";
import { colour, faint } from "./palette.js";

const SCALE = devicePixelRatio; // from pixel_ratio.js
let hatched = null; // { ink, pattern }

function hatch(context) {
    const ink = colour("gap");
    if (hatched?.ink === ink) {
        return hatched.pattern;
    }
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8 * SCALE;
    const t = tile.getContext("2d");
    t.strokeStyle = ink;
    t.lineWidth = 1.2 * SCALE;
    t.beginPath();
    for (const offset of [-8, 0, 8]) {
        t.moveTo((offset - 1) * SCALE, 9 * SCALE);
        t.lineTo((offset + 9) * SCALE, -1 * SCALE);
    }
    t.stroke();
    hatched = { ink, pattern: context.createPattern(tile, "repeat") };
    return hatched.pattern;
}

// rows: [top, bottom] in canvas pixels, or the whole plot
function stripe(u, begin, end, least, rows = null) {
    const { left, width } = u.bbox;
    const [top, bottom] = rows ?? [u.bbox.top, u.bbox.top + u.bbox.height];
    const from = Math.max(left, u.valToPos(begin, "x", true));
    const to = Math.min(left + width, u.valToPos(end, "x", true));
    const wide = Math.max(to - from, least);
    if (to >= left && from <= left + width) {
        u.ctx.fillRect(Math.min(from, left + width - wide), top, wide, bottom - top);
    }
}

// gaps: { begin_s, end_s, rows }; at least two pixels wide, or they would be invisible in an hour.
export function drawGaps(u, gaps) {
    u.ctx.save();
    u.ctx.fillStyle = hatch(u.ctx);
    for (const gap of gaps) {
        stripe(u, gap.begin_s, gap.end_s, 2 * SCALE, gap.rows);
    }
    u.ctx.restore();
}

// What was recorded before and after the window does not count.
export function drawOutside(u, window) {
    if (!window) {
        return;
    }
    u.ctx.save();
    u.ctx.fillStyle = colour("outside");
    stripe(u, -1e12, window[0], 0);
    stripe(u, window[1], 1e12, 0);
    u.ctx.restore();
}

// The selected stretch: its ends, and a tint between them.
export function drawStretch(u, { begin, end }) {
    u.ctx.save();
    u.ctx.fillStyle = faint(colour("focus"), 0.14);
    stripe(u, begin, end, 2 * SCALE);
    u.ctx.fillStyle = colour("focus");
    stripe(u, begin, begin, 2 * SCALE);
    stripe(u, end, end, 2 * SCALE);
    u.ctx.restore();
}

// A short line at the top for each instant.
export function drawInstants(u, times) {
    const { left, top, width } = u.bbox;
    u.ctx.save();
    u.ctx.fillStyle = colour("ink-soft");
    for (const time of times) {
        const x = u.valToPos(time, "x", true);
        if (x >= left && x <= left + width) {
            u.ctx.beginPath();
            u.ctx.moveTo(x - 4 * SCALE, top - 6 * SCALE);
            u.ctx.lineTo(x + 4 * SCALE, top - 6 * SCALE);
            u.ctx.lineTo(x, top + 2 * SCALE);
            u.ctx.fill();
        }
    }
    u.ctx.restore();
}

const LINE = 14 * SCALE;

// Labels next to the right end: { y (canvas pixels), text, colour }, moved apart to avoid overlap.
export function drawEndLabels(u, labels) {
    const { left, top, width, height } = u.bbox;
    const room = u.ctx.canvas.width - left - width - 10 * SCALE;
    if (room < 60 * SCALE || labels.length * LINE > height + LINE) {
        return;
    }
    labels.sort((a, b) => a.y - b.y);
    labels.forEach((label, i) => (label.at = Math.max(label.y, top + LINE / 2, i > 0 ? labels[i - 1].at + LINE : 0)));
    for (let i = labels.length - 1, below = top + height + LINE / 2; i >= 0; i--) {
        labels[i].at = below = Math.min(labels[i].at, below - LINE);
    }
    u.ctx.save();
    u.ctx.font = `${12 * SCALE}px system-ui, sans-serif`;
    u.ctx.textBaseline = "middle";
    u.ctx.textAlign = "left";
    for (const label of labels.filter((l) => l.at >= top)) {
        u.ctx.strokeStyle = label.colour;
        u.ctx.lineWidth = 2 * SCALE;
        u.ctx.beginPath();
        u.ctx.moveTo(left + width + SCALE, label.y);
        u.ctx.lineTo(left + width + 8 * SCALE, label.at);
        u.ctx.stroke();
        u.ctx.fillStyle = colour("ink");
        u.ctx.fillText(fit(u.ctx, label.text, room), left + width + 10 * SCALE, label.at);
    }
    u.ctx.restore();
}
