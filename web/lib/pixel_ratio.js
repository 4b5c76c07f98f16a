// SPDX-License-Identifier: BSD-3-Clause
// Replaces the browser's own value in uPlot (set up in web/build.js): plots are drawn at no less than twice the
// density, so that they are sharp on paper, too.
export const devicePixelRatio = Math.max(2, globalThis.devicePixelRatio);
