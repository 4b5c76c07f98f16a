// SPDX-License-Identifier: BSD-3-Clause
// The page of `wattle pose --plot x.html`: reads the embedded document and creates its sections.
import { showPage } from "../lib/page.js";
import { candidatesSection } from "./candidates.js";
import { chartSection } from "./charts.js";
import { readDocument } from "./document.js";
import { insightsSection } from "./insights.js";
import { powerSection } from "./power_time.js";
import { sourcesSection } from "./sources.js";
import { State } from "./state.js";
import { header, machinesSection, summarySection } from "./summary.js";
import { systemSection } from "./system.js";

const embedsOf = ({ redacted }) => (redacted ? "Redacted: host names, names of traces and details of warnings are left out."
    : "This page embeds host names, names of traces and details of warnings; \u201cwattle pose --redact\u201d leaves them out.");

showPage("wattle pose", () => {
    const page = readDocument();
    if (page.subjects.length === 0) {
        return { header: header(page), schema: "wattle.pose-page/1", embeds: embedsOf(page), sections: [machinesSection(page), systemSection(page)] };
    }
    const state = new State(page);
    return {
        header: header(page), schema: "wattle.pose-page/1",
        embeds: embedsOf(page),
        sections: [summarySection(page), chartSection(page, state), insightsSection(page, state), candidatesSection(page, state),
            powerSection(page, state), systemSection(page), sourcesSection(page)].filter(Boolean),
    };
});
