// SPDX-License-Identifier: BSD-3-Clause
// Synthetic documents wattle.pose-page/1 for the tests of the page; their values are computed here from the closed
// forms of Et^n and EDS, not by the code under test.
import { EVIL, pack } from "./samples.js";

// Et^n: h = n + 1, g(P) = P^(1/h). EDS: h = 1, g(P) = P + beta / alpha.
const forms = {
    "Et^3": { kind: "Et^N", n: 3, alpha: null, beta: null, g: (p) => p ** 0.25, M: (e, t) => e * t ** 3 },
    "Et^1": { kind: "Et^N", n: 1, alpha: null, beta: null, g: (p) => p ** 0.5, M: (e, t) => e * t },
    "EDS:1,900": { kind: "EDS", n: null, alpha: 1, beta: 900, g: (p) => p + 900, M: (e, t) => e + 900 * t },
    "E*t^2+0.1*t": { kind: "expression", n: null, alpha: null, beta: null, g: (p) => p ** (1 / 3), M: (e, t) => e * t * t },
};

// The model of one code under one metric, as --format json has it, and its shapes.
function modelOf({ label = null, group = null, t_s, e_j, pmin_w = 181.14, pmax_w = 345.57, metric, candidates, ...facts }) {
    const { g, M } = forms[metric];
    const p_w = e_j / t_s;
    const at = (t, p) => ({ t_s: t, e_j: p * t });
    const tC = (t_s * g(pmin_w)) / g(p_w);
    const vertices = { A: at((tC * g(pmin_w)) / g(pmax_w), pmax_w), B: at((t_s * g(p_w)) / g(pmax_w), pmax_w), C: at(tC, pmin_w), D: at(t_s, pmin_w), E: at((t_s * g(p_w)) / g(pmin_w), pmin_w) };
    const { A, B, C, D, E } = vertices;
    const insight = (name, absolute, ratio) => ({ [name]: absolute, ratio, absolute_interval: null, ratio_interval: null, advice: `Advice of ${metric}, ratio ${ratio.toFixed(3)}.` });
    const code = {
        label, group, theta: { t_s, e_j, p_w }, vertices, metric, pmin_w, pmax_w, warnings: [], interval_of: [], system: null,
        insights: {
            energy_saved: insight("absolute_j", e_j - D.e_j, e_j / D.e_j),
            metric_improvement: insight("absolute", M(e_j, t_s) - M(C.e_j, C.t_s), M(e_j, t_s) / M(C.e_j, C.t_s)),
            guaranteed_speedup: insight("absolute_s", t_s - B.t_s, t_s / B.t_s), worst_slowdown: insight("absolute_s", E.t_s - t_s, E.t_s / t_s),
            dominating_speedup: insight("absolute_s", t_s - A.t_s, t_s / A.t_s),
        },
        source: { origin: "given", quality: null, simulated: false, simulates: null, runs: null, contains: null, region: null, traces: [] },
        bounds: { origin: "given", quality: null, pmin_name: null, pmax_name: null, pmin_half_w: null, pmax_half_w: null }, ...facts,
    };
    if (candidates) {
        code.candidates = candidates.map(([name, parameter, t, e, region]) => {
            const gain = M(e_j, t_s) / M(e, t);
            return { label: name, t_s: t, e_j: e, p_w: e / t, parameter, on_front: region < 4, region, gain, power_share: gain > 1 ? 0.25 : null, run_time_share: gain > 1 ? 0.75 : null };
        });
    }
    return { code, shapes: shapesOf(code, forms[metric].g, [A, B, C, D, E]) };
}

