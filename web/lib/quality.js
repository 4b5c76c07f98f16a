// SPDX-License-Identifier: BSD-3-Clause
// How reliable a value is, as a word with a mark: never by colour only.
import { element } from "../lib/element.js";

const MARKS = { measured: "\u25cf", derived: "\u25d0", estimated: "\u2248", simulated: "\u25a1", unknown: "?" };
const SENTENCES = {
    measured: "A sensor measured it.",
    derived: "Worked out from measured values.",
    estimated: "From a model, not from a sensor.",
    simulated: "From a simulated node, not a real machine.",
    unknown: "Nothing is known about it.",
};

export const qualityWord = (of) => of.quality ?? "unknown";

export function qualityBadge(word) {
    return element("span", { class: `quality ${word}`, title: SENTENCES[word] },
        element("span", { "aria-hidden": "true" }, `${MARKS[word] ?? ""} `), word);
}

// Precedes a name in a picture if the value is not a measurement.
export const cautionMark = (word) => (isCaution(word) ? `${MARKS[word]} ` : "");

export const qualitySentence = (word) => SENTENCES[word] ?? "";
export const isCaution = (word) => word === "estimated" || word === "simulated";
