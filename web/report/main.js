// SPDX-License-Identifier: BSD-3-Clause
import uPlot from "uplot";

const report = JSON.parse(document.getElementById("wattle-report").textContent);
document.getElementById("page").textContent = `${report.title} ${uPlot.name}`;
