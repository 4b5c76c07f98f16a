// SPDX-License-Identifier: BSD-3-Clause
// How power is spread: for each channel the share of the time at each power, with percentiles.
import { element, number, svg } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { qualityBadge, qualityWord } from "../lib/quality.js";
import { watts } from "../lib/swatch.js";
import { sortableTable } from "../lib/sortable.js";

const [WIDTH, HEIGHT, FOOT] = [320, 96, 18];
const FEWEST = 15; // bins
const PERCENTILES = ["p5_w", "p25_w", "p50_w", "p75_w", "p95_w"];

function picture(item, index) {
    const { low_w, step_w, share } = item;
    const most = Math.max(...share, 1e-30);
    // Constant power is a bar, not a wall.
    const beside = Math.max(0, Math.ceil((FEWEST - share.length) / 2)) * step_w;
    const [low, high] = [low_w - beside, low_w + step_w * share.length + beside];
    const x = (w) => (high > low ? ((w - low) / (high - low)) * WIDTH : WIDTH / 2);
    const bars = share.map((part, i) => {
        const tall = ((part / most) * HEIGHT).toFixed(2);
        const wide = Math.max(x(low_w + step_w * (i + 1)) - x(low_w + step_w * i), 1.5).toFixed(2);
        return part > 0 ? `M${x(low_w + step_w * i).toFixed(2)} ${HEIGHT}v-${tall}h${wide}v${tall}z` : "";
    });
    const path = svg("path", { d: bars.join("") });
    path.style.fill = `var(--series-${index % 8})`;
    const box = [svg("rect", { class: "middle-half", x: x(item.p25_w), width: Math.max(1, x(item.p75_w) - x(item.p25_w)), y: HEIGHT + 1.5, height: 4 }),
        svg("line", { class: "tails", x1: x(item.p5_w), x2: x(item.p95_w), y1: HEIGHT + 3.5, y2: HEIGHT + 3.5 }),
        svg("line", { class: "median", x1: x(item.p50_w), x2: x(item.p50_w), y1: 0, y2: HEIGHT + 7 })];
    const text = (at, anchor, words) => svg("text", { x: at, y: HEIGHT + FOOT, "text-anchor": anchor }, words);
    const ends = share.length > 0 ? [text(0, "start", watts(low)), text(WIDTH, "end", `${watts(high)} W`)] : [];
    return svg("svg", { viewBox: `-2 -2 ${WIDTH + 4} ${HEIGHT + FOOT + 6}`, role: "img", "aria-label":
        `Distribution of ${item.channel}: median ${watts(item.p50_w)} W, half of the time between ${watts(item.p25_w)} and ${watts(item.p75_w)} W` }, path, box, ends);
}

export function distributionSection({ run, distributions }) {
    if (distributions.length === 0) {
        return null;
    }
    const indexOf = (item) => run.channels.findIndex((channel) => channel.name === item.channel);
    const factsOf = (item) => run.channels[indexOf(item)] ?? {};
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
        element("p", {}, "Share of the time at each power. The vertical line is the median; below it the middle half of the time, and 5 to 95 %. Peaks of a counter that are less than 10 % apart may be its updates, of which a value has 20 at least, and no change of power."),
        element("div", { class: "histograms" }, distributions.map((item) => element("figure", { class: "histogram", "data-channel": item.channel },
            element("figcaption", {}, item.channel, " ", qualityBadge(qualityWord(factsOf(item)))), picture(item, Math.max(0, indexOf(item)))))),
        sortableTable("Percentiles of power", columns, distributions));
}