function shapesOf({ theta, pmin_w, pmax_w }, g, corners) {
    const ts = [theta, ...corners].map(({ t_s }) => t_s);
    const es = [theta, ...corners].map(({ e_j }) => e_j);
    const room = (values) => 0.08 * (Math.max(...values) - Math.min(...values));
    const window = [Math.min(...ts) - room(ts), Math.max(...ts) + room(ts), Math.min(...es) - room(es), Math.max(...es) + room(es)];
    const powers = (from, to) => Array.from({ length: 25 }, (_, i) => from + ((to - from) * i) / 24);
    // Where on the ray of that power a version costs as much as a time on the ray of another.
    const bound = (p) => [(theta.t_s * g(theta.p_w)) / g(p), p];
    const limit = (p) => [((theta.t_s * g(pmin_w)) / g(theta.p_w)) * (g(pmin_w) / g(p)), p];
    const share = (p) => [(theta.t_s * g(p)) / g(theta.p_w), p];
    const flat = (pairs) => pack(pairs.flatMap(([t, p]) => [t, t * p]));
    return {
        window,
        curves: {
            pmin: flat([[Math.max(window[0], window[2] / pmin_w), pmin_w], [window[1], pmin_w]]), pmax: flat([[Math.max(window[0], window[2] / pmax_w), pmax_w], [window[3] / pmax_w, pmax_w]]),
            optimisation_bound: flat(powers(pmax_w, pmin_w).map(bound)), contribution_bound: flat(powers(pmin_w, theta.p_w).map(share)),
            optimisation_limit: flat(powers(pmax_w, pmin_w).map(limit)),
        },
        regions: [
            flat([[window[0], pmin_w], [window[0], pmax_w], ...powers(pmax_w, pmin_w).map(limit)]),
            flat([...powers(pmax_w, pmin_w).map(limit), ...powers(pmin_w, theta.p_w).map(share), ...powers(theta.p_w, pmax_w).map(bound)]),
            flat([...powers(pmin_w, theta.p_w).map(share), ...powers(theta.p_w, pmin_w).map(bound)]),
            flat([...powers(pmax_w, pmin_w).map(bound), [window[1], pmin_w], [window[1], window[3] / window[1]], [window[3] / pmax_w, pmax_w]]),
        ],
    };
}

// codes: facts for modelOf(); beside: other members of the document next to `codes`
export function pageOf(title, metrics, codes, { power = codes.map(() => []), ...beside } = {}) {
    const models = codes.flatMap((code) => metrics.map((metric) => modelOf({ ...code, metric })));
    const all = models.map(({ code }) => code);
    return {
        schema: "wattle.pose-page/1", wattle_version: "0.1.0", title, headlines: all.map(({ metric }) => `Power is worth a look under ${metric}.`),
        document: all.length === 1 ? { schema: "wattle.pose/1", ...all[0] } : { schema: "wattle.pose/1", codes: all, ...beside },
        metrics: metrics.map((name) => ({ kind: forms[name].kind, n: forms[name].n, alpha: forms[name].alpha, beta: forms[name].beta })),
        shapes: models.map(({ shapes }) => shapes), power,
    };
}

const TEALEAF = { label: "TeaLeaf OpenMP", group: "Haswell", t_s: 322.65, e_j: 98593.56 };
const MINIMD = { label: "miniMD OpenMP", group: "Haswell", t_s: 140.83, e_j: 34939.13 };

const one = () => pageOf("TeaLeaf OpenMP, Haswell", ["Et^3"], [TEALEAF]);
const metrics = () => pageOf("miniMD OpenMP, Haswell", ["Et^3", "EDS:1,900"], [MINIMD]);
const expression = () => pageOf("TeaLeaf", ["E*t^2+0.1*t"], [TEALEAF]);

const codes = () => pageOf("3 codes", ["Et^3", "EDS:1,900"], [TEALEAF, { ...TEALEAF, label: "TeaLeaf MPI", t_s: 322.23, e_j: 100404.76 }, { ...MINIMD, group: "KNL" }], {
    systems: [{ name: "node", group: "Haswell", metric: "Et^3", pmin_w: 167.76, pmax_w: 345.57, energy_saved: 2.06, metric_improvement: 4.243, guaranteed_speedup: 1.198, worst_slowdown: 1.198, dominating_speedup: 1.4353 }],
});

const versions = () => pageOf("miniMD OpenMP", ["Et^1"], [{ ...MINIMD, parameter: { name: "frequency", unit: "GHz" },
    candidates: [["1.8 GHz", 1.8, 160, 33000, 4], ["2.2 GHz", 2.2, 145, 30100, 3], ["2.6 GHz", 2.6, 120, 35500, 2], ["3.0 GHz", 3, 100, 23100, 1]] }]);

