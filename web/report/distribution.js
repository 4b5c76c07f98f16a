// SPDX-License-Identifier: BSD-3-Clause
// How power is distributed: for each channel the fraction of the time at each power, with percentiles.
import { frame } from "../lib/axes.js";
import { element, number, svg } from "../lib/element.js";
import { duration, general } from "../lib/digits.js";
import { qualityBadge, qualityWord } from "../lib/quality.js";
import { watts } from "../lib/swatch.js";
import { sortableTable } from "../lib/sortable.js";

const SIZE = { width: 320, height: 158, left: 34, right: 12, top: 22, bottom: 42 };
const FEWEST = 15; // bins
const PERCENTILES = ["p5_w", "p25_w", "p50_w", "p75_w", "p95_w"];

// Show constant power as a bar, not as a full block.
function reach({ low_w, step_w, share }) {
    const beside = Math.max(0, Math.ceil((FEWEST - share.length) / 2)) * step_w;
    return { low: low_w - beside, high: low_w + step_w * share.length + beside };
}

// The same in bins of `step`: a bin that lies in two gives each its part.
function rebinned({ low_w, step_w, share, ...rest }, step) {
    const first = Math.floor(low_w / step + 1e-9);
    const bins = Array.from({ length: Math.ceil((low_w + step_w * share.length) / step - 1e-9) - first }, () => 0);
    share.forEach((part, i) => {
        const [from, to] = [(low_w + i * step_w) / step - first, (low_w + (i + 1) * step_w) / step - first];
        for (let k = Math.max(0, Math.floor(from)); k < Math.min(to, bins.length); k++) {
            bins[k] += (part * (Math.min(to, k + 1) - Math.max(from, k))) / (to - from);
        }
    });
    return { ...rest, low_w: first * step, step_w: step, share: bins };
}

// Channels of one domain are compared, so they share the scale of power and the width of bars.
function comparable(item, alike) {
    const step = Math.max(...alike.map(({ step_w }) => step_w));
    const all = alike.length > 1 ? alike.map((other) => rebinned(other, step)) : alike;
    const ends = all.map(reach);
    return { item: all[alike.indexOf(item)], low: Math.min(...ends.map(({ low }) => low)), high: Math.max(...ends.map(({ high }) => high)) };
}

function picture(of, index, alike) {
    const { item, low, high } = comparable(of, alike);
    const { low_w, step_w, share } = item;
    const { x, y, node, box: { bottom } } = frame(SIZE, { low, high, title: "Power", unit: "W" }, { low: 0, high: 100 * Math.max(...share, 1e-30), title: "Share of the time", unit: "%" });
    const bars = share.map((part, i) => {
        const from = x(low_w + step_w * i);
        const wide = Math.max(x(low_w + step_w * (i + 1)) - from, 1.5).toFixed(2);
        const tall = (bottom - y(100 * part)).toFixed(2);
        return part > 0 ? `M${from.toFixed(2)} ${bottom}v-${tall}h${wide}v${tall}z` : "";
    });
    const path = svg("path", { d: bars.join("") });
    path.style.fill = `var(--series-${index % 8})`;
    const box = [svg("rect", { class: "middle-half", x: x(item.p25_w), width: Math.max(1, x(item.p75_w) - x(item.p25_w)), y: bottom + 1.5, height: 4 }),
        svg("line", { class: "tails", x1: x(item.p5_w), x2: x(item.p95_w), y1: bottom + 3.5, y2: bottom + 3.5 }),
        svg("line", { class: "median", x1: x(item.p50_w), x2: x(item.p50_w), y1: SIZE.top, y2: bottom + 7 })];
    return svg("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img", "aria-label":
        `Distribution of ${item.channel}: median ${watts(item.p50_w)} W, half of the time between ${watts(item.p25_w)} and ${watts(item.p75_w)} W` },
    node, path, box, svg("text", { x: SIZE.left, y: SIZE.height - 4 }, `bars of ${general(step_w, 3)} W`));
}

export function distributionSection({ run, distributions }) {
    if (distributions.length === 0) {
        return null;
    }
    const indexOf = (item) => run.channels.findIndex((channel) => channel.name === item.channel);
    const factsOf = (item) => run.channels[indexOf(item)] ?? {};
    const kindOf = (item) => `${factsOf(item).sensor} ${factsOf(item).domain}`;
    const alike = (item) => distributions.filter((other) => kindOf(other) === kindOf(item));
    const columns = [
        { name: "channel", key: (row) => row.channel, cell: (row) => [row.channel, " ", qualityBadge(qualityWord(factsOf(row)))] },
        ...PERCENTILES.map((field) => ({
            name: field === "p50_w" ? "median [W]" : `${field.slice(1, -2)} % [W]`, number: true, key: (row) => row[field],
            cell: (row) => number(row[field], watts(row[field]), { "data-what": field, "data-channel": row.channel }),
        })),
        { name: "over", number: true, title: "power is the mean over stretches of this length", key: (row) => row.stretch_s, cell: (row) => duration(row.stretch_s) },
    ];
    return element("section", { id: "distribution", "aria-labelledby": "distribution-head" },
        element("h2", { id: "distribution-head" }, "Distribution of power"),
        element("p", {}, "Share of the time at each power. The vertical line is the median; below it the middle half of the time, and 5 to 95 %. Changes that a single update of a counter explains are left out."),
        element("div", { class: "histograms" }, distributions.map((item) => element("figure", { class: "histogram", "data-channel": item.channel },
            element("figcaption", {}, item.channel, " ", qualityBadge(qualityWord(factsOf(item)))), picture(item, Math.max(0, indexOf(item)), alike(item))))),
        sortableTable("Percentiles of power", columns, distributions));
}
