// SPDX-License-Identifier: BSD-3-Clause
// Synthetic documents wattle.run-report/1 for the tests of the page: a run of 40 nodes, 1536 nodes in 512 rows, hostile
// names, nothing known, a study.
import { pack, phasesOf } from "./samples.js";

function describe(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const n = sorted.length;
    if (n === 0) {
        return { n: 0, mean: null, sd: null, min: null, p5: null, q1: null, median: null, q3: null, p95: null, max: null };
    }
    const at = (p) => {
        const x = p * (n - 1);
        return sorted[Math.floor(x)] + (x - Math.floor(x)) * (sorted[Math.ceil(x)] - sorted[Math.floor(x)]);
    };
    const mean = sorted.reduce((a, b) => a + b) / n;
    const sd = n > 1 ? Math.sqrt(sorted.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1)) : null;
    return { n, mean, sd, min: sorted[0], p5: at(0.05), q1: at(0.25), median: at(0.5), q3: at(0.75), p95: at(0.95), max: sorted[n - 1] };
}

// Power of node i in cell k of `cells`: set-up, work, clean-up.
function watts(i, k, cells) {
    const t = k / cells;
    return (t < 0.2 ? 300 : t < 0.85 ? 520 : 260) + (i % 7) * 6 + 8 * Math.sin(k / 9 + i);
}

// Numbers of a run: count nodes, cells over length seconds. Node 3 is idle, node 5 has no values for a fifth of the
// time.
function matrix(count, cells) {
    return Array.from({ length: count }, (_, i) => Array.from({ length: cells }, (_, k) =>
        (i === 3 ? 90 : i === 5 && k > cells * 0.4 && k < cells * 0.6 ? NaN : watts(i, k, cells))));
}

function curve(part, rows, cells, factor) {
    const of = { sum: [], mean: [], min: [], q1: [], median: [], q3: [], max: [], covered: [] };
    for (let k = 0; k < cells; k++) {
        const d = describe(rows.map((row) => row[k] * factor).filter((w) => !Number.isNaN(w)));
        for (const key of ["mean", "min", "q1", "median", "q3", "max"]) {
            of[key].push(d[key] ?? NaN);
        }
        of.sum.push(d.n > 0 ? d.mean * d.n : NaN);
        of.covered.push(d.n);
    }
    return { part, ...Object.fromEntries(Object.entries(of).map(([key, values]) => [key, pack(values)])) };
}

function heat(by, nodes, rows, heatRows, columns) {
    const order = nodes.map((_, i) => i).sort((a, b) => (by === "name" ? a - b : nodes[a].energy_j - nodes[b].energy_j));
    const [first, last, power] = [[], [], []];
    for (let r = 0; r < heatRows; r++) {
        const members = order.slice(Math.floor((r * order.length) / heatRows), Math.floor(((r + 1) * order.length) / heatRows));
        first.push(nodes[members[0]].name);
        last.push(nodes[members.at(-1)].name);
        for (let c = 0; c < columns; c++) {
            const known = members.map((i) => rows[i][Math.floor((c * rows[i].length) / columns)]).filter((w) => !Number.isNaN(w));
            power.push(known.length > 0 ? known.reduce((a, b) => a + b) / known.length : NaN);
        }
    }
    return { by, columns, first, last, power: pack(power) };
}

function node(name, row, length, facts = {}) {
    const known = row.filter((w) => !Number.isNaN(w));
    const power_w = describe(known);
    return {
        name, marks: [], flags: [], begin_s: 0, end_s: length, energy_j: power_w.mean * length, resolution_interval_j: 0.4, mean_w: power_w.mean, quality: "measured",
        part_j: [power_w.mean * length * 0.8, power_w.mean * length * 0.2], power_w, gap_s: 0, mpi_ranks: 8, mpi_share: 0.2, clock: "sync points", residual_s: 4.1e-6, ...facts,
    };
}

const part = (name, of, nodes, length, facts = {}) => ({
    name, domain: name === "total" ? null : name, within: null, in_total: true, quality: "measured", simulated: false, simulates: null, nodes: of.length, unknown_nodes: 0,
    energy_j: of.reduce((a, b) => a + b, 0) * length, resolution_interval_j: 2.5, node_w: describe(of), ...facts,
});

