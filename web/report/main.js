// SPDX-License-Identifier: BSD-3-Clause
// The page of `wattle report`: reads the embedded document and creates its sections.
import { showPage } from "../lib/page.js";
import { View } from "../lib/view.js";
import { Activity } from "./activity.js";
import { activitySection } from "./activity_table.js";
import { channelDetails } from "./channel_details.js";
import { distributionSection } from "./distribution.js";
import { readDocument } from "./document.js";
import { energySection } from "./energy.js";
import { eventsSection, gapsSection } from "./gaps.js";
import { overTime } from "./over_time.js";
import { phasesSection } from "./phases_table.js";
import { provenanceSection } from "./provenance.js";
import { regionsSection } from "./regions_table.js";
import { repeatsSection } from "./repeats.js";
import { Stretch } from "./stretch.js";
import { header, ownCost, summary } from "./summary.js";
import { wasteSection } from "./waste_table.js";

function build() {
    const report = readDocument();
    const view = new View(...report.extent);
    const activity = report.tasks ? new Activity(report, view) : null;
    const sections = [
        summary(report), energySection(report), repeatsSection(report), overTime(report, view, activity), report.power.length > 0 || activity ? new Stretch(report, view, activity).node : null, wasteSection(activity, view), phasesSection(report), regionsSection(report), distributionSection(report),
        gapsSection(report, view), eventsSection(report, view), activitySection(report), channelDetails(report), ownCost(report.run), provenanceSection(report),
    ].filter(Boolean);
    const embeds = report.redacted ? "Redacted: host and user names, paths, arguments, process numbers, addresses, serial numbers and environment are left out."
        : "This page embeds the command line, host name, paths, process numbers and all metadata of the trace; \u201cwattle report --redact\u201d leaves them out.";
    return { header: header(report), sections, schema: "wattle.report/1", embeds };
}

showPage("wattle report", build);
