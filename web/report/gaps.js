// SPDX-License-Identifier: BSD-3-Clause
// Times without trustworthy values, and the program's events: each entry links to its place in the charts.
import { element } from "../lib/element.js";
import { duration } from "../lib/digits.js";
import { sortableTable } from "../lib/sortable.js";
import { known, withText } from "./values.js";

// Shows an interval of the time, with the same length on either side.
function jump(view, begin, end, text) {
    const room = Math.max(end - begin, (view.last - view.first) / 200);
    return element("button", { type: "button", class: "jump", title: "show in the charts", click: () => {
        view.set(begin - room, end + room);
        document.getElementById("time")?.scrollIntoView();
    } }, text);
}

export function gapsSection(report, view) {
    const { gaps, gaps_left_out: more } = report;
    const marked = [...report.run.channels, ...report.run.activity].filter((channel) => channel.gaps > 0);
    if (gaps.length === 0 && marked.length === 0) {
        return element("section", { id: "gaps", "aria-labelledby": "gaps-head" }, element("h2", { id: "gaps-head" }, "Gaps"),
            element("p", {}, "None: every channel has values for the whole time."));
    }
    const columns = [
        { name: "channel", key: (row) => row.channel, cell: (row) => row.channel },
        { name: "from [s]", number: true, key: (row) => row.begin_s, cell: (row) => jump(view, row.begin_s, row.end_s, row.begin_s.toFixed(3)) },
        { name: "length", number: true, key: (row) => row.end_s - row.begin_s, cell: (row) => duration(row.end_s - row.begin_s) },
        { name: "reason", key: (row) => row.reason, cell: (row) => row.reason },
    ];
    return element("section", { id: "gaps", "aria-labelledby": "gaps-head" }, element("h2", { id: "gaps-head" }, "Gaps"),
        element("p", {}, "Intervals without a trustworthy value, which is not the same as zero. Hatched in the charts."),
        element("ul", {}, marked.map((channel) => element("li", {}, `${channel.name}: ${channel.gaps} time${channel.gaps === 1 ? "" : "s"}, ${duration(channel.gap_s)} in all (${channel.gap_reasons.join(", ")})`,
            known(channel.unknown_s) && channel.unknown_s > 0 && channel.unknown_s !== channel.gap_s ? `; its energy lacks ${duration(channel.unknown_s)}` : ""))),
        gaps.length > 0 ? element("details", { open: gaps.length <= 20 }, element("summary", {}, `${gaps.length} of them${more > 0 ? `, the longest; ${more} shorter ones are left out` : ""}`),
            sortableTable("Table of gaps", columns, gaps)) : null);
}

export function eventsSection({ events, events_left_out: more }, view) {
    if (events.length === 0) {
        return null;
    }
    const columns = [
        { name: "time [s]", number: true, key: (row) => row.time_s, cell: (row) => jump(view, row.time_s, row.time_s, row.time_s.toFixed(6)) },
        { name: "type", number: true, key: (row) => row.type, cell: (row) => withText(row.type, row.type_text) },
        { name: "value", number: true, key: (row) => row.value, cell: (row) => withText(row.value, row.value_text) },
    ];
    return element("section", { id: "events", "aria-labelledby": "events-head" }, element("h2", { id: "events-head" }, "Events"),
        element("details", { open: events.length <= 20 }, element("summary", {}, `${events.length} marked by the program${more > 0 ? `; ${more} more are left out, evenly` : ""}`),
            sortableTable("Table of events", columns, events)));
}
