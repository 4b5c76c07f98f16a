// SPDX-License-Identifier: BSD-3-Clause
// Synthetic documents wattle.report/1 for the tests of the page: an hour of 8 channels, hostile names, no data, ...
//
// Usage: node samples.js NAME >report.json; node samples.js --list
import { pathToFileURL } from "node:url";

export function pack(numbers) {
    return Buffer.from(new Float32Array(numbers).buffer).toString("base64");
}

// Reproducible numbers in 0..1.
export function dice(seed) {
    let state = seed;
    return () => {
        state = (state * 1664525 + 1013904223) % 4294967296;
        return state / 4294967296;
    };
}

export function channel(name, facts = {}) {
    const [sensor, rest] = name.split(":");
    const [domain, index] = rest.split("-");
    return {
        name, domain, index: Number(index), sub: null, sensor, label: null, quality: "measured", simulated: false, simulates: null, primary: true, in_total: false, within: null,
        energy_j: null, resolution_interval_j: null, low_j: null, high_j: null, mean_w: null, min_w: null, max_w: null, sd_w: null, stat_window_ms: 20,
        samples: 0, stale: 0, gaps: 0, gap_s: 0, unknown_s: 0, gap_reasons: [], ...facts,
    };
}

function activity(name, quantity, unit, facts = {}) {
    return {
        name, sensor: name.split(":")[0], label: null, quantity, unit, sum: null, mean: null, min: null, max: null,
        samples: 0, stale: 0, gaps: 0, gap_s: 0, unknown_s: 0, gap_reasons: [], ...facts,
    };
}

export function run(facts) {
    return {
        schema: "wattle.run/1", wattle_version: "0.1.0", command: "./solve --grid 512", target: "command", host: "node17", exit_code: 0, wall_time_s: 0,
        start_monotonic_ns: 1e12, end_monotonic_ns: 4.6e12, start_realtime_ns: 1795309498772876800, channels: [],
        total: { channels: [], energy_j: null, resolution_interval_j: null, low_j: null, high_j: null, mean_w: null, quality: null, contains: null, excludes: [] },
        edp_js: null, ed2p_js2: null, process: { cpu_s: null, max_rss_bytes: null, energy_share_j: null, quality: null }, flags: [], flag_texts: {}, idle: null, work: null,
        activity: [],
        wattle: { interval_ms: 1, late_p50_us: 12.1, late_p99_us: 48.2, late_max_us: 913, missed: 3, dropped: 0, sampler_cpu: 7, cpu_s: 11.2, energy_j: 96.1 },
        trace: "solve.wtl", regions: [], ...facts,
    };
}

export function report(facts) {
    return {
        schema: "wattle.report/1", wattle_version: "0.1.0", title: facts.run.command ?? "the machine on node17", span_s: null, window_s: null, times: [], power: [], activity: [], metrics: [], phases: null, phases_problem: null,
        distributions: [], bands: { names: [], rows: [], row: [], name: [], begin: "", end: "", share: "", merged_s: 0, left_out: 0 }, events: [], gaps: [], provenance: [], ...facts,
    };
}

const COUNTERS = ["CPU_CYCLES", "CACHE_MISSES", "NET_SENT_BYTES", "BRANCH_MISSES"];

// Phases with these letters, each of `length` seconds; `names` of letters and counters may be hostile.
export function phasesOf(letters, length, counters = COUNTERS) {
    const phases = letters.map((letter, i) => ({
        phase: i + 1, begin_s: i * length, end_s: (i + 1) * length, begin_uncertain_s: i === 0 ? 0 : 2, length_s: length, letter, counters: counters.slice(0, 1 + (i % 4)), relevant: counters.slice(0, 1),
        short: i === letters.length - 1, mean_w: 300 + 20 * i, energy_j: (300 + 20 * i) * length, energy_low_j: (298 + 20 * i) * length, energy_high_j: (303 + 20 * i) * length, known_s: i === 1 ? length / 2 : length,
    }));
    const known = [...new Set(letters.filter((letter) => letter !== null))];
    return {
        schema: "wattle.phases/1", wattle_version: "0.1.0", command: null, method: "focus", false_alarms_per_row: 1e-6,
        letters: known.map((name, i) => ({ name, code: 17692 + i, counters, phases: letters.filter((letter) => letter === name).length, length_s: length, mean_w: 300 })),
        nodes: [{ node: "n1", trace: null, problem: null, row_s: 0.1, rows: 36000, counter_set: "paper", counters, counters_left_out: 0, missing_counters: null, multiplexed: null, missing_values: [], contains: "node", excludes: null,
            quality: "measured", simulated: false, simulates: null, energy_j: 1e6, explained: 0.83, flags: [], phases }],
    };
}

