// SPDX-License-Identifier: BSD-3-Clause
// The tiles of what each thread did (docs/format/report.md), unpacked when they are needed. All times are nanoseconds
// since the begin of the tile of level 0.
//
// A leaf has the pieces of each lane: { begin, end, type, flags, task }, arrays. Other tiles have runs of equal bins:
// { end (number of bins up to the end of the run), first (of its entries, one more than runs), type (or others), share
// (0..255) }.
export const BINS = 1024;
const PARTS = 4;
export const [ENDS, CUT, MANY] = [1, 2, 4];
export const [OTHERS_WAIT, OTHERS_WORK] = [-2, -1];

function bytesOf(text) {
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) {
        bytes[i] = letters.charCodeAt(i);
    }
    return bytes;
}

// Numbers of any length, 7 bits in a byte, the lowest first. Beyond 2^53 they are rounded.
class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }

    byte() {
        if (this.at >= this.bytes.length) {
            throw new Error("a tile of the picture is cut off");
        }
        return this.bytes[this.at++];
    }

    varint() {
        let [value, scale] = [0, 1];
        for (;;) {
            const byte = this.byte();
            value += (byte & 127) * scale;
            if (byte < 128) {
                return value;
            }
            scale *= 128;
        }
    }

    signed() {
        const value = this.varint();
        return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
}

function readPieces(reader, begin) {
    const count = reader.varint();
    const lane = { begin: new Float64Array(count), end: new Float64Array(count), type: new Uint32Array(count), flags: new Uint8Array(count), task: new Float64Array(count) };
    let [last, task] = [begin, 0];
    for (let i = 0; i < count; i++) {
        lane.begin[i] = last + reader.signed();
        last = lane.end[i] = lane.begin[i] + reader.varint();
        const word = reader.varint();
        lane.type[i] = Math.floor(word / 8);
        lane.flags[i] = word % 8;
        task = lane.task[i] = task + reader.signed();
    }
    return lane;
}

function readBins(reader) {
    const [end, first, type, share] = [[], [0], [], []];
    for (let bin = 0; bin < BINS;) {
        bin += reader.varint();
        end.push(bin);
        for (let n = reader.varint(); n > 0; n--) {
            type.push(reader.varint() - 2);
            share.push(reader.byte());
        }
        first.push(type.length);
    }
    return { end: Uint16Array.from(end), first: Uint32Array.from(first), type: Int32Array.from(type), share: Uint8Array.from(share) };
}

function decode(bytes, begin, width, lanes) {
    const reader = new Reader(bytes);
    const leaf = reader.varint() === 1;
    const totals = [];
    for (let n = reader.varint(); n > 0; n--) {
        totals.push({ type: reader.varint(), time: reader.varint(), ended: reader.varint() });
    }
    return { leaf, begin, width, end: begin + BINS * width, totals, lanes: lanes.map(() => (leaf ? readPieces(reader, begin) : readBins(reader))) };
}

export class Tiles {
    // load(level, index): a promise of the bytes of a tile, where the page is served; null where it is a file
    constructor(tasks, load = null) {
        this.tasks = tasks;
        this.load = load;
        this.texts = new Map(tasks.tiles.map((tile) => [`${tile.level}/${tile.index}`, tile.data]));
        this.known = new Map(); // key: tile; or null while it is loaded
        this.listeners = [];
        this.version = 0;
        this.failed = null;
    }

    on(listener) {
        this.listeners.push(listener);
    }

    width(level) {
        return this.tasks.bin_ns / PARTS ** level;
    }

    // null: it is not here, or not yet
    get(level, index) {
        const key = `${level}/${index}`;
        if (!this.known.has(key)) {
            const text = this.texts.get(key);
            if (text !== undefined) {
                this.put(key, level, index, bytesOf(text));
            } else if (this.load) {
                this.known.set(key, null);
                this.load(level, index).then((bytes) => this.arrived(key, level, index, bytes), (error) => this.arrived(key, level, index, null, error));
            }
        }
        return this.known.get(key) ?? null;
    }

    put(key, level, index, bytes) {
        const width = this.width(level);
        this.known.set(key, decode(bytes, index * BINS * width, width, this.tasks.lanes));
    }

    arrived(key, level, index, bytes, error) {
        if (bytes) {
            this.put(key, level, index, bytes);
        }
        this.failed = error ?? null;
        this.version++;
        this.listeners.forEach((listener) => listener());
    }

