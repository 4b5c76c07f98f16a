// SPDX-License-Identifier: BSD-3-Clause
// The top of the page: which code, the answer in one sentence, warnings, and an introduction to the model.
import { element } from "../lib/element.js";
import { isCaution, qualityBadge, qualitySentence, qualityWord } from "../lib/quality.js";
import { machineName } from "./system.js";
import { absoluteOf, nothingOf, ratioOf, value } from "./values.js";
import { power, THETA } from "./words.js";

export function header(page) {
    return element("header", {},
        element("p", { class: "kind" }, "wattle pose"),
        element("h1", {}, page.title),
        element("p", { class: "where" }, [
            page.subjects.length > 1 ? `${page.subjects.length} codes` : page.subjects[0]?.models[0].group,
            page.metrics.map(({ name }) => name).join(", "),
            page.version && `wattle ${page.version}`,
        ].filter(Boolean).join(" \u00b7 ")));
}

// The most that lower power can gain; if nothing, say so instead of "at most -100 J".
function most(model) {
    const saved = nothingOf(model, "energy_saved")
        ? [element("b", {}, "saves nothing"), " (", ratioOf(model, "energy_saved"), ")"]
        : ["saves at most ", element("b", {}, absoluteOf(model, "energy_saved")), " (", ratioOf(model, "energy_saved"), ")"];
    return nothingOf(model, "metric_improvement")
        ? [...saved, " and ", element("b", {}, "cannot improve the metric"), " (", ratioOf(model, "metric_improvement"), "): there is nothing for a speed-up to beat."]
        : [...saved, " and improves the metric at most ", element("b", {}, ratioOf(model, "metric_improvement")), ". A version that is ",
            element("b", {}, ratioOf(model, "dominating_speedup")), " as fast beats all power optimisation."];
}

// One code, one metric.
function answer(subject, model) {
    const { theta, index } = model;
    const word = qualityWord(model.source ?? {});
    return element("div", { class: "answer-card" },
        element("p", { class: "headline" }, model.headline),
        element("p", { class: "lead" }, model.label ? `${subject.name} ` : "The code ", "took ", value(theta.t_s, "s", "theta.t_s", index), " and ", value(theta.e_j, "J", "theta.e_j", index),
            ": ", value(theta.p_w, "W", "theta.p_w", index), " on a machine that draws ", value(model.pmin_w, "", "pmin_w", index), " to ", value(model.pmax_w, "W", "pmax_w", index), "."),
        element("p", { class: "lead" }, "Under ", element("b", {}, model.metric), ", power optimisation alone ", most(model)),
        isCaution(word) ? element("p", { class: "caution" }, qualityBadge(word), ` ${qualitySentence(word)}`) : null);
}

// For all codes, and for machines.
function warnings({ subjects, systems }) {
    const list = [
        ...subjects.flatMap((subject) => subject.models.flatMap((model) => model.warnings.map((warning) => ({ ...warning, who: subject.name })))),
        ...systems.flatMap((system) => (system.warnings ?? []).map((warning) => ({ ...warning, who: machineName(system) }))),
    ];
    const texts = new Map();
    for (const { name, text, who } of list) {
        const key = `${name}\n${text}`;
        texts.set(key, { name, text, of: new Set([...(texts.get(key)?.of ?? []), who]) });
    }
    return texts.size === 0 ? null : element("ul", { class: "flags", "aria-label": "Warnings" }, [...texts.values()].map(({ name, text, of }) =>
        element("li", { "data-warning": name }, element("b", {}, element("span", { "aria-hidden": "true" }, "\u26a0 "), name), ` ${text}`,
            subjects.length + systems.length > 1 ? element("span", { class: "note" }, ` (${[...of].join("; ")})`) : null)));
}

// Machines without a code.
export function machinesSection({ subjects, systems }) {
    const count = new Set(systems.map(machineName)).size;
    return element("section", { id: "summary", "aria-label": "Summary" },
        element("p", { class: "headline" }, `What ${count === 1 ? "the machine allows" : `${count} machines allow`}, for any code.`),
        element("p", { class: "lead" }, "These are bounds: actual optimisations gain less. Give a code to see which of them it can reach."), warnings({ subjects, systems }));
}

const SENTENCES = () => [
    element("p", {}, "POSE, the Power-Optimised Software Envelope, answers before any work is done whether there is more to win from lower power or from shorter run time. "
        + "Its chart has run time to the right and energy upwards: a busy machine draws between ", power("min"), " and ", power("max"), `, so every version of a code lies between these two lines, and the code itself is ${THETA}. `,
        "The metric, a cost of energy and run time, draws the rest: below the optimisation bound a version is better than the code, C is the best that lower power can ever do, "
        + "and below the optimisation limit a version beats even that."),
    element("p", { class: "note" }, "Roberts, Wright, Fahmy, Jarvis: The Power-Optimised Software Envelope, ACM TACO 16 (2019)."),
];

const FEW = 6;

function several({ subjects, metrics, models }) {
    const what = subjects.length === 1 ? (models[0].label ? subjects[0].name : "The code") : `${subjects.length} codes`;
    const name = (subject, model) => [subjects.length > 1 && subject.name, metrics.length > 1 && model.metric].filter(Boolean).join(", ");
    return [
        element("p", { class: "lead" }, `${what} under ${metrics.map((metric) => metric.name).join(", ")}: the chart shows where other versions would be better, the table how much there is to win.`),
        models.length > FEW ? null : element("ul", { class: "headlines" }, subjects.flatMap((subject) => subject.models.map((model) =>
            element("li", {}, element("b", {}, `${name(subject, model)}: `), model.headline)))),
    ];
}

export function summarySection(page) {
    const [subject] = page.subjects;
    return element("section", { id: "summary", "aria-labelledby": "summary-head" }, element("h2", { id: "summary-head", class: "unseen" }, "Result"),
        page.models.length === 1 ? answer(subject, page.models[0])
            : several(page),
        warnings(page),
        element("details", { class: "about" }, element("summary", {}, "What POSE says, in three sentences"), SENTENCES()));
}
