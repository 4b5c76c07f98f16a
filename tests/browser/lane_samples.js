// SPDX-License-Identifier: BSD-3-Clause
// Synthetic "tasks" of documents wattle.report/1: tiles as src/analysis/tasks/lanes/activity_pyramid.c makes them, of pieces
// that a test knows.
import { channel, dice, EVIL, pack, report, run } from "./samples.js";

export const [BINS, LEAF] = [1024, 4096];

function varint(out, value) {
    for (; value >= 128; value = Math.floor(value / 128)) {
        out.push((value % 128) + 128);
    }
    out.push(value);
}

const zigzag = (x) => (x < 0 ? -2 * x - 1 : 2 * x);
const overlaps = (begin, end) => (piece) => piece.begin < end && piece.end > begin;

// lanes: lists of { begin, end (ns), type, ended, task }, in time order.
function totals(out, lanes, begin, end, leaf) {
    const sums = new Map();
    for (const piece of lanes.flat()) {
        const sum = sums.get(piece.type) ?? [0, 0];
        sum[0] += Math.min(piece.end, end) - Math.max(piece.begin, begin);
        sum[1] += piece.ended && piece.end <= end ? 1 : 0;
        sums.set(piece.type, sum);
    }
    varint(out, leaf ? 1 : 0);
    varint(out, sums.size);
    for (const [type, [time, ended]] of [...sums].sort((a, b) => a[0] - b[0])) {
        [type, time, ended].forEach((x) => varint(out, x));
    }
}

function putPieces(out, pieces, begin) {
    varint(out, pieces.length);
    let [last, task] = [begin, 0];
    for (const piece of pieces) {
        varint(out, zigzag(piece.begin - last));
        varint(out, piece.end - piece.begin);
        varint(out, piece.type * 8 + (piece.ended ? 1 : 0));
        varint(out, zigzag((piece.task ?? 0) - task));
        [last, task] = [piece.end, piece.task ?? 0];
    }
}

// At most 4 types in a bin are expected.
function putBins(out, pieces, begin, width) {
    const bins = Array.from({ length: BINS }, () => new Map());
    for (const piece of pieces) {
        const [from, to] = [Math.max(piece.begin - begin, 0), Math.min(piece.end - begin, BINS * width)];
        for (let bin = Math.floor(from / width); bin * width < to; bin++) {
            const time = Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
            bins[bin].set(piece.type, (bins[bin].get(piece.type) ?? 0) + time);
        }
    }
    for (const bin of bins) {
        const entries = [...bin].sort((a, b) => b[1] - a[1]).slice(0, 4);
        varint(out, 1);
        varint(out, entries.length);
        for (const [type, time] of entries) {
            varint(out, type + 2);
            out.push(Math.max(1, Math.min(255, Math.round((time / width) * 255))));
        }
    }
}

// types: [{ name, kind, works }]
export function tasksOf(types, lanes, facts = {}) {
    const last = Math.max(...lanes.flat().map((piece) => piece.end));
    let bin = 1;
    while (bin * BINS < last) {
        bin *= 4;
    }
    const tiles = [];
    let level = [0];
    for (let n = 0; level.length > 0; n++, bin /= 4) {
        const next = [];
        for (const index of level) {
            const [begin, end] = [index * BINS * bin, (index + 1) * BINS * bin];
            const inside = lanes.map((pieces) => pieces.filter(overlaps(begin, end)));
            const leaf = bin <= 1 || inside.flat().length <= LEAF;
            const out = [];
            totals(out, inside, begin, end, leaf);
            inside.forEach((pieces) => (leaf ? putPieces(out, pieces, begin) : putBins(out, pieces, begin, bin)));
            tiles.push({ level: n, index, data: Buffer.from(out).toString("base64") });
            next.push(...(leaf ? [] : [0, 1, 2, 3].map((i) => 4 * index + i)));
        }
        level = next;
    }
    const time = (type) => lanes.flat().filter((piece) => piece.type === type).reduce((sum, piece) => sum + piece.end - piece.begin, 0) * 1e-9;
    const count = (type) => lanes.flat().filter((piece) => piece.type === type && piece.ended).length;
    return {
        by: "task", begin_s: 0, bin_ns: bin * 4 ** (Math.max(...tiles.map((tile) => tile.level)) + 1), pieces: lanes.flat().length, tiles, complete: true, served: false, summary_s: 0,
        lanes: lanes.map((_, i) => ({ process: 4711, thread: 4711 + i, name: "cholesky", rank: null, core: null })),
        types: types.map((type, i) => ({ ...type, count: count(i), time_s: time(i) })),
        ends_missing: 0, begins_missing: 0, cut_processes: 0,
        waste: { problem: "it is too short for its sensors", activity: 0.5, power: 0.8, cell_s: 0, full_threads: null, full_w: null, time_s: 0, energy_j: 0, waiting_j: 0, stretches: [], left_out: 0 },
        ...facts,
    };
}

