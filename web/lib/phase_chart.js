// SPDX-License-Identifier: BSD-3-Clause
// Phases over time: a line of bands for each node, in the colours of their letters.
import { BandChart } from "./band_chart.js";
import { digits, duration } from "./digits.js";
import { element } from "./element.js";
import { watts } from "./swatch.js";

const known = (x) => x !== null && x !== undefined;

// The nodes that have phases, and their phases as bands.
function bandsOf({ letters, nodes }) {
    const names = letters.map((letter) => letter.name);
    const shown = nodes.filter((node) => node.phases.length > 0);
    const all = shown.flatMap((node, row) => node.phases.map((phase) => ({ ...phase, row })));
    return {
        phases: all, names: [...names, "?"], left_out: nodes.filter((node) => node.phases.length === 0),
        rows: shown.map((node, i) => ({ name: nodes.length > 1 ? node.node : "phases", rank: null, process: 0, thread: i })),
        row: all.map((phase) => phase.row), name: all.map(({ letter }) => (letter === null ? names.length : names.indexOf(letter))),
        begin: all.map((phase) => phase.begin_s), end: all.map((phase) => phase.end_s),
    };
}

export function phaseEnergy(phase) {
    if (!known(phase.energy_j)) {
        return phase.energy_problem ?? "unknown";
    }
    const half = known(phase.energy_low_j) ? Math.max(phase.energy_high_j - phase.energy_j, phase.energy_j - phase.energy_low_j) : NaN;
    const least = phase.known_s < 0.999 * phase.length_s ? "at least " : "";
    return half > 0 ? `${least}${digits(phase.energy_j, half)} \u00b1 ${digits(half, half)}` : `${least}${digits(phase.energy_j)}`;
}

export class PhaseChart extends BandChart {
    // of: the document or run of a document that has `phases`
    constructor(of, view) {
        super({ ...of, bands: bandsOf(of.phases) }, view);
    }

    title() {
        return "Phases";
    }

    rowHeight() {
        return this.rows.length > 8 ? 16 : 26;
    }

    describe(time, row) {
        const phase = this.report.bands.phases[this.bandAt(time, row)];
        const node = this.rows.length > 1 ? [this.rows[row].name] : [];
        if (!phase) {
            return [...node, this.view.instant(time), "no phase"];
        }
        return [
            ...node, `phase ${phase.phase}, letter ${phase.letter ?? "unknown"}${phase.short ? " (short)" : ""}`,
            `${this.view.instant(phase.begin_s)} to ${this.view.instant(phase.end_s)}, ${duration(phase.length_s)}${phase.begin_uncertain_s > 0 ? `; begin \u00b1 ${duration(phase.begin_uncertain_s)}` : ""}`,
            `${known(phase.mean_w) ? `${watts(phase.mean_w)} W, ` : ""}${known(phase.energy_j) ? `${phaseEnergy(phase)} J` : `no energy: ${phaseEnergy(phase)}`}`,
            phase.counters.length > 0 ? `power follows ${phase.counters.join(", ")}` : "no counter varies with power",
        ];
    }

    // Nodes without phases, each with its reason.
    missing() {
        const list = this.report.bands.left_out;
        return list.length === 0 ? null : element("ul", { class: "note" }, list.map((node) => element("li", {}, `${node.node}: ${node.problem ?? "no phases"}`)));
    }

    makeFigure() {
        const [node] = this.report.phases.nodes.filter(({ phases }) => phases.length > 0);
        return element("figure", { id: "phases" },
            element("figcaption", {}, element("b", {}, "Phases"), ` found in ${node.counters.length} counters and power by ${this.report.phases.method}, in rows of ${duration(node.row_s)}. Same letter and colour: alike. `),
            this.keys(), this.plot.node, this.missing());
    }
}
