// SPDX-License-Identifier: BSD-3-Clause
// Energy by channel: bars with their intervals, and the table of `wattle run`.
import { element } from "../lib/element.js";
import { qualityBadge, qualityWord } from "../lib/quality.js";
import { energyOf, halfOf, known, meanOf, rangeOf, totalEnergy, totalHalf, totalMean, totalQuality } from "./values.js";

const percent = (part, of) => `${(Math.min(Math.max(part / of, 0), 1) * 100).toFixed(3)}%`;

// [low, high] of the interval, or null
function reach(value, low, high, half) {
    if (!known(value)) {
        return null;
    }
    if (known(high)) {
        return [low, high];
    }
    return half > 0 ? [value - half, value + half] : null;
}

function bar(row, most) {
    const node = element("div", { class: `bar ${row.word}${row.counted ? " counted" : ""}`, "aria-hidden": "true" });
    if (known(row.energy)) {
        const solid = element("i");
        solid.style.width = percent(row.energy, most);
        if (row.index !== undefined) {
            solid.style.setProperty("--bar", `var(--series-${row.index % 8})`);
        }
        node.append(solid);
    }
    if (row.reach) {
        const whisker = element("u");
        whisker.style.left = percent(row.reach[0], most);
        whisker.style.width = `calc(${percent(row.reach[1] - row.reach[0], most)} + 1px)`;
        node.append(whisker);
    }
    return node;
}

function line(row, most) {
    const label = element("div", { class: "bar-name nested", title: row.label }, row.name);
    label.style.setProperty("--depth", row.depth);
    return element("li", { "data-bar": row.name }, label, bar(row, most),
        element("div", { class: "bar-value" }, row.value, known(row.energy) ? " J" : "", row.word === "measured" ? "" : [" ", qualityBadge(row.word)]));
}

function rowsOf(report) {
    const { run } = report;
    const rows = report.nested.map(({ channel, index, depth }) => ({
        name: channel.name, label: channel.label, depth, index, counted: channel.in_total, word: qualityWord(channel),
        energy: channel.energy_j, value: energyOf(run, channel),
        reach: reach(channel.energy_j, channel.low_j, channel.high_j, halfOf(run, channel)),
    }));
    if (known(run.total.energy_j) && run.total.channels.length > 1) {
        rows.push({
            name: "total", depth: 0, counted: true, word: totalQuality(run), energy: run.total.energy_j, value: totalEnergy(run),
            reach: reach(run.total.energy_j, run.total.low_j, run.total.high_j, totalHalf(run)),
        });
    }
    return rows;
}

function bars(report) {
    const rows = rowsOf(report);
    const most = Math.max(...rows.map((row) => Math.max(row.energy ?? 0, row.reach?.[1] ?? 0)), 1e-30);
    const left = report.run.channels.filter((channel) => !channel.in_total).length;
    return element("figure", { class: "bars" },
        element("figcaption", {}, "Energy by channel. Filled: part of the total", left > 0 ? "; outlined: not part of it, because another channel or sensor already includes it" : "",
            ". The line across the end is the 95 % interval."),
        element("ol", {}, rows.map((row) => line(row, most))));
}

export function channelTable(report) {
    const { run } = report;
    const head = ["channel", "energy [J]", "mean [W]", "min..max [W]", "quality"];
    const rows = report.nested.map(({ channel, depth }) => {
        const name = element("span", { class: "nested" }, channel.in_total ? "+ " : "\u2007 ", channel.name);
        name.style.setProperty("--depth", depth);
        return element("tr", { class: channel.in_total ? "counted" : null, "data-channel": channel.name }, element("th", { scope: "row" }, name),
            element("td", { class: "number" }, energyOf(run, channel)), element("td", { class: "number" }, meanOf(run, channel)),
            element("td", { class: "number" }, rangeOf(run, channel)), element("td", {}, qualityBadge(qualityWord(channel))));
    });
    const foot = run.total.channels.length > 0 ? element("tfoot", {}, element("tr", {}, element("th", { scope: "row" }, "\u2007 total"),
        element("td", { class: "number" }, totalEnergy(run)), element("td", { class: "number" }, totalMean(run)), element("td"),
        element("td", {}, qualityBadge(totalQuality(run))))) : null;
    return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table of channels" }, element("table", { id: "channels" },
        element("caption", { class: "unseen" }, "Energy and power by channel"),
        element("thead", {}, element("tr", {}, head.map((text, i) => element("th", { scope: "col", class: i > 0 && i < 4 ? "number" : null }, text)))),
        element("tbody", {}, rows), foot));
}

export function energySection(report) {
    const none = report.run.channels.length === 0;
    return element("section", { id: "energy", "aria-labelledby": "energy-head" }, element("h2", { id: "energy-head" }, "Energy"),
        none ? element("p", {}, "Unknown: nothing was recorded; \u201cwattle sensors\u201d says which sensors can be read, and what the others lack.")
            : [bars(report), channelTable(report),
                element("p", { class: "note" }, "+ is part of the total. min..max: of mean power over stretches of many sensor updates; the details of each channel below have their length.")]);
}
