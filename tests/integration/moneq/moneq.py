# SPDX-License-Identifier: BSD-3-Clause
"""MonEQ's two ends, reimplemented from its specification: what its library writes to a file, and what its reducer makes
of such files. Independent of wattle, for comparison."""
import math
import pathlib
import time

DOMAINS = ["chip_core", "dram", "network", "sram", "optics", "pciexpress", "link_chip_core"]
START, END = "---MonEQ_START_POWER_TAG=", "---MonEQ_END_POWER_TAG="


def line(place, start, t, powers, zone_s=-5 * 3600, comma=""):
    """A sample: powers of the seven domains; 15 fields, since there is no separator between the seconds and the row."""
    epoch = math.floor(start + t)
    date = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(epoch + zone_s))
    return (f"{date},{epoch},{round(t * 1.6e9)},{t:.6f}{comma}" + ",".join(str(p) for p in place) + f",{sum(powers):.4f},"
            + ",".join(f"{p:.4f}" for p in powers))


def library(folder, place, start, samples, tags, comma=""):
    """The data file of one node card. samples: [(seconds, powers)]; tags: [(name, begin, end)] in samples, as counted by the
    library: `begin` were taken before StartPowerTag, `end` before EndPowerTag. At a sample the first tag created is marked."""
    lines = []
    for i, (t, powers) in enumerate(samples):
        ends = [name for name, _, end in tags if end == i + 1]
        starts = [name for name, begin, _ in tags if begin == i]
        lines += [END + ends[0]] if ends else []
        lines += [START + starts[0]] if starts else []
        lines.append(line(place, start, t, powers, comma=comma))
    path = pathlib.Path(folder) / "MonEQ-R{}-C{}-M{}-N{}.txt".format(*place)
    path.write_text("\n".join(lines) + "\n")
    if tags:
        (path.parent / "MonEQTags.txt").write_text("".join(name + "\n" for name, _, _ in tags))
    return path


def rounded(seconds):
    return math.floor(seconds * 100 + 0.56) / 100


class Reducer:
    """original: lines of data of all files; tag[NAME] and tag["untagged"]: their samples, as (rounded seconds, eight powers)."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        listed = folder / "MonEQTags.txt"
        names = listed.read_text().split("\n")[:-1] if listed.exists() else []
        self.tag = {name: [] for name in names + (["untagged"] if names else [])}
        self.original = []
        for path in sorted(folder.iterdir()):
            if path.name.startswith("MonEQ-"):
                self.read(path, bool(names))

    def read(self, path, any_names):
        inside = None
        for text in path.read_text().splitlines():
            if inside is None and text.startswith(START):
                name = text[len(START):].split(" ")[0]
                if name not in self.tag:
                    raise SystemExit(f"Unable to find output file for tag: {name}!")
                inside = name
            elif inside is not None and text.startswith(END):
                inside = None
            elif text.startswith((START, END)):
                assert inside is None, f"{path}: the reducer takes a START within a tag for a sample"
            else:
                self.original.append(text)
                sample = self.sample(text)
                if inside is not None:
                    self.tag[inside].append(sample)
                elif any_names:
                    self.tag["untagged"].append(sample)

    @staticmethod
    def sample(text):
        cells = text.split(",")
        assert len(cells) == 15, text
        seconds = cells[3].split(".")
        return rounded(float(seconds[0] + "." + seconds[1][:6])), [float(c) for c in cells[7:]]

    def means(self, name):
        """Rows of NAME.dat, all of them (the reducer drops every second one): the mean over files at a time."""
        rows = {}
        for seconds, powers in self.tag[name]:
            rows.setdefault(seconds, []).append(powers)
        return {s: [sum(column) / len(column) for column in zip(*r)] for s, r in rows.items()}
