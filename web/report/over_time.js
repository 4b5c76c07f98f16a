// SPDX-License-Identifier: BSD-3-Clause
// Everything drawn over time, on one axis that zooms together: power, regions, then what else the machine did.
import { choice } from "../lib/choice.js";
import { element } from "../lib/element.js";
import { digits, duration } from "../lib/digits.js";
import { pageKeys } from "../lib/gestures.js";
import { PhaseChart } from "../lib/phase_chart.js";
import { isCaution, qualityBadge, qualityWord } from "../lib/quality.js";
import { integral } from "../lib/stretches.js";
import { watts } from "../lib/swatch.js";
import { clock, clockUnit } from "../lib/times.js";
import { activityCharts } from "./activity_charts.js";
import { LaneChart } from "./lane_chart.js";
import { legend } from "./legend.js";
import { PowerChart } from "./power_chart.js";
import { RegionChart } from "./region_chart.js";
import { known, totalQuality } from "./values.js";
import { WorkChart } from "./work_chart.js";

const MOST_SHOWN = 12;

// The channels that are drawn initially: all if there are few.
function firstShown(report) {
    const few = report.power.length <= MOST_SHOWN ? report.power : report.power.filter((item) => item.facts.in_total || !item.facts.within);
    return new Set(few.map((item) => item.index));
}

// Joules and mean power of the visible part: for the total, over the time in which all its channels are known.
function shownEnergy(report, view) {
    const parts = report.power.filter((item) => item.facts?.in_total);
    const [from, to] = [Math.max(view.begin, report.window_s?.[0] ?? view.begin), Math.min(view.end, report.window_s?.[1] ?? view.end)];
    if (parts.length === 0 || to <= from || report.run.repeat) {
        return "";
    }
    const sums = parts.map((item) => integral(item, from, to));
    const known_s = Math.min(...sums.map((one) => one.known_s));
    const word = totalQuality(report.run);
    const mean = sums.reduce((all, one) => all + one.sum / one.known_s, 0);
    return known_s <= 0 ? "; power unknown" : `: ${digits(mean * known_s)} J, mean ${watts(mean)} W${isCaution(word) ? `, ${word}` : ""}${
        known_s < 0.999 * (to - from) ? `; ${duration(to - from - known_s)} of it unknown` : ""}`;
}

// Pressed: dragging selects a stretch.
function selectButton(view) {
    const button = element("button", { type: "button", id: "select", "aria-pressed": "false", title: "Dragging selects a stretch instead of zooming (or drag with Alt)",
        click: () => view.setSelecting(!view.selecting) }, "Select");
    view.on("mode", () => button.setAttribute("aria-pressed", String(view.selecting)));
    return button;
}

// Tasks, and regions where the lines below cannot show each.
function laneFigures(report, view, activity) {
    const wanted = activity && (activity.tasks.by === "task" || report.bands.merged_s > 0 || report.bands.left_out > 0);
    return wanted ? [new WorkChart(activity, view).figure, new LaneChart(activity, view).figure] : null;
}

function toolbar(report, view, state, changed) {
    const button = (label, name, action) => element("button", { type: "button", "aria-label": name, title: name, "data-do": name, click: action }, label);
    const shown = element("output", { class: "shown-range" });
    const longest = Math.max(Math.abs(view.first), Math.abs(view.last));
    const tell = () => {
        const step = (view.end - view.begin) / 500;
        shown.textContent = `${clock(view.begin, step, longest)} to ${clock(view.end, step, longest)} ${clockUnit(longest)} (${duration(view.end - view.begin)})${shownEnergy(report, view)}`;
    };
    view.on("window", tell);
    tell();
    return element("div", { class: "toolbar controls", role: "toolbar", "aria-label": "Charts over time" },
        choice("Power as", [["Lines", false], ["Stack", true]], state.stacked, (value) => changed({ stacked: value })),
        choice("Power axis", [["From 0", true], ["Fit", false]], state.fromZero, (value) => changed({ fromZero: value })),
        element("span", { class: "choice" },
            button("\u25c0", "Earlier", () => view.pan(-0.25)), button("+", "Zoom in", () => view.zoom(0.5)),
            button("\u2212", "Zoom out", () => view.zoom(2)), button("\u25b6", "Later", () => view.pan(0.25)),
            button("All", "Show all", () => view.reset())),
        selectButton(view),
        shown);
}