// From traces and a calibration: intervals, qualities, warnings, the power over time with a gap.
function traced() {
    const cells = 400;
    const run = (label, level) => ({ label, begin_s: pack(Array.from({ length: cells }, (_, i) => (i * 60) / cells)), end_s: 60,
        power_w: pack(Array.from({ length: cells }, (_, i) => (i > 300 && i < 330 ? NaN : level + (i < 60 ? -70 : 12 * Math.sin(i / 9))))) });
    const document = pageOf("./solve, node17", ["Et^3"], [{
        label: "./solve", group: "node17", t_s: 60, e_j: 15000, system: { energy_saved: 1.9, metric_improvement: 3.6, guaranteed_speedup: 1.17, worst_slowdown: 1.17, dominating_speedup: 1.38 },
        interval_of: ["runs", "bounds"], warnings: [{ name: "GAPS", text: "The traces have gaps of 4.5 s within the code." }],
        source: { origin: "trace", quality: "simulated", simulated: true, simulates: "measured", runs: 3, contains: "package + dram of 2 sockets", region: "solve", traces: ["a/one.wtl", "a/two.wtl", "a/three.wtl"] },
        bounds: { origin: "calibration", quality: "estimated", pmin_name: "omp_parallel", pmax_name: "fma", pmin_half_w: 1.2, pmax_half_w: null },
    }], { power: [[run("one.wtl", 245), run("two.wtl", 250), run("three.wtl", 255)]] });
    Object.values(document.document.insights).forEach((insight) => {
        insight.ratio_interval = [insight.ratio * 0.98, insight.ratio * 1.02];
    });
    return document;
}

const hostile = () => {
    const long = "very-long-".repeat(30);
    const document = pageOf(EVIL, ["Et^3"], [{ ...TEALEAF, label: EVIL, group: "y:\u202Enode<b>bold</b>", parameter: { name: EVIL, unit: "<i>" }, warnings: [{ name: EVIL, text: EVIL }],
        source: { origin: "trace", quality: "measured", simulated: false, simulates: null, runs: 3, contains: EVIL, region: EVIL, traces: [EVIL, long] },
        bounds: { origin: "calibration", quality: "measured", pmin_name: EVIL, pmax_name: long, pmin_half_w: null, pmax_half_w: null },
        candidates: [[EVIL, 1, 300, 90000, 2], ["__proto__", 2, 250, 80000, 1], [long, 3, 330, 99000, 4]] },
    { ...MINIMD, label: long }], { systems: [{ name: EVIL, group: long, metric: "Et^3", pmin_w: 1, pmax_w: 2, energy_saved: 2, metric_improvement: null, guaranteed_speedup: null, worst_slowdown: null, dominating_speedup: null }] });
    document.headlines = document.headlines.map(() => EVIL);
    return document;
};

// Without a minimum power, E and some insights are at infinity; below the floor some are negative.
function odd() {
    const document = pageOf("odd", ["Et^3"], [{ label: "no floor", t_s: 200, e_j: 40000 }, { label: "below", t_s: 194.72, e_j: 34205.62, pmin_w: 180.9, pmax_w: 329.69 }]);
    const [first] = document.document.codes;
    Object.assign(first, { pmin_w: 0, vertices: { ...first.vertices, E: { t_s: null, e_j: null } } });
    Object.assign(first.insights.worst_slowdown, { absolute_s: null, ratio: null });
    document.document.codes[1].warnings = [{ name: "BELOW_FLOOR", text: "The code draws less than Pmin." }];
    document.document.codes[1].bounds = { origin: "calibration", quality: "estimated", pmin_name: null, pmax_name: "fma", pmin_half_w: null, pmax_half_w: 3 };
    document.document.systems = [{ name: "package", group: "node17", metric: "Et^3", pmin_w: 1, pmax_w: 2, energy_saved: 2, metric_improvement: 2, guaranteed_speedup: 1.5, worst_slowdown: 1.5,
        dominating_speedup: 2, warnings: [{ name: "BOUNDS_SIMULATED", text: "Pmin and Pmax are simulated." }] }];
    return document;
}

// Less power than Pmin: lower power saves less than nothing.
const below = () => pageOf("below the floor", ["Et^3"], [{ t_s: 10, e_j: 900, pmin_w: 100, pmax_w: 300 }]);

export const POSE_SAMPLES = { one, metrics, expression, codes, versions, traced, hostile, odd, below };