    // visit(tile, from, to) for tiles that together cover from..to, with bins of at most `width`, or coarser where finer
    // ones are missing.
    walk(from, to, width, visit) {
        const go = (level, index) => {
            const tile = this.get(level, index);
            if (!tile) {
                return false;
            }
            const [left, right] = [Math.max(from, tile.begin), Math.min(to, tile.end)];
            if (right < left) {
                return true;
            }
            if (tile.leaf || tile.width <= width) {
                visit(tile, left, right);
                return true;
            }
            const part = (tile.end - tile.begin) / PARTS;
            for (let i = 0; i < PARTS; i++) {
                const begin = tile.begin + i * part;
                if (begin < to && begin + part > from && !go(level + 1, index * PARTS + i)) {
                    visit(tile, Math.max(from, begin), Math.min(to, begin + part));
                }
            }
            return true;
        };
        return go(0, 0);
    }

    // Time of each type in from..to and the number of those that ended: { time: Map, ended: Map, exact, loading }. Whole
    // tiles count with their totals, leaves piece by piece; not exact: where leaves are missing, times come from shares
    // of bins, and what ended there is not counted.
    totals(from, to) {
        const out = { time: new Map(), ended: new Map(), exact: true };
        const add = (type, time, ended) => {
            out.time.set(type, (out.time.get(type) ?? 0) + time);
            out.ended.set(type, (out.ended.get(type) ?? 0) + ended);
        };
        const go = (level, index) => {
            const width = this.width(level) * BINS;
            const [begin, end] = [index * width, (index + 1) * width];
            if (end <= from || begin >= to) {
                return true;
            }
            const tile = this.get(level, index);
            if (!tile) {
                return false;
            }
            if (begin >= from && end <= to) {
                tile.totals.forEach(({ type, time, ended }) => add(type, time, ended));
            } else if (tile.leaf) {
                this.addPieces(tile, Math.max(from, begin), Math.min(to, end), add);
            } else {
                for (let i = 0; i < PARTS; i++) {
                    const [left, right] = [Math.max(from, begin + i * width / PARTS), Math.min(to, begin + (i + 1) * width / PARTS)];
                    if (!go(level + 1, index * PARTS + i)) {
                        out.exact = false;
                        this.addBins(tile, left, right, add);
                    }
                }
            }
            return true;
        };
        go(0, 0);
        return out;
    }

    // Lanes of cores show the time of the threads again.
    addPieces(tile, from, to, add) {
        tile.lanes.forEach((lane, n) => {
            if (this.tasks.lanes[n].core !== null) {
                return;
            }
            for (let i = 0; i < lane.begin.length; i++) {
                const [begin, end] = [lane.begin[i], lane.end[i]];
                const time = Math.min(end, to) - Math.max(begin, from);
                const inside = end === begin ? begin >= from && begin < to : end > from && end <= to;
                if (time > 0 || inside) {
                    add(lane.type[i], Math.max(time, 0), inside && lane.flags[i] & ENDS ? (lane.flags[i] & MANY ? lane.task[i] : 1) : 0);
                }
            }
        });
    }

    addBins(tile, from, to, add) {
        tile.lanes.forEach((lane, n) => {
            if (this.tasks.lanes[n].core === null) {
                eachRun(tile, lane, from, to, (begin, end, type, share) => add(type, (end - begin) * share, 0));
            }
        });
    }
}

// paint(begin, end, type, share) for each entry of the runs of a lane in from..to.
export function eachRun(tile, lane, from, to, paint) {
    let [low, high] = [0, lane.end.length];
    const first = Math.floor((from - tile.begin) / tile.width);
    while (low < high) {
        const middle = (low + high) >> 1;
        if (lane.end[middle] <= first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (let run = low; run < lane.end.length; run++) {
        const begin = Math.max(from, tile.begin + (run > 0 ? lane.end[run - 1] : 0) * tile.width);
        const end = Math.min(to, tile.begin + lane.end[run] * tile.width);
        if (begin >= to) {
            return;
        }
        for (let i = lane.first[run]; i < lane.first[run + 1]; i++) {
            paint(begin, end, lane.type[i], lane.share[i] / 255);
        }
    }
}

// paint(begin, end, type, 1, index) for each piece of a lane in from..to.
export function eachPiece(lane, from, to, paint) {
    let [low, high] = [0, lane.end.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (lane.end[middle] <= from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (let i = low; i < lane.begin.length && lane.begin[i] < to; i++) {
        paint(Math.max(from, lane.begin[i]), Math.min(to, lane.end[i]), lane.type[i], 1, i);
    }
}
