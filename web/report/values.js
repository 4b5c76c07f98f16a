// SPDX-License-Identifier: BSD-3-Clause
// Values of a run with their intervals, as `wattle run` prints them (src/report/result/text_channels.c).
import { number } from "../lib/element.js";
import { digits, interval, range, short } from "../lib/digits.js";
import { qualityWord } from "../lib/quality.js";

const known = (x) => x !== null && x !== undefined;
const SIGN = "\u00b1";

export const totalQuality = (run) => qualityWord(run.total);

// Half width of the 95 % interval of a channel's energy: over repeats if there are any.
export function halfOf(run, channel) {
    if (known(channel.high_j)) {
        return (channel.high_j - channel.low_j) / 2;
    }
    return (run.repeat ? (Object.hasOwn(run.repeat.channels, channel.name) ? run.repeat.channels[channel.name].energy_j.ci95 : null) : channel.resolution_interval_j) ?? NaN;
}

export function totalHalf(run) {
    const { total } = run;
    if (known(total.high_j)) {
        return (total.high_j - total.low_j) / 2;
    }
    return (run.repeat ? run.repeat.energy_j.ci95 : total.resolution_interval_j) ?? NaN;
}

// of: a channel or the total
function energy(of, half) {
    return known(of.high_j) ? range(of.energy_j, of.low_j, of.high_j) : interval(of.energy_j, half);
}

export function energyOf(run, channel) {
    return number(channel.energy_j, energy(channel, halfOf(run, channel)), { "data-what": "energy_j", "data-channel": channel.name });
}

export function totalEnergy(run) {
    return number(run.total.energy_j, energy(run.total, totalHalf(run)), { "data-what": "energy_j", "data-channel": "total" });
}

// Power has at most two decimals.
function power(value, half) {
    return digits(value, half < Math.min(0.1, Math.abs(value) / 100) ? Math.min(0.1, Math.abs(value) / 100) : half);
}

export function meanOf(run, channel) {
    return number(channel.mean_w, meanText(run, channel), { "data-what": "mean_w", "data-channel": channel.name });
}

export function totalMean(run) {
    const half = Math.abs(run.total.mean_w * totalHalf(run) / run.total.energy_j);
    return number(run.total.mean_w, power(run.total.mean_w, half), { "data-what": "mean_w", "data-channel": "total" });
}

function meanText(run, channel) {
    return power(channel.mean_w, Math.abs(channel.mean_w * halfOf(run, channel) / channel.energy_j));
}

// With few digits; with those of the mean if it would be outside otherwise.
export function rangeOf(run, channel) {
    if (!known(channel.min_w) || !known(channel.max_w)) {
        return "\u2013";
    }
    const mean = meanText(run, channel);
    const outside = Number(short(channel.min_w)) > Number(mean) || Number(short(channel.max_w)) < Number(mean);
    const text = outside ? (watts) => watts.toFixed((mean.split(".")[1] ?? "").length) : short;
    return [
        number(channel.min_w, text(channel.min_w), { "data-what": "min_w", "data-channel": channel.name }), "..",
        number(channel.max_w, text(channel.max_w), { "data-what": "max_w", "data-channel": channel.name }),
    ];
}

// The energy of a region: { energy_j, resolution_interval_j, interval_only }. If too short to be resolved: its
// interval. For an estimate the ends are in proportion to those of the total.
export function regionEnergy(energy, total) {
    const half = energy.resolution_interval_j ?? NaN;
    if (known(total.high_j) && total.energy_j > 0 && known(energy.energy_j) && !energy.interval_only) {
        const part = energy.energy_j / total.energy_j;
        return range(energy.energy_j, part * total.low_j, part * total.high_j);
    }
    if (!energy.interval_only || !known(energy.energy_j) || Number.isNaN(half)) {
        return interval(energy.energy_j, half);
    }
    return range(energy.energy_j, Math.max(0, energy.energy_j - half), energy.energy_j + half);
}

export { known, SIGN };

// A number of the program with what it calls it.
export function withText(number, text) {
    return text === null || text === undefined ? String(number) : `${number} (${text})`;
}
