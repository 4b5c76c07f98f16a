// SPDX-License-Identifier: BSD-3-Clause
// Regions over time: a line of bands for each thread and depth.
import { BandChart } from "../lib/band_chart.js";
import { duration } from "../lib/digits.js";
import { element } from "../lib/element.js";
import { regionEnergy } from "./values.js";

const FEW_HIDDEN = 8;

export class RegionChart extends BandChart {
    title() {
        return "Regions";
    }

    // Non-matching bands are pale; Enter shows the next match.
    search() {
        const { begin, end } = this.report.bands;
        const count = element("output", { role: "status" });
        const hits = () => [...begin.keys()].filter((i) => this.wanted && this.isFound(i)).sort((a, b) => begin[a] - begin[b]);
        let at = -1;
        const input = element("input", { type: "search", id: "find-region", autocomplete: "off", input: () => {
            this.wanted = input.value.trim().toLowerCase();
            at = -1;
            count.textContent = this.wanted ? ` ${hits().length} found` : "";
            this.plot.u?.redraw(false);
        }, keydown: (event) => {
            const found = hits();
            if (event.key !== "Enter" || found.length === 0) {
                return;
            }
            at = (at + (event.shiftKey ? found.length - 1 : 1)) % found.length;
            const [from, to] = [begin[found[at]], end[found[at]]];
            this.view.set(from - (to - from), to + (to - from));
            count.textContent = ` ${at + 1} of ${found.length}`;
        } });
        return element("p", { class: "controls" }, element("label", { for: "find-region" }, "Find a region "), input, count);
    }

    // Names without a band: others took longer wherever bands were joined.
    hiddenWords() {
        const drawn = new Set([...this.report.bands.name].map((name) => this.report.bands.names[name]));
        const hidden = this.report.run.regions.map(({ name }) => name).filter((name) => name && !drawn.has(name));
        const more = hidden.length > FEW_HIDDEN ? ` and ${hidden.length - FEW_HIDDEN} more` : "";
        return hidden.length === 0 ? "" : `Too short to have a band: ${hidden.slice(0, FEW_HIDDEN).join(", ")}${more}; see the table of regions. `;
    }

    describe(time, row) {
        const { thread, process, name, rank, depth } = this.rows[row];
        const where = `${rank === null ? "" : `rank ${rank}, `}process ${process}, thread ${thread}${name ? ` (${name})` : ""}, depth ${depth}`;
        const i = this.bandAt(time, row);
        if (i < 0) {
            return [this.view.instant(time), "no region", where];
        }
        const { begin, end, share } = this.report.bands;
        const energy = this.report.run.regions.find((region) => region.name === this.nameOf(i));
        const joined = share[i] < 1 ? `: ${Math.round(100 * share[i])} % of the time of several regions` : "";
        return [
            `${this.nameOf(i)}${joined}`, `${this.view.instant(begin[i])} to ${this.view.instant(end[i])}, ${duration(end[i] - begin[i])}`, where,
            energy && `all ${energy.count} of this name: inclusive ${regionEnergy(energy.inclusive, this.report.run.total)} J, exclusive ${regionEnergy(energy.exclusive, this.report.run.total)} J`,
        ].filter(Boolean);
    }

    makeFigure() {
        const { merged_s, left_out } = this.report.bands;
        return element("figure", { id: "bands" },
            element("figcaption", {}, element("b", {}, "Regions"), ` by ${this.rows.some((row) => row.rank !== null) ? "rank:thread" : "thread"}, nested ones below those around them. `,
                "Energy belongs to a name, not to one instance: most are shorter than the sensors resolve. ",
                merged_s > 0 ? `Bands of one name closer together than ${duration(merged_s)} are joined; where several follow each other within that time, the band has the name with most of it. ` : "",
                "Bands narrower than two pixels have a mark at the foot, the rarest region on top. ", this.hiddenWords(),
                left_out > 0 ? `${left_out} lines are left out.` : ""),
            this.search(), this.keys(), this.plot.node);
    }
}