function cautionWord(item) {
    const word = qualityWord(item.facts);
    return isCaution(word) ? ` (${word})` : "";
}

// A description of the picture.
function inWords(report) {
    const peak = (item) => item.max.reduce((best, x, i) => (x > item.max[best] || Number.isNaN(item.max[best]) ? i : best), 0);
    return report.power.filter((item) => item.max.some((x) => !Number.isNaN(x))).map((item) => {
        const at = peak(item);
        const mean = known(item.facts?.mean_w) ? `mean ${watts(item.facts.mean_w)} W, ` : "";
        return `${item.channel}${cautionWord(item)}: ${mean}highest ${watts(item.max[at])} W at ${item.time.begin[at].toFixed(3)} s`;
    });
}

// The table's min..max are of longer stretches than the line has: where power changes faster, the line leaves them.
function windowNote(report) {
    const longer = report.power.filter(({ facts, stretch_s }) => known(stretch_s) && known(facts?.min_w) && facts.stat_window_ms > 1e3 * stretch_s);
    const windows = [...new Set(longer.map(({ facts }) => duration(facts.stat_window_ms / 1e3)))];
    return windows.length === 0 ? "" : `min..max in the table are of means over ${windows.join(" or ")}: of shorter changes, which the line shows, they have the mean. `;
}

function stretchNote(report) {
    const stretches = [...new Set(report.power.map((item) => item.stretch_s))];
    const texts = stretches.map((s) => (known(s) ? `mean values over at least ${duration(s)}` : "single samples"));
    return `Line: mean. Band: minimum to maximum inside each stretch, of ${texts.join(" or ")}. Changes that a single update of the counter explains are not drawn. ${windowNote(report)}`;
}

export function overTime(report, view, activity) {
    if (report.power.every((item) => item.mean.length === 0) && !activity) {
        return element("section", { id: "time", "aria-labelledby": "time-head" }, element("h2", { id: "time-head" }, "Over time"),
            element("p", {}, report.span_s ? "No channel of power or energy has a value over time." : "The trace holds no samples."));
    }
    const state = { stacked: false, fromZero: true, shown: firstShown(report) };
    const power = new PowerChart(report, view, state);
    pageKeys(view);
    const changed = (change) => {
        Object.assign(state, change);
        figure.dataset.stacked = state.stacked;
        power.plot.rebuild();
    };
    const words = inWords(report);
    const figure = element("figure", { id: "power", "data-stacked": "false" },
        element("figcaption", {}, element("b", {}, "Power [W]"), isCaution(totalQuality(report.run)) ? [" ", qualityBadge(totalQuality(report.run))] : null, element("span", { class: "for-lines" }, ` ${stretchNote(report)}`),
            element("span", { class: "for-stack" }, " Means of channels that may be added up, on top of each other; spikes show in the lines. ")),
        power.plot.node);
    return element("section", { id: "time", "aria-labelledby": "time-head" },
        element("h2", { id: "time-head" }, "Over time"),
        element("p", { class: "hint controls" }, "Drag to zoom, Shift-drag to pan, Alt-drag to select, double-click to see all; the wheel zooms once a chart has the focus (or with Ctrl). Keys: W S zoom, A D move, \u2190 \u2192 cursor, 0 all."),
        toolbar(report, view, state, changed), figure,
        laneFigures(report, view, activity),
        report.phases ? new PhaseChart(report, view).figure : null,
        element("details", { class: "words" }, element("summary", {}, "In words"), element("ul", {}, words.map((text) => element("li", {}, text)))),
        legend(report.power, view, state.shown, () => changed({})),
        report.bands.row.length > 0 ? new RegionChart(report, view).figure : null,
        activityCharts(report, view));
}
