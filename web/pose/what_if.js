// SPDX-License-Identifier: BSD-3-Clause
// A movable point: shows what another run time and power would mean. With the mouse, a finger, arrow keys, or input
// fields.
import { element, svg } from "../lib/element.js";
import { speak } from "../lib/tooltip.js";
import { verdictOf } from "./model.js";
import { inBox } from "./points.js";
import { pointTip, verdictFacts } from "./tips.js";
import { plain } from "./values.js";
import { power, REGIONS, THETA } from "./words.js";

const ROUND = 4; // significant digits of moved values

const round = (x) => Number(x.toPrecision(ROUND));

// Slightly faster, within the envelope and the chart.
function firstGuess({ theta, vertices, pmin_w, pmax_w, shapes }) {
    const t = theta.t_s - 0.35 * Math.abs(theta.t_s - vertices.A.t_s) || theta.t_s * 0.9;
    return [round(Math.max(t, shapes.window[0])), round(Math.min(Math.max(theta.p_w, pmin_w + 0.1 * (pmax_w - pmin_w)), pmax_w))];
}

class WhatIf {
    constructor(page, state, charts) {
        Object.assign(this, { page, state, charts });
        const [t_s, p_w] = firstGuess(page.subjects[0].models[0]);
        this.time = this.input("what-if-time", t_s);
        this.watts = this.input("what-if-power", p_w);
        this.answer = element("output", { class: "answer", for: "what-if-time what-if-power" });
        this.subject = page.subjects[0];
        for (const chart of charts) {
            chart.extras.push(() => this.draw(chart));
        }
        state.on(() => this.choose());
        this.tell();
    }

    input(id, value) {
        return element("input", { id, type: "number", min: 0, step: "any", inputmode: "decimal", value, input: () => this.refresh() });
    }

    get at() {
        const [t_s, p_w] = [this.time, this.watts].map((node) => Number(node.value));
        return t_s > 0 && p_w > 0 ? { t_s, p_w, e_j: t_s * p_w } : null;
    }

    get model() {
        return this.subject.models[this.state.front];
    }

    // The chosen code among those shown, or the first.
    choose() {
        if (!this.state.subjects.has(this.subject.index)) {
            this.subject = this.page.subjects.find(({ index }) => this.state.subjects.has(index));
            this.select && (this.select.value = String(this.subject.index));
            this.charts.forEach((chart) => this.draw(chart));
        }
        this.tell();
    }

    codes() {
        if (this.page.subjects.length < 2) {
            return null;
        }
        this.select = element("select", { "aria-label": "Code", change: () => {
            this.subject = this.page.subjects[Number(this.select.value)];
            this.state.subjects.add(this.subject.index);
            this.state.changed();
        } }, this.page.subjects.map(({ index, name }) => element("option", { value: index }, name)));
        return ["of ", this.select, " "];
    }

    refresh() {
        this.charts.forEach((chart) => this.draw(chart));
        this.tell();
    }

    tell() {
        const { at } = this;
        if (!at) {
            this.answer.replaceChildren("Run time and power must be above 0.");
            return;
        }
        const verdict = verdictOf(this.model, at);
        const facts = verdictFacts(verdict, "").map(([name, make]) => element("span", { class: "fact", "data-fact": name }, `${name} `, element("b", {}, ...make())));
        const outside = at.p_w < this.model.pmin_w ? ["Below ", power("min"), ": no busy machine draws so little. "] : at.p_w > this.model.pmax_w
            ? ["Above ", power("max"), ": the machine cannot draw so much. "] : null;
        this.answer.replaceChildren(...facts, element("span", { class: "note" }, outside, verdict.region ? REGIONS[verdict.region].text : ""));
    }

    move(t_s, e_j) {
        const t = round(Math.max(t_s, this.model.theta.t_s * 1e-3));
        this.time.value = t;
        this.watts.value = round(Math.max(e_j / t, this.model.pmax_w * 1e-3));
        this.refresh();
    }

    draw(chart) {
        this.marks ??= new Map();
        const { at } = this;
        const here = chart.subject === this.subject && at && chart.plot;
        const node = this.marks.get(chart) ?? this.make(chart);
        if (!here) {
            node.remove();
            return;
        }
        const [x, y] = chart.plot.at(at);
        node.classList.toggle("outside", !inBox([x, y], chart.plot.box));
        node.setAttribute("transform", `translate(${x.toFixed(1)},${y.toFixed(1)})`);
        node.setAttribute("aria-label", pointTip(at, verdictOf(this.model, at)).label);
        node.parentNode === chart.svg || chart.svg.append(node);
    }

    make(chart) {
        const node = svg("g", { class: "probe", tabindex: "0", role: "img", "aria-roledescription": "movable point" }, svg("title", {}, "What if: drag me, or use the arrow keys"),
            svg("circle", { class: "hit", r: 18 }), svg("circle", { class: "ring", r: 8 }), svg("text", { y: 4, "text-anchor": "middle", "aria-hidden": "true" }, "?"));
        this.marks.set(chart, node);
        node.addEventListener("keydown", (event) => this.key(event, chart));
        node.addEventListener("pointerdown", (event) => {
            event.preventDefault();
            node.focus({ preventScroll: true });
            node.setPointerCapture(event.pointerId);
        });
        node.addEventListener("pointermove", (event) => {
            if (node.hasPointerCapture(event.pointerId)) {
                const { t_s, e_j } = chart.valuesAt(event);
                this.move(t_s, e_j);
            }
        });
        return node;
    }

    key(event, chart) {
        const step = event.shiftKey ? 20 : 4;
        const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
        if (!by || !this.at) {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
        const [x, y] = chart.plot.at(this.at);
        this.move(chart.plot.x.invert(x + by[0]), chart.plot.y.invert(y + by[1]));
        speak(pointTip(this.at, verdictOf(this.model, this.at)).label);
    }

    panel() {
        return element("div", { class: "what-if controls", role: "group", "aria-labelledby": "what-if-head" },
            element("h3", { id: "what-if-head" }, "What if"),
            element("p", {}, "What if a version ", this.codes(), "took ", element("label", {}, this.time, " s"), " at ", element("label", {}, this.watts, " W"),
                `? (${THETA}: ${plain(this.model.theta.t_s)} s, ${plain(this.model.theta.p_w)} W.) The point `, element("b", {}, "?"), " in the chart can be dragged."),
            this.answer);
    }
}

export const whatIf = (page, state, charts) => new WhatIf(page, state, charts).panel();
