// SPDX-License-Identifier: BSD-3-Clause
// The document wattle.report/1 (docs/format/report.md), read from the page and made ready: packed numbers unpacked, series with
// their axis and their channel.
import { unpack } from "../lib/stretches.js";

export function readDocument() {
    const report = clean(JSON.parse(document.getElementById("wattle-report").textContent));
    if (!/^wattle\.report\/1$/.test(report.schema)) {
        throw new Error(`its schema is ${report.schema}, and this page knows wattle.report/1`);
    }
    const times = report.times.map((time) => ({ begin: unpack(time.begin), end_s: time.end_s }));
    const series = (list, channels) => list.map((item) => ({
        ...item,
        time: times[item.time],
        min: unpack(item.min),
        mean: unpack(item.mean),
        max: unpack(item.max),
        ...find(channels, item.channel),
    }));
    return {
        ...report,
        power: series(report.power, report.run.channels),
        activity: series(report.activity, report.run.activity),
        bands: { ...report.bands, begin: unpack(report.bands.begin), end: unpack(report.bands.end) },
        nested: nest(report.run.channels),
        extent: extent(report),
    };
}

// Characters that turn the direction of what stands beside them, or do not show: a name with them could pose as another.
const HIDDEN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function clean(value) {
    if (typeof value === "string") {
        return value.length < 65536 ? value.replace(HIDDEN, "\ufffd") : value;
    }
    if (Array.isArray(value)) {
        return value.map(clean);
    }
    return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), clean(item)])) : value;
}

function find(channels, name) {
    const index = channels.findIndex((channel) => channel.name === name);
    return { index, facts: channels[index] ?? null };
}

// From the first to the last thing that the pictures show.
function extent(report) {
    const ends = [report.span_s, report.window_s].flat().filter((x) => x !== null && x !== undefined);
    return ends.length > 0 ? [Math.min(...ends), Math.max(...ends)] : [0, 0];
}

// The channels with their depth: each below the one that contains it, in the order of the table that `wattle run` prints.
function nest(channels) {
    const names = new Set(channels.map((channel) => channel.name));
    const out = [];
    const add = (parent, depth) => {
        for (const [index, channel] of channels.entries()) {
            const within = names.has(channel.within) ? channel.within : null;
            if (within === parent && channel.name !== parent && depth < 8) {
                out.push({ channel, index, depth });
                add(channel.name, depth + 1);
            }
        }
    };
    add(null, 0);
    return out;
}
