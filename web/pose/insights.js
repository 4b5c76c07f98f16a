// SPDX-License-Identifier: BSD-3-Clause
// The five insights: for each model with intervals and advice; for many models side by side.
import { element, number } from "../lib/element.js";
import { sortableTable } from "../lib/sortable.js";
import { lights, thetaKey, vertexKey } from "./light.js";
import { absoluteOf, cautionBadge, plain, ratioOf } from "./values.js";
import { HEADS, HEADS_TEXT, INSIGHTS, THETA } from "./words.js";

function intervalNote(model) {
    const of = model.interval_of ?? [];
    if (of.length === 0) {
        return "No intervals: nothing is known about the spread of run time, energy and bounds.";
    }
    const words = { runs: "the spread from run to run", resolution: "the resolution of the sensors", bounds: "the intervals of the bounds" };
    return `\u00b1 is half of the 95 % interval. It holds ${of.map((name) => words[name] ?? name).join(", ")}.`;
}

function table(model) {
    const rows = Object.entries(INSIGHTS).map(([name, { vertex, name: title, text }]) => lights(element("tr", { tabindex: "0", "data-insight": name, "data-code": model.index },
        element("th", { scope: "row" }, element("span", { class: "letter-badge" }, vertex), title, element("span", { class: "note" }, ` ${text}`)),
        element("td", { class: "number" }, absoluteOf(model, name)), element("td", { class: "number" }, ratioOf(model, name)),
        element("td", { class: "advice" }, model.insights[name].advice ?? "")), vertexKey(model, vertex)));
    return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Insights of ${model.metric}` }, element("table", { class: "insights" },
        element("thead", {}, element("tr", {}, ["insight, and its vertex in the chart", "absolute", "ratio", "what to do"].map((text, i) =>
            element("th", { scope: "col", class: i === 1 || i === 2 ? "number" : null }, text)))),
        element("tbody", {}, rows)));
}

// All models, sorted by code or by potential gain.
function overview({ subjects, models }) {
    const columns = [
        { name: "code", key: ({ subject }) => subject.name, cell: ({ subject }) => [lights(element("span", {}, subject.name), thetaKey(subject)), cautionBadge(subject.models[0].source)] },
        { name: "metric", key: ({ model }) => model.metric, cell: ({ model }) => model.metric },
        { name: "mean power [W]", number: true, key: ({ model }) => model.theta.p_w, cell: ({ model }) => number(model.theta.p_w, plain(model.theta.p_w)) },
        ...Object.entries(INSIGHTS).map(([name, { vertex, name: title, text }]) => ({
            name: HEADS[name], title: `${title} ${text} (${vertex})`, number: true,
            key: ({ model }) => model.insights[name].ratio, cell: ({ model }) => ratioOf(model, name, false),
        })),
    ];
    return models.length < 2 ? null : [
        sortableTable("Ratios of all codes and metrics", columns, subjects.flatMap((subject) => subject.models.map((model) => ({ subject, model })))),
        element("p", { class: "note" }, HEADS_TEXT),
    ];
}

function details(subject, model, state) {
    const head = element("span", {}, `${subject.name} `, element("span", { class: "note" }, `under ${model.metric}`));
    const body = () => [element("p", {}, model.headline), table(model), element("p", { class: "note" }, intervalNote(model))];
    const node = element("details", { class: "model", open: model.index === 0 }, element("summary", {}, lights(head, thetaKey(subject))), element("div", {}, body()));
    const update = () => (node.hidden = !state.subjects.has(subject.index) || !state.metrics.has(model.form.index));
    state.on(update);
    update();
    return node;
}

export function insightsSection(page, state) {
    const { models, subjects } = page;
    const single = models.length === 1;
    return element("section", { id: "insights", "aria-labelledby": "insights-head" }, element("h2", { id: "insights-head" }, "Insights"),
        overview(page),
        single ? [table(models[0]), element("p", { class: "note" }, intervalNote(models[0]))]
            : subjects.flatMap((subject) => subject.models.map((model) => details(subject, model, state))),
        element("p", { class: "note" }, `Ratios do not depend on how long ${THETA} ran, unless a warning says so. All are bounds: what an optimisation brings is less.`));
}
