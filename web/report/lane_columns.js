// SPDX-License-Identifier: BSD-3-Clause
// What each lane did in each column of pixels: up to SLOTS types with their share of the column, the rest as others.
import { eachPiece, eachRun, OTHERS_WAIT, OTHERS_WORK } from "./tiles.js";

export const SLOTS = 7;

export class LaneColumns {
    constructor(tiles, lanes, works) {
        this.works = works;
        this.tiles = tiles;
        this.lanes = lanes; // numbers of the lanes
        this.key = "";
    }

    // Computed once for a view, however many charts ask. Times in ns since the begin of the tiles.
    read(from, to, count) {
        const key = `${from}/${to}/${count}/${this.tiles.version}/${this.lanes.length}/${this.lanes[0]}`;
        if (key === this.key) {
            return this;
        }
        const room = this.lanes.length * count * SLOTS;
        if (this.type?.length !== room) {
            this.type = new Int32Array(room);
            this.share = new Float32Array(room);
            this.used = new Uint8Array(this.lanes.length * count);
        }
        this.used.fill(0);
        Object.assign(this, { key, from, to, count, width: (to - from) / count });
        this.tiles.walk(from, to, this.width, (tile, left, right) => this.paint(tile, left, right));
        return this;
    }

    paint(tile, left, right) {
        this.lanes.forEach((lane, row) => {
            const put = (begin, end, type, share) => this.spread(row, begin, end, type, share);
            (tile.leaf ? eachPiece(tile.lanes[lane], left, right, put) : eachRun(tile, tile.lanes[lane], left, right, put));
        });
    }

    spread(row, begin, end, type, share) {
        const [a, b] = [(begin - this.from) / this.width, (end - this.from) / this.width];
        const first = Math.max(0, Math.floor(a));
        const last = Math.min(this.count - 1, Math.ceil(b) - 1);
        for (let c = first; c <= last; c++) {
            this.add(row * this.count + c, type, share * (Math.min(b, c + 1) - Math.max(a, c)));
        }
    }

    add(cell, type, share) {
        if (this.addTo(cell, type, share)) {
            return;
        }
        const used = this.used[cell];
        const kept = used < SLOTS - 2 ? type : this.works(type) ? OTHERS_WORK : OTHERS_WAIT;
        if (kept === type || !this.addTo(cell, kept, share)) {
            this.type[cell * SLOTS + used] = kept;
            this.share[cell * SLOTS + used] = share;
            this.used[cell]++;
        }
    }

    addTo(cell, type, share) {
        for (let i = cell * SLOTS, end = i + this.used[cell]; i < end; i++) {
            if (this.type[i] === type) {
                this.share[i] += share;
                return true;
            }
        }
        return false;
    }

    // [[type, share]] of a row at a column, the largest first.
    at(row, column) {
        const cell = row * this.count + column;
        return Array.from({ length: this.used[cell] }, (_, i) => [this.type[cell * SLOTS + i], this.share[cell * SLOTS + i]]).sort((x, y) => y[1] - x[1]);
    }

    // Lanes that do one of these types, for each column.
    sum(counts) {
        const out = new Array(this.count).fill(0);
        for (let row = 0; row < this.lanes.length; row++) {
            for (let c = 0; c < this.count; c++) {
                const cell = row * this.count + c;
                for (let i = 0; i < this.used[cell]; i++) {
                    out[c] += counts(this.type[cell * SLOTS + i]) ? this.share[cell * SLOTS + i] : 0;
                }
            }
        }
        return out;
    }
}
