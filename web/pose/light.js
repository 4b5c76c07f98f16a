// SPDX-License-Identifier: BSD-3-Clause
// Highlights related items together: a row of a table, a point of a chart, an entry of a legend.

function turn(key, on) {
    for (const node of document.querySelectorAll(`[data-light="${key}"]`)) {
        node.classList.toggle("lit", on);
    }
}

// keys consist of our own names and numbers, never of untrusted text
export const vertexKey = (model, letter) => `vertex-${model.index}-${letter}`;
export const thetaKey = (subject) => `theta-${subject.index}`;
export const candidateKey = (i) => `candidate-${i}`;
export const regionKey = (n) => `region-${n}`;
export const curveKey = (name) => `curve-${name}`;

export function lights(node, key) {
    node.setAttribute("data-light", key);
    for (const [event, on] of [["pointerenter", true], ["pointerleave", false], ["focusin", true], ["focusout", false]]) {
        node.addEventListener(event, () => turn(key, on));
    }
    return node;
}