// A series of `count` stretches of `step` seconds: mean from level(t), spread around it, spikes; NaN in gaps.
function series({ name, time, count, step, level, noise, random, gaps = [], spikes = new Map(), unit = "W", stretch = 0.02 }) {
    const [min, mean, max] = [[], [], []];
    for (let i = 0; i < count; i++) {
        const t = (i + 0.5) * step;
        const lost = gaps.some((gap) => gap.channel === name && t > gap.begin_s && t < gap.end_s);
        const value = level(t) + (random() - 0.5) * noise;
        const spread = noise * (0.6 + random());
        min.push(lost ? NaN : Math.max(0, value - spread));
        mean.push(lost ? NaN : value);
        max.push(lost ? NaN : value + spread + (spikes.get(i) ?? 0));
    }
    return { item: { channel: name, unit, time, stretch_s: stretch, min: pack(min), mean: pack(mean), max: pack(max) }, min, mean, max };
}

function distribution(name, means, step) {
    const values = means.filter((x) => !Number.isNaN(x)).sort((a, b) => a - b);
    const [low, high] = [values[0], values.at(-1)];
    const bins = 60;
    const width = (high - low) / bins || 1;
    const share = new Array(bins).fill(0);
    values.forEach((x) => (share[Math.min(bins - 1, Math.floor((x - low) / width))] += 1 / values.length));
    const at = (p) => values[Math.min(values.length - 1, Math.floor(p * values.length))];
    return { channel: name, stretch_s: step, low_w: low, step_w: width, share, p5_w: at(0.05), p25_w: at(0.25), p50_w: at(0.5), p75_w: at(0.75), p95_w: at(0.95) };
}

const HOUR = 3600;

// Phases of a solver: ramp, then iterations of compute and exchange, then writing.
function load(t) {
    if (t < 120 || t > 3480) {
        return 0.15;
    }
    return t % 420 < 330 ? 0.85 + 0.08 * Math.sin(t / 23) : 0.35;
}

function regionsOfHour() {
    const bands = { names: ["read input", "iterate", "solve", "exchange halo", "write"], rows: [], row: [], name: [], begin: [], end: [], share: [], merged_s: 0.9, left_out: 2 };
    const add = (row, name, begin, end, share = 1) => {
        bands.share.push(share);
        bands.row.push(row);
        bands.name.push(name);
        bands.begin.push(begin);
        bands.end.push(end);
    };
    for (let thread = 0; thread < 4; thread++) {
        const row = bands.rows.length;
        bands.rows.push({ process: 4711, thread: 4711 + thread, rank: null, depth: 0 }, { process: 4711, thread: 4711 + thread, rank: null, depth: 1 });
        thread === 0 && add(row, 0, 2, 118);
        for (let t = 120; t < 3480; t += 420) {
            add(row, 1, t, Math.min(t + 419.9, 3480));
            add(row + 1, 2, t + 1 + thread, t + 329 - 2 * thread);
            add(row + 1, 3, t + 331, Math.min(t + 419, 3480), thread === 2 ? 0.62 : 1);
        }
        thread === 0 && add(row, 4, 3481, 3597);
    }
    return { ...bands, begin: pack(bands.begin), end: pack(bands.end), share: pack(bands.share) };
}

function region(name, count, union_s, energy_j, half, exclusive = 1) {
    const energy = (part) => ({ energy_j: energy_j * part, resolution_interval_j: half, interval_only: energy_j * part < 2 * half });
    return { name, count, thread_s: union_s * 3.7, union_s, exclusive_s: union_s * exclusive, inclusive: energy(1), exclusive: energy(exclusive), unbalanced: 0, crossing: 0 };
}

