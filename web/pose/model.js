// SPDX-License-Identifier: BSD-3-Clause
// Classifies another version of a code: region, gain, shares, by the rules of src/analysis/pose/pose.c. For the movable
// point and the pointer; everything else on the page comes from the document.

// M(from) / M(to), points { t_s, e_j }; null if the page does not support the metric
function ratio({ kind, n, alpha, beta }, from, to) {
    switch (kind) {
    case "Et^N":
        return (from.e_j / to.e_j) * (from.t_s / to.t_s) ** n;
    case "EDS":
        return (alpha * from.e_j + beta * from.t_s) / (alpha * to.e_j + beta * to.t_s);
    case "EDD":
        return Math.hypot(alpha * from.e_j, beta * from.t_s) / Math.hypot(alpha * to.e_j, beta * to.t_s);
    default:
        return null;
    }
}

function inside(polygon, { t_s, e_j }) {
    let hit = false;
    for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
        const [[xi, yi], [xj, yj]] = [polygon[i], polygon[j]];
        if (yi > e_j !== yj > e_j && t_s < ((xj - xi) * (e_j - yi)) / (yj - yi) + xi) {
            hit = !hit;
        }
    }
    return hit;
}

// { region, gain, power_share, run_time_share }; unknown values are null. at: { t_s, e_j }
export function verdictOf(model, at) {
    const { theta, vertices, form, shapes } = model;
    const gain = ratio(form, theta, at);
    if (gain === null) {
        const found = shapes.regions.findIndex((polygon) => inside(polygon, at));
        return { region: found < 0 ? null : found + 1, gain, power_share: null, run_time_share: null };
    }
    const byPower = ratio(form, theta, { t_s: theta.t_s, e_j: (at.e_j / at.t_s) * theta.t_s });
    const byTime = ratio(form, theta, { t_s: at.t_s, e_j: (theta.e_j / theta.t_s) * at.t_s });
    const share = gain > 1 ? Math.log(byPower) / (Math.log(byPower) + Math.log(byTime)) : null;
    return { region: regionOf(gain, byPower > byTime, vertices.C.t_s > 0 && ratio(form, at, vertices.C) < 1), gain, power_share: share,
        run_time_share: share === null ? null : 1 - share };
}

function regionOf(gain, moreByPower, beatsC) {
    if (!(gain > 1)) {
        return 4;
    }
    return beatsC ? 1 : moreByPower ? 3 : 2;
}
