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
import { header, summarySection } from "./summary.js";
import { systemSection } from "./system.js";

showPage("wattle pose", () => {
    const page = readDocument();
    const state = new State(page);
    return {
        header: header(page), schema: "wattle.pose-page/1",
        embeds: page.redacted ? "Redacted: host names, names of traces and what remarks say of them are left out."
            : "This page embeds host names, the names of traces and what remarks say of them; \u201cwattle pose --redact\u201d leaves them out.",
        sections: [summarySection(page), chartSection(page, state), insightsSection(page, state), candidatesSection(page, state),
            powerSection(page, state), systemSection(page), sourcesSection(page)].filter(Boolean),
    };
});