// 3600 s of 8 channels, in stretches of 0.45 s as in the pyramid of a trace at 1 kHz.
export function hour() {
    const random = dice(1);
    const [count, step] = [8000, 0.45];
    const gaps = [
        { channel: "perf:dram-1", begin_s: 1500, end_s: 1590, reason: "read failed" },
        { channel: "nvml:gpu-0", begin_s: 2400.2, end_s: 2401.9, reason: "stalled" },
        ...["hwmon:node-0", "perf:package-0", "perf:package-1", "perf:dram-0", "perf:dram-1", "nvml:gpu-0", "nvml:gpu-1", "powercap:core-0"].map((name) => ({
            channel: name, begin_s: 2790, end_s: 2835, reason: "suspended" })),
    ];
    const specs = [
        ["hwmon:node-0", (t) => 120 + 610 * load(t), 12, { in_total: true }],
        ["perf:package-0", (t) => 45 + 150 * load(t), 5, { within: "hwmon:node-0", label: "energy-pkg" }],
        ["powercap:core-0", (t) => 18 + 118 * load(t), 5, { within: "perf:package-0", sub: 0 }],
        ["perf:dram-0", (t) => 8 + 14 * load(t), 1, { within: "hwmon:node-0", label: "energy-ram" }],
        ["perf:package-1", (t) => 43 + 138 * load(t + 9), 5, { within: "hwmon:node-0", label: "energy-pkg" }],
        ["perf:dram-1", (t) => 8 + 12 * load(t + 9), 1, { within: "hwmon:node-0", label: "energy-ram" }],
        ["nvml:gpu-0", (t) => 30 + 120 * load(t), 8, { within: "hwmon:node-0", quality: "derived" }],
        ["nvml:gpu-1", () => 31, 1, { within: "hwmon:node-0", quality: "derived" }],
    ];
    const spikes = new Map([[3001, 140], [6000, 220]]);
    const made = specs.map(([name, level, noise], i) => series({ name, time: 0, count, step, level, noise, random, gaps, spikes: i === 0 || i === 1 ? spikes : new Map() }));
    const channels = specs.map(([name, , , facts], i) => {
        const known = made[i].mean.filter((x) => !Number.isNaN(x));
        const mean = known.reduce((a, b) => a + b, 0) / known.length;
        const own = gaps.filter((gap) => gap.channel === name);
        const lost = own.reduce((sum, gap) => sum + gap.end_s - gap.begin_s, 0);
        return channel(name, {
            ...facts, energy_j: mean * HOUR, resolution_interval_j: mean * (3 + lost * 0.3), mean_w: mean, min_w: Math.min(...made[i].min.filter((x) => !Number.isNaN(x))),
            max_w: Math.max(...made[i].max.filter((x) => !Number.isNaN(x))), sd_w: mean * 0.3, samples: 3.6e6 - 45000, stale: 12, gaps: own.length, gap_s: lost, unknown_s: 0,
            gap_reasons: [...new Set(own.map((gap) => gap.reason))],
        });
    });
    const slow = { count: 1800, step: 2, unit: "Hz", stretch: null };
    const beside = [
        series({ ...slow, name: "cpufreq:package-0", time: 1, level: (t) => 1.2e9 + 2.1e9 * load(t), noise: 5e7, random }),
        series({ ...slow, name: "cpufreq:package-1", time: 1, level: (t) => 1.2e9 + 2.0e9 * load(t + 9), noise: 5e7, random }),
        series({ ...slow, name: "hwmon:package-0", time: 1, level: (t) => 38 + 38 * load(t), noise: 1.5, random, unit: "\u00b0C" }),
        series({ ...slow, name: "cputime:node-0", time: 1, level: (t) => 64 * load(t), noise: 2, random, unit: "CPUs", stretch: 1 }),
        series({ ...slow, name: "throttle:package-0", time: 1, level: (t) => (load(t) > 0.9 ? 3 : 0), noise: 0.2, random, unit: "1/s", stretch: 1 }),
    ];
    const facts = [["frequency", "Hz"], ["frequency", "Hz"], ["temperature", "\u00b0C"], ["cpu_time", "s"], ["count", "1"]];
    const node = channels[0];
    return report({
        title: "mpirun -n 4 ./solve --grid 512 --tolerance 1e-9", span_s: [-4.1, 3600.8], window_s: [0, HOUR],
        times: [{ count, begin: pack(Array.from({ length: count }, (_, i) => i * step)), end_s: HOUR },
            { count: 1800, begin: pack(Array.from({ length: 1800 }, (_, i) => i * 2)), end_s: HOUR }],
        power: made.map((one) => one.item), activity: beside.map((one) => one.item),
        distributions: made.map((one, i) => distribution(specs[i][0], one.mean, 0.1)),
        run: run({
            command: "mpirun -n 4 ./solve --grid 512 --tolerance 1e-9", wall_time_s: HOUR, channels,
            total: { channels: ["hwmon:node-0"], energy_j: node.energy_j, resolution_interval_j: node.resolution_interval_j, low_j: null, high_j: null, mean_w: node.mean_w,
                quality: "measured", contains: "node", excludes: ["network", "rack"] },
            edp_js: node.energy_j * HOUR, ed2p_js2: node.energy_j * HOUR * HOUR,
            process: { cpu_s: 190234, max_rss_bytes: 8.1e9, energy_share_j: node.energy_j * 0.97, quality: "derived" },
            idle: { before_w: 118.2, after_w: 121.4, above_j: node.energy_j - 120 * HOUR }, work: { amount: 512, unit: "iterations", j_per_unit: node.energy_j / 512 },
            flags: ["THROTTLED", "INCOMPLETE"], flag_texts: { THROTTLED: "the processor lowered its frequency for heat or power during 41 s; the run would be faster elsewhere",
                INCOMPLETE: "45 s are missing, since the machine was suspended" },
            activity: beside.map((one, i) => activity(one.item.channel, facts[i][0], facts[i][1], { mean: i < 3 ? one.mean[900] : null, sum: i < 3 ? null : 98765.4, min: 1, max: 2, samples: 36000 })),
            regions: [region(null, 4, 8, 1900, 900), region("read input", 1, 116, 27000, 400), region("iterate", 32, 3360, 1.7e6, 5200, 0.01), region("solve", 32, 2620, 1.5e6, 5000),
                region("exchange halo", 32, 704, 190000, 4100), region("write", 1, 116, 26900, 400)],
        }),
        metrics: [{ ...beside[0].item, channel: "IPC", unit: "" }, { ...beside[4].item, channel: "cache_misses", unit: "1/s" }],
        phases: phasesOf(["A", "B", "A", "C", "XXX", null], HOUR / 6),
        bands: regionsOfHour(), gaps, events: [{ time_s: 600, type: 7, value: 1, type_text: "Cholesky", value_text: "<b>solve</b>" }, { time_s: 3000, type: 7, value: 2, type_text: "Cholesky", value_text: null }],
        provenance: [["wattle.version", "0.1.0"], ["run.command", "mpirun -n 4 ./solve"], ["cpu.model", "Intel(R) Xeon(R) Platinum 8360Y CPU @ 2.40GHz"], ["cpu.sockets", "2"],
            ["sensor.perf.note", "energy-cores is not there on this processor"], ["kernel.release", "6.1.0-18-amd64"],
            ...Array.from({ length: 40 }, (_, i) => [`numa.node.${i}`, `${i * 4}-${i * 4 + 3}`])],
    });
}

