// SPDX-License-Identifier: BSD-3-Clause
// The document wattle.pose-page/1 (docs/format/pose.md, "The page"), prepared: each code with its models, one for each
// metric.
import { documentOf } from "../lib/document.js";
import { unpack } from "../lib/stretches.js";

export const VERTICES = ["A", "B", "C", "D", "E"];

// Rows of numbers t, e, t, e, ... as [[t, e], ...]
function points(packed) {
    const flat = unpack(packed);
    return Array.from({ length: flat.length >> 1 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
}

function shapesOf({ window, curves, regions }) {
    return {
        window,
        curves: Object.fromEntries(Object.entries(curves).map(([name, packed]) => [name, points(packed)])),
        regions: regions.map(points),
    };
}

function nameOf({ label, group }) {
    return [label ?? "the code", group].filter(Boolean).join(", ");
}

function curvesOfPower(runs) {
    return runs.map(({ power_w, begin_s, ...rest }) => {
        const [mean, begin] = [unpack(power_w), unpack(begin_s)];
        return { ...rest, time: { begin, end_s: rest.end_s }, min: mean, mean, max: mean };
    });
}

export function readDocument() {
    const page = documentOf("wattle-pose", "wattle.pose-page/1");
    const { document } = page;
    const codes = document.codes ?? (document.theta ? [document] : []);
    const count = page.metrics.length;
    // Of machines without a code, the systems have the metrics in their order.
    const names = codes.length > 0 ? codes.slice(0, count).map(({ metric }) => metric) : [...new Set(document.systems.map(({ metric }) => metric))];
    const metrics = page.metrics.map((form, index) => ({ ...form, index, name: names[index] }));
    const models = codes.map((code, i) => ({ ...code, index: i, form: metrics[i % count], headline: page.headlines[i], shapes: shapesOf(page.shapes[i]) }));
    const subjects = Array.from({ length: codes.length / count }, (_, s) => {
        const own = models.slice(s * count, (s + 1) * count);
        return { index: s, name: nameOf(own[0]), models: own, power: curvesOfPower(page.power[s] ?? []), candidates: own[0].candidates ?? [] };
    });
    return {
        title: page.title, redacted: page.redacted, version: page.wattle_version, subjects, models, metrics,
        systems: document.systems ?? [], parameter: document.parameter ?? models[0]?.parameter ?? null,
    };
}
