// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of the parts of a chart: as nodes for the tooltip, and as one sentence for screen readers.
import { element } from "../lib/element.js";
import { isCaution, qualityWord } from "../lib/quality.js";
import { absoluteOf, known, parameter as parameterValue, percent, ratioOf, textOf, times, value } from "./values.js";
import { CURVES, INSIGHTS, insightOf, REGIONS, THETA, VERTEX_TEXT } from "./words.js";

function rows(list) {
    return element("table", {}, list.map(([name, ...nodes]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, ...nodes))));
}

// { nodes, label } from a title, facts [name, ...nodes], and sentences
function said(title, facts, ...sentences) {
    const texts = sentences.filter(Boolean);
    return {
        nodes: () => [element("p", { class: "tip-time" }, title), rows(facts.map(([name, make]) => [name, ...make()])), ...texts.map((text) => element("p", {}, text))],
        label: `${title}. ${facts.map(([name, make]) => `${name} ${textOf(make())}`).join(", ")}. ${texts.join(" ")}`,
    };
}

const place = ({ t_s, e_j }, code, what, scale = { t_s, e_j }) => [
    ["run time", () => value(t_s, "s", `${what}.t_s`, code, scale.t_s)],
    ["energy", () => value(e_j, "J", `${what}.e_j`, code, scale.e_j)],
    ["mean power", () => value(t_s > 0 ? e_j / t_s : NaN, "W", `${what}.p_w`, code)],
];

// For values that are not measurements.
function quality(of) {
    const word = of ? qualityWord(of) : "unknown";
    return isCaution(word) ? [["quality", () => [word]]] : [];
}

export function thetaTip(subject, model) {
    return said(`${THETA}: ${subject.name}`, [...place(model.theta, model.index, "theta"), ...quality(model.source)], ...model.warnings.map(({ text }) => text));
}

export function vertexTip(model, letter, several) {
    const name = insightOf(letter);
    const facts = [
        ...place(model.vertices[letter], model.index, letter, model.theta),
        [INSIGHTS[name].name.toLowerCase(), () => [...absoluteOf(model, name), " (", ...ratioOf(model, name), ")"]],
    ];
    return said(several ? `${letter}, under ${model.metric}` : letter, facts, VERTEX_TEXT[letter], model.insights[name].advice);
}

export function curveTip(model, name, several) {
    const watts = { pmin: model.pmin_w, pmax: model.pmax_w }[name];
    const metric = several && !known(watts) ? `, under ${model.metric}` : "";
    return said(`${CURVES[name].name}${metric}`, known(watts) ? [["power", () => value(watts, "W", `${name}_w`, model.index)], ...quality(model.bounds)] : [], CURVES[name].text);
}

// at: the point under the mouse, if any; verdict: for that point
export function regionTip(n, at, verdict) {
    const facts = at ? [...place(at, "", "here"), ...verdictFacts(verdict, "").slice(1)] : [];
    return said(`Region ${n}: ${REGIONS[n].name}`, facts, REGIONS[n].text);
}

// verdict: { region, gain, power_share, run_time_share }
export function verdictFacts({ region, gain, power_share, run_time_share }, code) {
    return [
        ["region", () => [known(region) ? `${region}, ${REGIONS[region].name}` : "unknown"]],
        known(gain) && ["gain", () => [times(gain)]],
        known(power_share) && ["won by power", () => [percent(power_share)]],
        known(run_time_share) && ["won by run time", () => [percent(run_time_share)]],
    ].filter(Boolean);
}

// Where no code of this machine should be.
export function outsideOf({ pmin_w, pmax_w }, { p_w }) {
    return p_w < pmin_w ? "Below Pmin: outside of the envelope." : p_w > pmax_w ? "Above Pmax: outside of the envelope." : "";
}

export function candidateTip(model, candidate, parameter) {
    const given = parameter && known(candidate.parameter) ? [[parameter.name, () => [parameterValue(candidate.parameter, model.index), parameter.unit ? ` ${parameter.unit}` : ""]]] : [];
    return said(candidate.label, [...given, ...place(candidate, model.index, "candidate"), ...verdictFacts(candidate, model.index)],
        outsideOf(model, candidate), candidate.on_front ? "On the Pareto front: no other version is as good in run time and energy." : "");
}

export function pointTip(at, verdict) {
    return said("What if", [...place(at, "", "probe"), ...verdictFacts(verdict, "")], known(verdict.region) ? REGIONS[verdict.region].text : "");
}