export const EVIL_LETTER = "A<b>";
export const EVIL = '</script><img src=x onerror="window.evil=1">';

// Names that look like html, very long ones, ones that change the text direction.
export function hostile() {
    const random = dice(2);
    const names = [`rapl:package-0${EVIL}`, `x:${"very-long-".repeat(24)}0`, "y:\u202Egpu-0<b>bold</b>"];
    const gaps = names.map((name, i) => ({ channel: name, begin_s: 2 + i, end_s: 2.4 + i, reason: EVIL }));
    const made = names.map((name, i) => series({ name, time: 0, count: 500, step: 0.02, level: () => 40 + 20 * i, noise: 3, random, gaps }));
    return report({
        title: EVIL, span_s: [0, 10], window_s: [0, 10], times: [{ count: 500, begin: pack(Array.from({ length: 500 }, (_, i) => i * 0.02)), end_s: 10 }],
        power: made.map((one) => one.item), distributions: made.map((one, i) => distribution(names[i], one.mean, 0.02)),
        run: run({
            command: EVIL, host: EVIL, wall_time_s: 10, flags: [EVIL], flag_texts: { [EVIL]: EVIL },
            channels: names.map((name, i) => channel(name, { domain: EVIL, sensor: EVIL, label: EVIL, in_total: i === 0, within: i === 2 ? names[1] : null, energy_j: 400, resolution_interval_j: 2,
                mean_w: 40, min_w: 38, max_w: 42, samples: 500, gaps: 1, gap_s: 0.4, unknown_s: 0.4, gap_reasons: [EVIL] })),
            total: { channels: [names[0]], energy_j: 400, resolution_interval_j: 2, low_j: null, high_j: null, mean_w: 40, quality: "measured", contains: EVIL, excludes: [EVIL] },
            regions: [region(EVIL, 3, 2, 80, 3), region("__proto__", 3, 2, 80, 3)],
        }),
        bands: { names: [EVIL, "__proto__"], rows: [{ process: 1, thread: 1, rank: 0, depth: 0 }], row: [0, 0], name: [0, 1], begin: pack([1, 4]), end: pack([3, 8]), share: pack([1, 1]), merged_s: 0, left_out: 0 },
        phases: phasesOf([EVIL, EVIL_LETTER], 5, [EVIL, "long".repeat(30)]),
        gaps, provenance: [[EVIL, EVIL], ["long", "word".repeat(400)]],
    });
}

