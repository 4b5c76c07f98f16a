// SPDX-License-Identifier: BSD-3-Clause
// The top of the page: what was measured, its energy, warnings.
import { element, number } from "../lib/element.js";
import { bytes, digits, duration, interval, product, si } from "../lib/digits.js";
import { isCaution, qualityBadge, qualitySentence } from "../lib/quality.js";
import { date } from "../lib/times.js";
import { known, totalEnergy, totalHalf, totalMean, totalQuality } from "./values.js";

function fact(label, ...value) {
    return element("div", { class: "fact" }, element("dt", {}, label), element("dd", {}, ...value));
}

export function header(report) {
    const { run } = report;
    const end = run.exit_code;
    return element("header", {},
        element("p", { class: "kind" }, "wattle report"),
        element("h1", {}, report.title),
        element("p", { class: "where" }, [
            known(run.host) && `on ${run.host}`,
            known(run.start_realtime_ns) && date(run.start_realtime_ns),
            run.repeat && `mean of ${run.repeat.n} runs`,
            known(end) && end !== 0 && (end > 128 && end <= 192 ? `died of signal ${end - 128}` : `exit status ${end}`),
            `wattle ${report.wattle_version}`,
        ].filter(Boolean).join(" \u00b7 ")));
}

function totalCard(run) {
    const word = totalQuality(run);
    if (!known(run.total.energy_j)) {
        return element("div", { class: "total" }, element("p", { class: "big" }, totalEnergy(run)),
            element("p", {}, "No total: nothing can be added up. ", run.channels.length === 0 ? "No channel of energy or power was recorded." : ""));
    }
    return element("div", { class: `total ${word}` },
        element("p", { class: "big" }, totalEnergy(run), element("span", { class: "unit" }, " J"), " ", qualityBadge(word)),
        run.total.energy_j >= 3600 ? element("p", { class: "note" }, `${si(run.total.energy_j / 3600, totalHalf(run) / 3600)}Wh`) : null,
        element("p", { class: "contains" }, "Total of ", element("b", {}, run.total.contains ?? "nothing"),
            run.total.excludes.length > 0 ? `; excludes ${run.total.excludes.join(", ")}.` : "."),
        isCaution(word) ? element("p", { class: "caution" }, qualitySentence(word)) : null,
        run.repeat ? element("p", { class: "note" }, "\u00b1 is the 95 % interval of the mean over runs.") : element("p", { class: "note" },
            known(run.total.low_j) ? "In brackets: between these lies the truth with 95 %." : "\u00b1 is half of the 95 % interval from ticks, timing and gaps."));
}

function wallTime(run) {
    const t = run.wall_time_s;
    if (run.repeat && known(run.repeat.wall_time_s.ci95)) {
        return `${interval(t, run.repeat.wall_time_s.ci95)} s`;
    }
    return run.repeat || !(t >= 1) ? duration(t) : `${t.toFixed(4)} s`;
}

function timesEnergy(run) {
    const half = totalHalf(run);
    const t = run.wall_time_s;
    const repeat = known(run.total.high_j) ? null : run.repeat;
    return [
        fact("EDP", number(run.edp_js, product(run.edp_js, repeat ? repeat.edp_js.ci95 : half * t), { "data-what": "edp_js" }), "J s"),
        fact("ED2P", number(run.ed2p_js2, product(run.ed2p_js2, repeat ? repeat.ed2p_js2.ci95 : half * t * t), { "data-what": "ed2p_js2" }), "J s\u00b2"),
    ];
}

// Values derived from CPU time have no interval of their own: three digits, for an estimate two.
const share = (joules, quality) => digits(joules, quality === "estimated" ? Math.abs(joules) : NaN);

function processFacts({ process }) {
    return [
        known(process.cpu_s) && fact("CPU time", number(process.cpu_s, duration(process.cpu_s))),
        known(process.max_rss_bytes) && fact("largest process", bytes(process.max_rss_bytes)),
        known(process.energy_share_j) && fact("share of the process tree",
            number(process.energy_share_j, `${share(process.energy_share_j, process.quality)} J`), " ", qualityBadge(process.quality)),
    ];
}

function idleFacts(run) {
    const { idle } = run;
    if (!idle) {
        return [];
    }
    const drift = Math.abs(idle.after_w - idle.before_w) / 2 * run.wall_time_s;
    const half = known(idle.after_w) && known(idle.before_w) ? Math.hypot(drift, totalHalf(run)) : NaN;
    return [
        fact("idle before, after", `${digits(idle.before_w)} W, ${digits(idle.after_w)} W`),
        known(idle.above_j) && fact("above idle", number(idle.above_j, `${interval(idle.above_j, half)} J`)),
    ];
}

function labelsFact({ labels }) {
    const words = Object.entries(labels ?? {}).map(([key, value]) => `${key} ${value}`);
    return words.length > 0 ? fact("labels", words.join(", ")) : null;
}

function workFact(run) {
    const { work, total } = run;
    if (!work || !(work.amount > 0)) {
        return null;
    }
    const half = totalHalf(run) / work.amount;
    return fact(`per ${work.unit ?? "unit"}`, known(total.energy_j)
        ? number(work.j_per_unit, `${si(work.j_per_unit, half)}J`) : "unknown");
}

export function summary(report) {
    const { run } = report;
    const facts = [
        fact("time", number(run.wall_time_s, wallTime(run), { "data-what": "wall_time_s" })),
        known(run.total.mean_w) && fact("mean power", totalMean(run), " W"),
        ...(known(run.edp_js) ? timesEnergy(run) : []),
        labelsFact(run), workFact(run), ...idleFacts(run), ...processFacts(run),
    ].filter(Boolean);
    return element("section", { id: "summary", "aria-labelledby": "summary-head" },
        element("h2", { id: "summary-head", class: "unseen" }, "Result"),
        totalCard(run), element("dl", { class: "facts" }, facts), flags(run));
}

function flags(run) {
    if (run.flags.length === 0) {
        return element("p", { class: "no-flags" }, "No flags: nothing casts doubt on this result.");
    }
    return element("ul", { class: "flags", "aria-label": "Flags" }, run.flags.map((name) => element("li", { "data-flag": name },
        element("b", {}, element("span", { "aria-hidden": "true" }, "\u26a0 "), name), " ", Object.hasOwn(run.flag_texts, name) ? run.flag_texts[name] : "")));
}

// The cost of wattle itself.
export function ownCost({ wattle, total }) {
    const rows = [
        ["CPU time", known(wattle.cpu_s) && duration(wattle.cpu_s)],
        ["energy", known(wattle.energy_j) && `${share(wattle.energy_j, total.quality)} J (by the same rule as the share)`],
        ["interval", known(wattle.interval_ms) && duration(wattle.interval_ms / 1e3)],
        ["sampling delay: median, p99, max", known(wattle.late_p50_us) &&
            [wattle.late_p50_us, wattle.late_p99_us, wattle.late_max_us].map((us) => duration(us / 1e6)).join(", ")],
        ["missed deadlines", known(wattle.missed) && String(wattle.missed)],
        ["samples dropped", known(wattle.dropped) && String(wattle.dropped)],
        ["sampler on CPU", known(wattle.sampler_cpu) ? String(wattle.sampler_cpu) : "not pinned"],
    ].filter(([, value]) => value);
    return element("section", { id: "own", "aria-labelledby": "own-head" }, element("h2", { id: "own-head" }, "Wattle itself"),
        element("dl", { class: "facts" }, rows.map(([label, value]) => fact(label, value))));
}