function region(name, rows, cells, from, to) {
    const inside = Array.from({ length: cells }, (_, k) => k >= cells * from && k < cells * to);
    const at = (pick) => pack(inside.map((on, k) => (on ? pick(rows.map((row) => row[k]).filter((w) => !Number.isNaN(w))) : NaN)));
    return {
        name, nodes: rows.length, unknown_nodes: 0, unresolved_nodes: 0, count: rows.length, union_s: 60, energy_j: 12345.6, resolution_interval_j: 1.2, node_j: describe([300, 310, 320]), node_w: describe([500, 520]), node_s: describe([60, 60]),
        mean: at((list) => list.reduce((a, b) => a + b, 0) / list.length), min: at((list) => Math.min(...list)), max: at((list) => Math.max(...list)), inside: pack(inside.map((on) => (on ? rows.length : 0))),
    };
}

function run({ count = 40, cells = 120, length = 120, name = (i) => `n${String(i).padStart(4, "0")}`, facts = {}, heatRows = Math.min(count, 512), details = true }) {
    const rows = matrix(count, cells);
    const nodes = rows.map((row, i) => node(name(i), row, length, i === 3 ? { marks: ["idle"] } : i === 5 ? { gap_s: length / 5 } : {}));
    const means = nodes.map((one) => one.mean_w);
    const total = part("total", means, nodes, length);
    const out = {
        name: "run", run_id: "4711.0", command: "./solve --grid 512", labels: { app: "solve" }, begin_realtime_ns: 1795309498772876800, node_count: count, time_s: length, interval_s: 0.1,
        cells, cell_s: length / cells, fine_s: length / cells / 4,
        parts: [total, part("package", means.map((w) => w * 0.8), nodes, length), part("dram", means.map((w) => w * 0.2), nodes, length)],
        breakdown: [{ name: "package", energy_j: total.energy_j * 0.8, share: 0.8, derived: false }, { name: "dram", energy_j: total.energy_j * 0.2, share: 0.2, derived: false }],
        contains: "package + dram of 2 sockets", not_measured: ["GPUs", "network"], totals_differ: false,
        curves: [curve("total", rows, cells, 1), ...(details ? [curve("package", rows, cells, 0.8), curve("dram", rows, cells, 0.2)] : [])],
        energy: describe(nodes.map((one) => one.energy_j)), power: describe(means), time: describe(nodes.map(() => length)), moments: describe(rows.flat().filter((w) => !Number.isNaN(w))),
        extremes: { least: name(3), median: name(1), most: name(6) }, limits: { idle_below_w: 260, late_s: 1.2, outlier_nodes: count }, network: null, mpi: { ranks: 8 * count, share: describe(nodes.map(() => 0.2)) },
        alignment: { by: "sync points", residual_s: 4.1e-6 }, absent: [], flags: [], regions: [region("", rows, cells, 0, 0.2), region("solve", rows, cells, 0.2, 0.85)], regions_left_out: 0,
        phases: null, phases_problem: null,
    };
    return { ...out, ...(details ? { nodes, nodes_left_out: 0, heat: ["name", "energy"].map((by) => heat(by, nodes, rows, heatRows, Math.min(cells, 100))) } : {}), ...facts };
}

// Node 0 and 1 with phases, node 2 without.
function phasesOfNodes(name, length) {
    const of = phasesOf(["A", "B", "A", name("letter")], length / 4);
    const [node] = of.nodes;
    return { ...of, nodes: [0, 1, 2].map((i) => ({ ...node, node: name(i), phases: i === 2 ? [] : node.phases, problem: i === 2 ? "it has no counters" : null })) };
}

const report = (runs, facts = {}) => ({ schema: "wattle.run-report/1", wattle_version: "0.1.0", title: runs[0].command, reference_w: null, runs, study: null, ...facts });

const HOSTILE = "</script><img src=x onerror=alert(1)>\u202e<b>n";

