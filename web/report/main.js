// SPDX-License-Identifier: BSD-3-Clause
// The page of `wattle report`: reads the document that stands in it, and makes its sections.
import { element } from "../lib/element.js";
import { onPrint, themeButton } from "../lib/theme.js";
import { hideTip, tooltipParts } from "../lib/tooltip.js";
import { View } from "../lib/view.js";
import { activitySection } from "./activity_table.js";
import { channelDetails } from "./channel_details.js";
import { distributionSection } from "./distribution.js";
import { readDocument } from "./document.js";
import { energySection } from "./energy.js";
import { eventsSection, gapsSection } from "./gaps.js";
import { overTime } from "./over_time.js";
import { provenanceSection } from "./provenance.js";
import { regionsSection } from "./regions_table.js";
import { repeatsSection } from "./repeats.js";
import { header, ownCost, summary } from "./summary.js";

const root = document.documentElement;

function links(sections) {
    return element("nav", { "aria-label": "Sections", class: "controls" }, sections.map((section) => {
        const head = section.querySelector("h2");
        return head ? element("a", { href: `#${section.id}` }, head.textContent) : null;
    }), themeButton());
}

function build(report) {
    const view = new View(...report.extent);
    const sections = [
        summary(report), energySection(report), repeatsSection(report), overTime(report, view), regionsSection(report), distributionSection(report),
        gapsSection(report, view), eventsSection(report, view), activitySection(report), channelDetails(report), ownCost(report.run), provenanceSection(report),
    ].filter(Boolean);
    const main = element("main", { id: "main", tabindex: "-1" }, sections);
    document.getElementById("page").append(
        element("a", { class: "skip", href: "#main" }, "Skip to the result"),
        header(report), links(sections.slice(1)), main, ...tooltipParts(),
        element("footer", {}, "Made by wattle. All data of this page stand in it as JSON, schema wattle.report/1."));
}

// All is open on paper.
function prepareToPrint() {
    let closed = [];
    onPrint(() => {
        hideTip();
        closed = [...document.querySelectorAll("details:not([open])")];
        closed.forEach((node) => (node.open = true));
    }, () => closed.forEach((node) => (node.open = false)));
}

// After the browser has painted: docs/dev/web.md, Speed.
function markDrawn() {
    requestAnimationFrame(() => setTimeout(() => {
        performance.mark("wattle-drawn");
        root.dataset.drawn = performance.now().toFixed(1);
    }));
}

try {
    build(readDocument());
    prepareToPrint();
    markDrawn();
} catch (error) {
    root.dataset.failed = String(error);
    document.getElementById("page").replaceChildren(element("main", {}, element("h1", {}, "wattle report"),
        element("p", { role: "alert" }, `The data in this page cannot be shown: ${error.message}. Write the page again with \u201cwattle report\u201d.`)));
    throw error;
}
