// SPDX-License-Identifier: BSD-3-Clause
// The page of `wattle report` for runs of many nodes, one or several: reads the embedded document and creates its
// sections.
import { element } from "../lib/element.js";
import { showPage } from "../lib/page.js";
import { PhaseChart } from "../lib/phase_chart.js";
import { View } from "../lib/view.js";
import { breakdownSection } from "./breakdown.js";
import { readDocument } from "./document.js";
import { nodesSection } from "./nodes.js";
import { powerSection } from "./power_time.js";
import { regionsSection } from "./regions.js";
import { statisticsSection } from "./statistics.js";
import { boxesSection, casesSection, differencesSection, networkSection, runsOverTime, scalingSection } from "./study.js";
import { absent, header, summary } from "./summary.js";
import { nodesText } from "./values.js";

// Of nodes whose counters were recorded.
function phasesSection(run, view) {
    const content = run.phases ? new PhaseChart(run, view).figure : run.phases_problem ? element("p", {}, `None: ${run.phases_problem}.`) : null;
    return content && element("section", { id: "phases-of-nodes", "aria-labelledby": "phases-head" }, element("h2", { id: "phases-head" }, "Phases"), content);
}

function oneRun(report) {
    const [run] = report.runs;
    const view = new View(0, run.time_s);
    return [summary(run), powerSection(run, view), phasesSection(run, view), breakdownSection(run), regionsSection(run, view), nodesSection(run, view, report.reference_w), statisticsSection(run)];
}

// What is missing from each run, by name.
function overview(report) {
    const lists = report.runs.map((run) => [run, absent(run)]).filter(([, list]) => list);
    const nodes = report.runs.map((run) => run.node_count);
    const [fewest, most] = [Math.min(...nodes), Math.max(...nodes)];
    return element("section", { id: "summary", "aria-labelledby": "summary-head" }, element("h2", { id: "summary-head", class: "unseen" }, "Runs"),
        element("p", {}, `${report.runs.length} runs of ${report.study.cases.length} cases, on ${fewest === most ? nodesText(most) : `${fewest} to ${most} nodes`}.`),
        lists.map(([run, list]) => element("div", { class: "of-run" }, element("h3", {}, run.name), list)));
}

function severalRuns(report) {
    const view = new View(0, Math.max(...report.runs.map((run) => run.time_s)));
    return [overview(report), casesSection(report), boxesSection(report), scalingSection(report), differencesSection(report), networkSection(report), runsOverTime(report, view)];
}

function build() {
    const report = readDocument();
    const sections = (report.study ? severalRuns(report) : oneRun(report)).filter(Boolean);
    const embeds = report.redacted ? "Redacted: names of nodes and runs, paths, arguments and ids are left out."
        : "This page embeds the command line, the names of all nodes, run ids and labels; \u201cwattle report --redact\u201d leaves them out.";
    return { header: header(report), sections, schema: "wattle.run-report/1", embeds };
}

showPage("wattle report", build);
