// SPDX-License-Identifier: BSD-3-Clause
// What the threads did ("tasks" of the document), as its charts and tables share it.
import { duration } from "../lib/digits.js";
import { stretchAt } from "../lib/stretches.js";
import { watts } from "../lib/swatch.js";
import { LaneColumns } from "./lane_columns.js";
import { Looks } from "./lane_looks.js";
import { tileLoader } from "./served.js";
import { Tiles } from "./tiles.js";

const FINEST_S = 1e-6; // of the view
const DEVICES = 2 ** 30; // threads from this number on are lanes of devices

function compare(a, b) {
    return (a.core ?? -1) - (b.core ?? -1) || (a.rank ?? -1) - (b.rank ?? -1) || a.process - b.process || a.thread - b.thread;
}

export class Activity {
    constructor(report, view) {
        Object.assign(this, { report, view, tasks: report.tasks });
        view.finest = FINEST_S;
        this.looks = new Looks(this.tasks);
        this.tiles = new Tiles(this.tasks, this.tasks.served ? tileLoader() : null);
        const { lanes } = this.tasks;
        const sorted = [...lanes.keys()].sort((a, b) => compare(lanes[a], lanes[b]) || a - b);
        this.threadLanes = sorted.filter((i) => lanes[i].core === null);
        this.coreLanes = sorted.filter((i) => lanes[i].core !== null);
        const names = this.threadLanes.map((i) => lanes[i].name);
        const devices = this.threadLanes.filter((i) => lanes[i].thread >= DEVICES).length;
        // What works, in words: streams of GPUs are lanes, and no threads.
        this.workers = devices === 0 ? "threads" : devices < this.threadLanes.length ? "threads and GPU streams" : "GPU streams";
        this.workTitle = `${this.workers[0].toUpperCase()}${this.workers.slice(1)} that work`;
        this.didTitle = `What ${devices === 0 ? "each thread" : "each lane"} did`;
        this.sameNames = new Set(names).size < names.length;
        this.show(false);
        this.parts = report.power.filter((item) => item.facts?.in_total);
    }

    show(cores) {
        this.columns = new LaneColumns(this.tiles, cores ? this.coreLanes : this.threadLanes, (type) => this.looks.works(type));
    }

    seconds(ns) {
        return this.tasks.begin_s + ns * 1e-9;
    }

    nanoseconds(seconds) {
        return (seconds - this.tasks.begin_s) * 1e9;
    }

    read(view, count) {
        return this.columns.read(this.nanoseconds(view.begin), this.nanoseconds(view.end), count);
    }

    walk(view, count, visit) {
        const [from, to] = [this.nanoseconds(view.begin), this.nanoseconds(view.end)];
        this.tiles.walk(from, to, (to - from) / count, visit);
    }

    // Lanes that work, for each column.
    working(view, count) {
        return this.read(view, count).sum((type) => this.looks.works(type));
    }

    // The power of the total at an instant; NaN where a part is unknown.
    totalAt(time) {
        return this.parts.length === 0 ? NaN : this.parts.reduce((sum, item) => sum + (stretchAt(item, time)?.mean ?? NaN), 0);
    }

    powerText(time) {
        const power = this.totalAt(time);
        return this.parts.length === 0 ? "" : Number.isNaN(power) ? "total power unknown" : `total ${watts(power)} W`;
    }

    notes() {
        const { tasks } = this;
        return [
            tasks.summary_s > 0 && `Recorded as a summary: within ${duration(tasks.summary_s)} the times of the types are known, not their order. `,
            !tasks.complete && !tasks.served && "There are too many pieces for a file: zoomed in, shares remain. \u201cwattle report --serve\u201d shows all of them. ",
            tasks.cut_processes > 0 && `The recording of ${tasks.cut_processes} process${tasks.cut_processes === 1 ? "" : "es"} stopped at its size limit. `,
            tasks.ends_missing > 0 && `${tasks.ends_missing} ends were not recorded. `,
        ].filter(Boolean).join("");
    }
}