export const CHOLESKY = [
    { name: "dgemm", kind: "task", works: true }, { name: "dtrsm", kind: "task", works: true }, { name: "dsyrk", kind: "task", works: true }, { name: "dpotrf", kind: "task", works: true },
    { name: "taskwait", kind: "barrier and wait", works: false }, { name: "MPI_Recv", kind: "MPI", works: false }, { name: "", kind: "idle", works: false },
];

// Iterations whose parallelism falls: many tasks, then few, then a barrier in which all but one thread spin, and messages.
export function cholesky(dice, { threads = 8, iterations = 12, task_ns = 4e6, tasks = 60 } = {}) {
    const lanes = Array.from({ length: threads }, () => []);
    let number = 0;
    let t = 0;
    for (let k = 0; k < iterations; k++) {
        const many = Math.max(4, Math.round(tasks * (1 - k / iterations)));
        const at = lanes.map(() => t);
        const put = (lane, type, length, ended = true) => {
            lanes[lane].push({ begin: at[lane], end: at[lane] + length, type, ended, task: type < 4 ? ++number : 0 });
            at[lane] += length;
        };
        put(0, 3, Math.round(2 * task_ns * (0.9 + 0.2 * dice())));
        lanes.forEach((_, i) => i > 0 && put(i, 4, at[0] - t));
        for (let n = 0; n < many * threads; n++) {
            const lane = at.indexOf(Math.min(...at));
            const type = n < threads ? 1 : dice() < 0.15 ? 2 : 0;
            put(lane, type, Math.round(task_ns * (0.7 + 0.6 * dice())));
        }
        const end = Math.max(...at);
        lanes.forEach((_, i) => at[i] < end && put(i, 4, end - at[i]));
        put(0, 5, Math.round(3 * task_ns));
        lanes.forEach((_, i) => i > 0 && put(i, k % 3 === 2 ? 6 : 4, Math.round(3 * task_ns)));
        t = at[0];
    }
    return lanes;
}

// Power of the node and of two sockets, in steps of 5 ms: 90 W, 9 W for each thread that works, 7.5 W for each that spins.
function powerOf(lanes, types, length_s) {
    const [step, parts] = [0.005, [lanes, lanes.slice(0, lanes.length / 2), lanes.slice(lanes.length / 2)]];
    const count = Math.ceil(length_s / step);
    const add = (watts, piece, w) => {
        for (let i = Math.floor(piece.begin / (step * 1e9)); i * step * 1e9 < piece.end && i < count; i++) {
            watts[i] += (w * (Math.min(piece.end, (i + 1) * step * 1e9) - Math.max(piece.begin, i * step * 1e9))) / (step * 1e9);
        }
    };
    return parts.map((part, n) => {
        const watts = new Array(count).fill(n === 0 ? 90 : 25);
        part.flat().forEach((piece) => add(watts, piece, types[piece.type].works ? 9 : types[piece.type].kind === "idle" ? 0 : 7.5));
        return watts;
    });
}

