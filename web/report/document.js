// SPDX-License-Identifier: BSD-3-Clause
// The document wattle.report/1 (docs/format/report.md), read from the page and prepared: packed numbers unpacked,
// series linked to their axis and their channel.
import { documentOf } from "../lib/document.js";
import { unpack } from "../lib/stretches.js";

export function readDocument() {
    const report = documentOf("wattle-report", "wattle.report/1");
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
        metrics: series(report.metrics, []).map((item) => ({ ...item, facts: { quantity: "metric" } })),
        tasks: report.tasks ?? null,
        bands: { ...report.bands, begin: unpack(report.bands.begin), end: unpack(report.bands.end), share: unpack(report.bands.share) },
        nested: nest(report.run.channels),
        extent: extent(report),
    };
}

function find(channels, name) {
    const index = channels.findIndex((channel) => channel.name === name);
    return { index, facts: channels[index] ?? null };
}

// From the first to the last thing that the charts show.
function extent(report) {
    const pieces = report.tasks && !report.span_s ? [report.tasks.begin_s, report.tasks.begin_s + report.tasks.bin_ns * 1024e-9] : null;
    const ends = [report.span_s, report.window_s, pieces].flat().filter((x) => x !== null && x !== undefined);
    return ends.length > 0 ? [Math.min(...ends), Math.max(...ends)] : [0, 0];
}

// The channels with their depth: each below the one that contains it, in the order of the table of `wattle run`.
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
