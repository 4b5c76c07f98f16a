// SPDX-License-Identifier: BSD-3-Clause
// Numbers packed as text, and series of stretches with their minimum, mean and maximum (docs/format/report.md).

// base64 of 32-bit little-endian floats
export function unpack(text) {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) {
        bytes[i] = letters.charCodeAt(i);
    }
    return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
}

// The last i with begin[i] <= time; -1 before the first.
export function indexAt(begin, time) {
    let [low, high] = [0, begin.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (begin[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

// The stretch of a series at an instant: { begin, end, min, mean, max }; null outside, or if nothing is known.
export function stretchAt(series, time) {
    const { begin, end_s } = series.time;
    const i = time > end_s ? -1 : indexAt(begin, time);
    if (i < 0 || Number.isNaN(series.mean[i])) {
        return null;
    }
    const end = i + 1 < begin.length ? begin[i + 1] : end_s;
    return { begin: begin[i], end, min: series.min[i], mean: series.mean[i], max: series.max[i] };
}

function empty(count) {
    return new Array(count).fill(null);
}

// One value for each of `count` columns of the time from..to: the time-weighted mean of what is known, and the extremes
// of all stretches that touch the column, so that no spike is lost. null if nothing is known.
export function columns(series, from, to, count) {
    const out = { min: empty(count), mean: empty(count), max: empty(count) };
    const { begin, end_s } = series.time;
    const width = (to - from) / count;
    let i = Math.max(0, indexAt(begin, from));
    for (let c = 0; c < count && i < begin.length; c++) {
        const left = from + c * width;
        const right = left + width;
        let [time, sum, low, high] = [0, 0, Infinity, -Infinity];
        for (; i < begin.length; i++) {
            const end = i + 1 < begin.length ? begin[i + 1] : end_s;
            // A stretch of zero length is an isolated sample.
            const share = end > begin[i] ? Math.min(end, right) - Math.max(begin[i], left) : width * 1e-9;
            const here = end > begin[i] ? share > 0 : begin[i] >= left && begin[i] < right;
            if (here && !Number.isNaN(series.mean[i])) {
                time += share;
                sum += share * series.mean[i];
                low = Math.min(low, series.min[i]);
                high = Math.max(high, series.max[i]);
            }
            if (end >= right) {
                break;
            }
        }
        if (time > 0) {
            [out.min[c], out.mean[c], out.max[c]] = [low, sum / time, high];
        }
    }
    return out;
}

// The integral over from..to and the length of the known time: { sum, known_s }.
export function integral(series, from, to) {
    const { begin, end_s } = series.time;
    let [sum, known_s] = [0, 0];
    for (let i = Math.max(0, indexAt(begin, from)); i < begin.length && begin[i] < to; i++) {
        const share = Math.min(i + 1 < begin.length ? begin[i + 1] : end_s, to) - Math.max(begin[i], from);
        if (share > 0 && !Number.isNaN(series.mean[i])) {
            sum += share * series.mean[i];
            known_s += share;
        }
    }
    return { sum, known_s };
}

// The integral over from..to with its bounds: { sum, low, high, known_s }. The part of a stretch on this side of a border
// has at least its least and at most its greatest power; these are means over series.stretch_s, so that of a shorter part,
// or beside a shorter rest, nothing is known but that it is not more than the whole. All values of a gauge may be off by half a step.
export function bounded(series, from, to) {
    const { begin, end_s } = series.time;
    let [sum, low, high, known_s] = [0, 0, 0, 0];
    for (let i = Math.max(0, indexAt(begin, from)); i < begin.length && begin[i] < to; i++) {
        const whole = (i + 1 < begin.length ? begin[i + 1] : end_s) - begin[i];
        const share = Math.min(begin[i] + whole, to) - Math.max(begin[i], from);
        if (!(share > 0) || Number.isNaN(series.mean[i])) {
            continue;
        }
        const [mean, rest] = [series.mean[i], whole - share];
        const divides = series.stretch_s === null || (share >= series.stretch_s && rest >= series.stretch_s);
        known_s += share;
        sum += mean * share;
        if (rest <= 1e-9 * whole) {
            [low, high] = [low + mean * whole, high + mean * whole];
        } else if (divides) {
            low += Math.max(series.min[i] * share, mean * whole - series.max[i] * rest);
            high += Math.min(series.max[i] * share, mean * whole - series.min[i] * rest);
        } else {
            [low, high] = [low + Math.min(0, mean * whole), high + Math.max(0, mean * whole)];
        }
    }
    const off = (series.off_w ?? 0) * known_s;
    return { sum, low: Math.max(Math.min(0, sum), Math.min(low, sum) - off), high: Math.max(high, sum) + off, known_s };
}

// Mean and extremes of from..to: { min, mean, max }, each null if nothing is known.
export function summary(series, from, to) {
    const { min, mean, max } = columns(series, from, to, 1);
    return { min: min[0], mean: mean[0], max: max[0] };
}
