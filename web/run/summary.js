// SPDX-License-Identifier: BSD-3-Clause
// The top of the page: what ran where, its energy, what is missing.
import { element, number } from "../lib/element.js";
import { duration, si } from "../lib/digits.js";
import { isCaution, qualityBadge, qualitySentence, qualityWord } from "../lib/quality.js";
import { date } from "../lib/times.js";
import { energy, known, nodesText, percent, power } from "./values.js";

export const fact = (label, ...value) => element("div", { class: "fact" }, element("dt", {}, label), element("dd", {}, ...value));

export function header(report) {
    const [run] = report.runs;
    const one = report.runs.length === 1;
    return element("header", {},
        element("p", { class: "kind" }, "wattle report"),
        element("h1", {}, report.title),
        element("p", { class: "where" }, [
            one ? nodesText(run.node_count) : `${report.runs.length} runs`,
            one && run.run_id && `run ${run.run_id}`,
            one && known(run.begin_realtime_ns) && date(run.begin_realtime_ns),
            ...(one ? Object.entries(run.labels).filter(([key]) => key !== "run").map(([key, value]) => `${key} ${value}`) : []),
            `wattle ${report.wattle_version}`,
        ].filter(Boolean).join(" \u00b7 ")));
}

function totalCard(run) {
    const [total] = run.parts;
    const word = qualityWord(total);
    if (!known(total.energy_j) && !known(total.known_j)) {
        return element("div", { class: "total" }, element("p", { class: "big" }, "energy unknown"), element("p", {}, "No node has a total: nothing can be added up."));
    }
    const some = total.unknown_nodes > 0 ? `The energy of ${nodesText(total.unknown_nodes)} is unknown: the number covers only the others.` : null;
    const partial = total.partial_nodes > 0 ? `On ${nodesText(total.partial_nodes)} the energy of up to ${duration(total.unknown_s)} is missing.` : null;
    return element("div", { class: `total ${word}` },
        element("p", { class: "big" }, energy(total), element("span", { class: "unit" }, " J"), " ", qualityBadge(word)),
        total.energy_j >= 3600 ? element("p", { class: "note" }, `${si(total.energy_j / 3600, (total.resolution_interval_j ?? NaN) / 3600)}Wh`) : null,
        element("p", { class: "contains" }, `Sum over ${total.nodes} of ${nodesText(run.node_count)} of `, element("b", {}, run.contains ?? "nothing"),
            run.not_measured.length > 0 ? `; not measured: ${run.not_measured.join(", ")}.` : "."),
        some ? element("p", { class: "caution" }, some) : null,
        partial ? element("p", { class: "caution" }, partial) : null,
        run.totals_differ ? element("p", { class: "caution" }, "The totals of the nodes do not contain the same things.") : null,
        isCaution(word) ? element("p", { class: "caution" }, qualitySentence(word)) : null,
        element("p", { class: "note" }, known(total.high_j) ? "In brackets: between these lies the truth with 95 %." : "\u00b1 is half of the 95 % interval from ticks, timing and gaps."));
}

function clocks({ alignment }) {
    return `${alignment.by}${known(alignment.residual_s) ? `, to ${duration(alignment.residual_s)}` : ""}`;
}

function network(run) {
    return run.network ? `${percent(run.network.share)}, ${power(run.network.node_w)} W a node` : "not measured";
}

export function summary(run) {
    const facts = [
        fact("time", number(run.time_s, duration(run.time_s), { "data-what": "time_s" })),
        fact("mean power of a node", number(run.power.mean, `${power(run.power.mean)} W`, { "data-what": "power.mean" })),
        fact("nodes from", `${power(run.power.min)} to ${power(run.power.max)} W`),
        fact("network", network(run)),
        fact("time in MPI", run.mpi ? percent(run.mpi.share.mean) : "not measured"),
        fact("clocks aligned by", clocks(run)),
        known(run.interval_s) && run.interval_s > 0 ? fact("sampled every", duration(run.interval_s)) : null,
    ];
    return element("section", { id: "summary", "aria-labelledby": "summary-head" },
        element("h2", { id: "summary-head", class: "unseen" }, "Result"), totalCard(run), element("dl", { class: "facts" }, facts), absent(run), flags(run));
}

// Flags of the nodes' results, each flag once.
export function flags(run) {
    const items = run.flags.map(({ name, nodes, first_node, text }) => element("li", { "data-flag": name }, element("b", {}, name.replaceAll("_", " ")),
        first_node === null ? `: ${text}` : ` ${first_node}${nodes > 1 ? ` and ${nodes - 1} other${nodes > 2 ? "s" : ""}` : ""}: ${text}`));
    return items.length > 0 ? element("ul", { class: "flags", "aria-label": "Flags" }, items) : null;
}

// Missing nodes and traces, by name.
export function absent(run) {
    const out = run.nodes?.filter((node) => node.marks.includes("not added")) ?? [];
    const items = [
        ...run.absent.map(({ name, why }) => element("li", { "data-absent": name }, element("b", {}, why ? "LEFT OUT" : "MISSING"), ` ${name}: ${why ?? "the node has no trace"}`)),
        out.length > 0 ? element("li", {}, element("b", {}, "NOT ADDED"), ` ${out.slice(0, 12).map((node) => node.name).join(", ")}${out.length > 12 ? ` and ${out.length - 12} more` : ""}: `,
            "estimates, which are not added to what was measured") : null,
    ].filter(Boolean);
    return items.length > 0 ? element("ul", { class: "flags", "aria-label": "What is missing" }, items) : null;
}
