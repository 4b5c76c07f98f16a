// SPDX-License-Identifier: BSD-3-Clause
// How types look in the lanes: work has plain colours, by the time it took; waiting is hatched, one way for each kind.
import { colour } from "../lib/palette.js";
import { OTHERS_WAIT, OTHERS_WORK } from "./tiles.js";

const COLOURS = 8;
// 1 = ink, for each of 4 x 4 pixels
const HATCHES = {
    MPI: [1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1],
    idle: [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    other: [0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0],
};

function rgba(hex) {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    return (255 << 24) | (b << 16) | (g << 8) | r;
}

export class Looks {
    constructor(tasks) {
        this.types = tasks.types;
        this.order = [...tasks.types.keys()].sort((a, b) => Number(tasks.types[b].works) - Number(tasks.types[a].works) || tasks.types[b].time_s - tasks.types[a].time_s);
        this.rank = new Map(this.order.map((type, i) => [type, i]));
    }

    works(type) {
        return type < 0 ? type === OTHERS_WORK : this.types[type].works;
    }

    // Name of the custom property.
    name(type) {
        if (type < 0) {
            return type === OTHERS_WORK ? "merged" : "lane-wait";
        }
        if (this.types[type].works) {
            const rank = this.rank.get(type);
            return rank < COLOURS ? `series-${rank}` : "merged";
        }
        return { MPI: "lane-mpi", idle: "lane-idle" }[this.types[type].kind] ?? "lane-wait";
    }

    colour(type) {
        return colour(this.name(type));
    }

    hatch(type) {
        return this.works(type) ? null : HATCHES[this.types[type]?.kind] ?? HATCHES.other;
    }

    label(type) {
        if (type < 0) {
            return type === OTHERS_WORK ? "other work" : "other waiting";
        }
        const { name, kind } = this.types[type];
        return name === "" ? kind : kind === "task" || kind === "region" || kind === name ? name : `${name} (${kind})`;
    }

    // [ink, paper, hatch] of a type as numbers for ImageData; cached until the colours change.
    pixels() {
        const paper = rgba(colour("lane-paper"));
        if (this.paper !== paper) {
            this.paper = paper;
            this.inks = new Map([OTHERS_WAIT, OTHERS_WORK, ...this.types.keys()].map((type) => [type, { ink: rgba(this.colour(type)), hatch: this.hatch(type) }]));
        }
        return this;
    }

    // A square for legends and tooltips.
    square(element, type) {
        const node = element("span", { class: `square${this.hatch(type) ? " waits" : ""}` });
        node.style.setProperty("--look", `var(--${this.name(type)})`);
        return node;
    }
}
