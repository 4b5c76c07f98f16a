// SPDX-License-Identifier: BSD-3-Clause
// The source of each value, channel by channel.
import { element } from "../lib/element.js";
import { digits, duration } from "../lib/digits.js";
import { qualityBadge, qualitySentence, qualityWord } from "../lib/quality.js";
import { known } from "./values.js";

// Why a channel is not part of the total, if known.
function place(channel, names) {
    if (channel.in_total) {
        return "the total adds it up";
    }
    if (names.has(channel.within)) {
        return `not in the total by itself: ${channel.within} contains it`;
    }
    return channel.primary ? "not in the total" : "not in the total: another sensor is used for this domain";
}

function rows(channel, names) {
    const gaps = channel.gaps > 0 ? `${channel.gaps}, ${duration(channel.gap_s)} in all (${channel.gap_reasons.join(", ")})${channel.unknown_s > 0 ? `; its energy lacks ${duration(channel.unknown_s)}` : ""}` : "none";
    return [
        ["quality", `${qualityWord(channel)}. ${qualitySentence(qualityWord(channel))}`],
        ["sensor", channel.sensor],
        ["the machine calls it", channel.label],
        ["domain", `${channel.domain.replaceAll("_", " ")} ${channel.index}${known(channel.sub) ? `, part ${channel.sub}` : ""}`],
        ["within", channel.within],
        ["total", place(channel, names)],
        ["resolution (95 %)", known(channel.resolution_interval_j) && `\u00b1 ${digits(channel.resolution_interval_j, channel.resolution_interval_j)} J, from ticks, timing and gaps`],
        ["estimate", known(channel.high_j) && `between ${digits(channel.low_j)} and ${digits(channel.high_j)} J with 95 %`],
        ["power varies by (sd)", known(channel.sd_w) && `${digits(channel.sd_w)} W`],
        ["min, max and sd over", known(channel.stat_window_ms) ? `stretches of ${duration(channel.stat_window_ms / 1e3)}, many updates of the hardware` : "unknown: how often the hardware updates is not known"],
        ["samples", `${channel.samples}, of them ${channel.stale} repeats of an unchanged counter`],
        ["gaps", gaps],
    ].filter(([, value]) => value);
}

export function channelDetails({ run, nested, provenance }) {
    if (run.channels.length === 0) {
        return null;
    }
    const names = new Set(run.channels.map((channel) => channel.name));
    const notes = (sensor) => provenance.filter(([key]) => key.startsWith(`sensor.${sensor}.`));
    return element("section", { id: "details", "aria-labelledby": "details-head" }, element("h2", { id: "details-head" }, "Where each value comes from"),
        nested.map(({ channel }) => element("details", { "data-details": channel.name }, element("summary", {}, channel.name, " ", qualityBadge(qualityWord(channel))),
            element("dl", { class: "pairs" }, [...rows(channel, names), ...notes(channel.sensor)].map(([label, value]) => [element("dt", {}, label), element("dd", {}, value)])))));
}
