// SPDX-License-Identifier: BSD-3-Clause
// What uPlot takes for the browser's own (web/build.js puts it there): plots are drawn at twice the density at least, so
// that they are sharp on paper, too.
export const devicePixelRatio = Math.max(2, globalThis.devicePixelRatio);