function hostile() {
    const one = run({ count: 8, name: (i) => `${HOSTILE}${i}`, facts: { command: HOSTILE, run_id: HOSTILE, labels: { [HOSTILE]: HOSTILE }, contains: HOSTILE, not_measured: [HOSTILE], absent: [{ name: HOSTILE, why: HOSTILE }, { name: HOSTILE, why: null }], phases: phasesOfNodes((i) => `${HOSTILE}${i}`, 120) } });
    one.regions[1].name = HOSTILE;
    return report([one]);
}

// One trace without a value.
function nothing() {
    const none = describe([]);
    const blank = Array.from({ length: 16 }, () => NaN);
    const one = run({ count: 1, cells: 16 });
    return report([{
        ...one, parts: [{ ...one.parts[0], energy_j: null, resolution_interval_j: null, nodes: 0, node_w: none }], breakdown: [], contains: null, not_measured: [], energy: none, power: none, moments: none,
        curves: [curve("total", [blank], 16, 1)], extremes: { least: null, median: null, most: null }, limits: { idle_below_w: null, late_s: null, outlier_nodes: null }, mpi: null, regions: [], heat: [],
        nodes: [{ ...one.nodes[0], energy_j: null, mean_w: null, power_w: none, mpi_share: null }], alignment: { by: "alone", residual_s: null },
    }]);
}

// The energy of one node is unknown; flags of two nodes.
function flagged() {
    const one = run({ count: 8 });
    const flag = { name: "NOT_ALONE", text: "other programs took 40 % of the processors" };
    one.parts = one.parts.map((of) => ({ ...of, known_j: of.energy_j, energy_j: null, resolution_interval_j: null, nodes: 7, unknown_nodes: 1 }));
    one.nodes[2] = { ...one.nodes[2], energy_j: null, flags: [flag] };
    one.nodes[4] = { ...one.nodes[4], flags: [flag, { name: "CAPPED", text: "the power limit was lowered" }] };
    one.flags = [{ ...flag, nodes: 2, first_node: "n0002" }, { name: "CAPPED", text: "the power limit was lowered", nodes: 1, first_node: "n0004" }];
    return report([one]);
}

function study() {
    const labels = ["cg", "lu"].flatMap((app) => ["1024", "2048"].flatMap((nodes) => ["mesh", "torus"].map((topology) => [app, nodes, topology])));
    const spread = (mean, ci95 = mean / 100) => ({ mean, sd: ci95 / 2, ci95 });
    const runs = labels.flatMap(([app, nodes, topology], c) => [1, 2, 3].map((repeat) => run({
        count: 8, cells: 48, length: 100 + 40 * c, details: false, facts: { name: `${app}-${nodes}-${topology}-${repeat}`, labels: { app, nodes, topology, repeat: String(repeat) } },
    })));
    const cases = labels.map((values, c) => ({
        name: values.join(", "), values, runs: [3 * c, 3 * c + 1, 3 * c + 2], nodes: 8, time_s: spread(100 + 40 * c), energy_j: spread((100 + 40 * c) * 3600), node_w: spread(450 - 10 * c), network_w: spread(36), moments: runs[3 * c].moments,
    }));
    const change = (ratio) => ({ difference: { value: 1, low: 0.5, high: 1.5 }, ratio: { value: ratio, low: ratio - 0.02, high: ratio + 0.02 }, verdict: "none", text: "no verdict: fewer than five runs per side" });
    const differences = [{ key: "topology", a: 0, b: 1, time_s: change(0.9), energy_j: change(0.91), node_w: change(1.01), network_w: null }, { key: "app", a: 0, b: 4, time_s: change(1.2), energy_j: change(1.3), node_w: change(1.1), network_w: null }];
    runs[0].absent = [{ name: "n0007", why: null }];
    return report(runs, { title: "24 runs compared", reference_w: 560, study: { keys: ["app", "nodes", "topology"], cases, differences, energy_on_time: { cases: 8, exponent: 1.02, ci95: 0.03, correlation: 0.998 } } });
}

export const RUN_SAMPLES = {
    forty: () => report([run({ facts: { phases: phasesOfNodes((i) => (i === "letter" ? "C" : `n${String(i).padStart(4, "0")}`), 120) } })]),
    many: () => report([run({ count: 1536, cells: 64 })]),
    hostile, nothing, flagged, study,
};