function documentOf(types, lanes, facts = {}) {
    const length_s = Math.max(...lanes.flat().map((piece) => piece.end)) * 1e-9;
    const names = ["hwmon:node-0", "powercap:package-0", "powercap:package-1"];
    const watts = powerOf(lanes, types, length_s);
    const item = (name, i) => ({ channel: name, unit: "W", time: 0, stretch_s: 0.005, min: pack(watts[i]), mean: pack(watts[i]), max: pack(watts[i]) });
    const mean = watts.map((list) => list.reduce((sum, x) => sum + x, 0) / list.length);
    const channels = names.map((name, i) => channel(name, { in_total: i === 0, within: i > 0 ? names[0] : null, energy_j: mean[i] * length_s, resolution_interval_j: 0.4, mean_w: mean[i], min_w: 25, max_w: 170, samples: 1000 }));
    return report({
        title: "./cholesky 16384 256", span_s: [0, length_s], window_s: [0, length_s], times: [{ count: watts[0].length, begin: pack(watts[0].map((_, i) => i * 0.005)), end_s: length_s }],
        power: names.map(item), tasks: tasksOf(types, lanes, facts),
        run: run({ command: "./cholesky 16384 256", wall_time_s: length_s, channels, total: { channels: [names[0]], energy_j: mean[0] * length_s, resolution_interval_j: 0.4, low_j: null, high_j: null, mean_w: mean[0],
            quality: "measured", contains: "node", excludes: ["network"] }, edp_js: 1, ed2p_js2: 1 }),
    });
}

export function lanes() {
    const made = cholesky(dice(5));
    const stretch = (begin_s, end_s, type) => ({ begin_s, end_s, energy_j: 150 * (end_s - begin_s), mean_w: 150, working: 1, waiting_j: 131 * (end_s - begin_s), type });
    return documentOf(CHOLESKY, made, { waste: { problem: null, activity: 0.5, power: 0.8, cell_s: 0.005, full_threads: 8, full_w: 162, time_s: 0.06, energy_j: 9, waiting_j: 7.86,
        stretches: [stretch(0.28, 0.3, 4), stretch(0.8, 0.84, 5)], left_out: 0 } });
}

// Two lanes whose sums are known: 1 s of "a" in 1000 pieces of 1 ms with 1 ms between, in which the other one waits.
export function known() {
    const types = [{ name: "a", kind: "task", works: true }, { name: "barrier", kind: "barrier and wait", works: false }];
    const a = Array.from({ length: 1000 }, (_, i) => ({ begin: i * 2e6, end: i * 2e6 + 1e6, type: 0, ended: true, task: i + 1 }));
    return documentOf(types, [a, a.map((piece) => ({ ...piece, begin: piece.begin + 1e6, end: piece.end + 1e6, type: 1, task: 0 }))]);
}

// More pieces than a leaf has, on 12 threads, and lanes of cores.
export function manyLanes() {
    const threads = cholesky(dice(7), { threads: 12, iterations: 30, task_ns: 2e5, tasks: 70 });
    const document = documentOf(CHOLESKY, [...threads, ...threads.slice(0, 4)]);
    document.tasks.lanes.forEach((lane, i) => Object.assign(lane, i < 12 ? { rank: i % 2 } : { process: 0, thread: 0, name: null, core: i - 12 }));
    return document;
}

// A thread and a stream of a GPU.
export function devices() {
    const document = known();
    Object.assign(document.tasks.lanes[1], { thread: 2 ** 30 + 4, name: "gpu 0000:65:00.0 stream 7" });
    return document;
}

export const evilLanes = () => documentOf([{ name: EVIL, kind: "task", works: true }, { name: `__proto__${"long".repeat(60)}`, kind: "MPI", works: false }],
    [[{ begin: 0, end: 5e8, type: 0, ended: true, task: 1 }, { begin: 5e8, end: 1e9, type: 1, ended: true }]]);

export const LANE_SAMPLES = { lanes, known, manyLanes, devices, evilLanes };