export const empty = () => report({ run: run({ wattle: { interval_ms: 100, late_p50_us: null, late_p99_us: null, late_max_us: null, missed: null, dropped: null, sampler_cpu: null, cpu_s: null, energy_j: null } }) });

function small(count, mean, facts = {}) {
    const name = "powercap:package-0";
    const time = { count, begin: pack(Array.from({ length: count }, (_, i) => i)), end_s: Math.max(0, count - 1) };
    return report({
        span_s: [0, Math.max(0, count - 1)], window_s: null, times: [time],
        power: [{ channel: name, unit: "W", time: 0, stretch_s: null, min: pack(mean), mean: pack(mean), max: pack(mean) }],
        run: run({ wall_time_s: null, channels: [channel(name, { samples: count })], flags: ["UNFINISHED"], flag_texts: { UNFINISHED: "the trace was cut off" } }), ...facts,
    });
}

export const one = () => small(1, [42]);
export const onlyGaps = () => small(10, new Array(10).fill(NaN), { gaps: [{ channel: "powercap:package-0", begin_s: 0, end_s: 9, reason: "read failed" }] });

// A machine without sensors: a model, with a range.
export function estimated() {
    const name = "estimate:node-0";
    const made = series({ name, time: 0, count: 300, step: 0.1, level: (t) => 60 + 30 * Math.sin(t / 3), noise: 2, random: dice(3) });
    const facts = { quality: "estimated", in_total: true, energy_j: 1810, low_j: 1190, high_j: 2600, mean_w: 60.3, min_w: 29, max_w: 92, sd_w: 21, samples: 300 };
    return report({
        span_s: [0, 30], window_s: [0, 30], times: [{ count: 300, begin: pack(Array.from({ length: 300 }, (_, i) => i / 10)), end_s: 30 }], power: [made.item],
        distributions: [distribution(name, made.mean, 0.1)],
        run: run({ wall_time_s: 30, channels: [channel(name, facts)], total: { channels: [name], energy_j: 1810, resolution_interval_j: null, low_j: 1190, high_j: 2600, mean_w: 60.3, quality: "estimated",
            contains: "node", excludes: ["supply loss"] }, edp_js: 54300, ed2p_js2: 1629000 }),
    });
}

export function repeats() {
    const document = estimated();
    const spread = (mean, sd) => ({ mean, sd, ci95: (sd * 2.776) / Math.sqrt(5) });
    const [energies, time] = [[1790, 1801, 1810, 1822, 1829], 30];
    const name = "powercap:package-0";
    const facts = { quality: "simulated", simulated: true, simulates: "measured", in_total: true, energy_j: 1810.4, resolution_interval_j: 0.4, mean_w: 60.3, min_w: 29, max_w: 92, samples: 300 };
    document.power[0].channel = name;
    document.distributions[0].channel = name;
    document.run = run({
        wall_time_s: time, channels: [channel(name, facts)], edp_js: 54300, ed2p_js2: 1629000,
        total: { channels: [name], energy_j: 1810.4, resolution_interval_j: 0.4, low_j: null, high_j: null, mean_w: 60.3, quality: "simulated", simulated: true, simulates: "measured", contains: "package of 1 socket", excludes: ["dram"] },
        repeat: { n: 5, wall_time_s: spread(30, 0.2), energy_j: spread(1810.4, 15.4), mean_w: spread(60.3, 0.5), edp_js: spread(54300, 800), ed2p_js2: spread(1629000, 30000), cpu_s: spread(29, 0.1),
            channels: { [name]: { energy_j: spread(1810.4, 15.4), mean_w: spread(60.3, 0.5) } } },
    });
    document.run.runs = energies.map((energy_j) => ({ ...run({ wall_time_s: time }), total: { ...document.run.total, energy_j, mean_w: energy_j / time } }));
    return document;
}

export const SAMPLES = { hour, hostile, empty, one, onlyGaps, estimated, repeats };

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
    const make = SAMPLES[process.argv[2]];
    process.stdout.write(make ? JSON.stringify(make()) : `${Object.keys(SAMPLES).join("\n")}\n`);
}
