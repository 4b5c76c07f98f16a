// SPDX-License-Identifier: BSD-3-Clause
// Phases over time: a line of bands in the colours of their letters, below the power.
import { element } from "../lib/element.js";
import { digits, duration } from "../lib/digits.js";
import { watts } from "../lib/swatch.js";
import { BandChart } from "./band_chart.js";
import { timeText } from "./power_chart.js";
import { known } from "./values.js";

// The phases of the trace as the bands of one line.
function bandsOf({ letters, nodes }) {
    const phases = nodes[0].phases;
    const names = letters.map((letter) => letter.name);
    return {
        names: [...names, "?"], rows: [{ name: "phases", rank: null, process: 0, thread: 0 }],
        row: phases.map(() => 0), name: phases.map(({ letter }) => (letter === null ? names.length : names.indexOf(letter))),
        begin: phases.map((phase) => phase.begin_s), end: phases.map((phase) => phase.end_s), share: phases.map(() => 1), merged_s: 0, left_out: 0,
    };
}

export function phaseEnergy(phase) {
    if (!known(phase.energy_j)) {
        return "unknown";
    }
    const half = known(phase.energy_low_j) ? Math.max(phase.energy_high_j - phase.energy_j, phase.energy_j - phase.energy_low_j) : NaN;
    const least = phase.known_s < 0.999 * phase.length_s ? "at least " : "";
    return half > 0 ? `${least}${digits(phase.energy_j, half)} \u00b1 ${digits(half, half)}` : `${least}${digits(phase.energy_j)}`;
}

export class PhaseChart extends BandChart {
    constructor(report, view) {
        super({ ...report, bands: bandsOf(report.phases) }, view);
    }

    rowHeight() {
        return 26;
    }

    describe(time) {
        const i = this.bandAt(time, 0);
        const phase = this.report.phases.nodes[0].phases[i];
        if (!phase) {
            return [timeText(this.view, time), "no phase"];
        }
        return [
            `phase ${phase.phase}, letter ${phase.letter ?? "unknown"}${phase.short ? " (short)" : ""}`,
            `${timeText(this.view, phase.begin_s)} to ${timeText(this.view, phase.end_s)}, ${duration(phase.length_s)}${phase.begin_uncertain_s > 0 ? `; begin \u00b1 ${duration(phase.begin_uncertain_s)}` : ""}`,
            `${known(phase.mean_w) ? `${watts(phase.mean_w)} W, ` : ""}${phaseEnergy(phase)} J`,
            phase.counters.length > 0 ? `power follows ${phase.counters.join(", ")}` : "no counter varies with power",
        ];
    }

    makeFigure() {
        const [node] = this.report.phases.nodes;
        return element("figure", { id: "phases" },
            element("figcaption", {}, element("b", {}, "Phases"), ` found in ${node.counters.length} counters and power by ${this.report.phases.method}, in rows of ${duration(node.row_s)}. Same letter and colour: alike. `),
            this.keys(), this.plot.node);
    }
}
