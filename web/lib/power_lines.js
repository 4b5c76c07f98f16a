// SPDX-License-Identifier: BSD-3-Clause
// uPlot series for power: lines with a band from minimum to maximum, or a stack of means.
import { faint, seriesColour, seriesDash } from "./palette.js";
import { columns } from "./stretches.js";

const grid = (from, to, count) => Array.from({ length: count }, (_, i) => from + ((i + 0.5) * (to - from)) / count);

// Points are drawn only for isolated values: a line needs two.
const lonely = (u, si, show, gaps) => {
    const data = u.data[si];
    return data.flatMap((y, i) => (y !== null && (data[i - 1] ?? null) === null && (data[i + 1] ?? null) === null ? [i] : []));
};

function points(stroke) {
    return { show: true, filter: lonely, size: 6, width: 0, fill: stroke, stroke };
}

// { series, bands, data } for lines: mean, maximum and minimum of each series.
export function lines(list) {
    const series = list.flatMap(({ index }) => {
        const stroke = () => seriesColour(index);
        const edge = { stroke: () => faint(seriesColour(index), 0.55), width: 0.75, points: { show: false } };
        return [edge, edge, { stroke, width: 1.6, dash: seriesDash(index), points: points(stroke) }];
    });
    const bands = list.map(({ index }, i) => ({ series: [3 * i + 1, 3 * i + 2], fill: () => faint(seriesColour(index), 0.2) }));
    const data = (from, to, count) => [grid(from, to, count), ...list.flatMap((item) => {
        const { min, mean, max } = columns(item, from, to, count);
        return [max, min, mean];
    })];
    return { series, bands, data };
}

// What may be stacked: the channels of the total; if that is a single channel, its parts and the rest. { items: series,
// rest: series or null }
export function layers(power) {
    const counted = power.filter((item) => item.facts?.in_total);
    if (counted.length === 1) {
        const inner = power.filter((item) => item.facts?.within === counted[0].channel);
        return inner.length > 0 ? { items: inner, rest: counted[0] } : { items: counted, rest: null };
    }
    return { items: counted.length > 0 ? counted : power.filter((item) => item.facts?.primary && !item.facts.within), rest: null };
}

const plus = (a, b) => (a === null || b === null ? null : a + b);

// { series, bands, data } for a stack, the lowest layer first; the derived rest of the whole on top.
export function stack({ items, rest }) {
    const indices = [...items, ...(rest ? [rest] : [])].map((item) => item.index);
    const series = indices.map((index) => ({ stroke: () => seriesColour(index), width: 1, points: points(() => seriesColour(index)) }));
    const bands = indices.slice(1).map((index, i) => ({ series: [i + 2, i + 1], fill: () => faint(seriesColour(index), 0.55) }));
    if (series.length > 0) {
        series[0].fill = () => faint(seriesColour(indices[0]), 0.55);
    }
    const data = (from, to, count) => {
        const sums = [];
        for (const item of items) {
            const { mean } = columns(item, from, to, count);
            sums.push(sums.length > 0 ? mean.map((y, i) => plus(y, sums.at(-1)[i])) : mean);
        }
        if (rest) {
            const { mean } = columns(rest, from, to, count);
            sums.push(mean.map((y, i) => (y === null || sums.at(-1)[i] === null ? null : Math.max(y, sums.at(-1)[i]))));
        }
        return [grid(from, to, count), ...sums];
    };
    return { series, bands, data };
}
