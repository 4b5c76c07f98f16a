# SPDX-License-Identifier: BSD-3-Clause
"""A small server of pmlib's protocol, written from its description only, in each dialect and with bad manners on request:

    hang        nothing is answered after the first request
    half        half of each reply, then nothing
    cut         half of each reply, then the end
    garbage     random bytes for each reply
    silent=N    a stream stops after N records; the connection stays open
    nan=N       the lines of record N and later, and sample N and later of each set, are NaN

Its meter has lines 0 .. n-1; line L shows 100 * L + 10 W at 50 Hz.
"""
import math
import os
import socket
import struct
import threading
import time

HZ = 50


def ints(*values):
    return struct.pack(f"{len(values)}i", *values)


def text(value):
    return ints(len(value)) + value.encode()


class Gone(Exception):
    pass


class Reference:
    def __init__(self, dialect="g2", lines=4, name="Meter", manners=""):
        self.dialect, self.lines, self.name, self.manners = dialect, lines, name, manners
        self.ways = dict(way.split("=") if "=" in way else (way, "1") for way in manners.split())
        self.streams = []  # how each ended: True = the client said so
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            link, _ = self.listener.accept()
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(link,), daemon=True).start()

    def take(self, link, n):
        data = b""
        while len(data) < n:
            piece = link.recv(n - len(data))
            if not piece:
                raise Gone()
            data += piece
        return data

    def take_int(self, link):
        return struct.unpack("i", self.take(link, 4))[0]

    def take_text(self, link):
        return self.take(link, self.take_int(link)).decode()

    def reply(self, link, data):
        if "hang" in self.ways:
            time.sleep(3600)
        if "garbage" in self.ways:
            data = os.urandom(len(data))
        half = "half" in self.ways or "cut" in self.ways
        link.sendall(data[:len(data) // 2] if half else data)
        if "cut" in self.ways:
            raise Gone()
        if half:
            time.sleep(3600)

    def samples(self, values):
        return struct.pack(f"{len(values)}{'f' if self.dialect == 'g1' else 'd'}", *values)

    def serve(self, link):
        try:
            self.first(link, self.take_int(link))
        except (Gone, OSError):
            pass
        link.close()

    def first(self, link, mark):
        if mark == 7:
            self.reply(link, (b"" if self.dialect == "cpp" else ints(1)) + text(self.name))
        elif mark == 6:
            known = self.take_text(link) == self.name
            self.reply(link, ints(HZ, self.lines) + text(self.name) if known else ints(-1))
        elif mark == 8:
            lines = b"".join(ints(i) + text(f"outlet {i}") + struct.pack("f", 220) + text("a line") for i in range(self.lines))
            self.reply(link, ints(1) + text(self.name) + ints(HZ, self.lines, 0) + text("node1") + lines + ints(0))
        elif mark == 9:
            self.stream(link)
        elif mark == 0:
            self.counter(link)

    def stream(self, link):
        name, hz = self.take_text(link), self.take_int(link)
        if name != self.name:
            return self.reply(link, ints(-1))
        self.reply(link, ints(0))
        number = len(self.streams)
        self.streams.append(False)
        for record in range(1 << 30):
            value = math.nan if record >= int(self.ways.get("nan", 1 << 31)) else 10
            link.sendall(ints(self.lines) + self.samples([100 * i + value for i in range(self.lines)]))
            if record >= int(self.ways.get("silent", 1 << 31)):
                time.sleep(3600)
            if self.dialect != "cpp" and self.take_int(link) == 0:
                self.streams[number] = True
                return None
            time.sleep(1 / (hz or HZ))
        return None

    def counter(self, link):
        name = self.take_text(link)
        hz, aggregate, size = (self.take_int(link) for _ in range(3))
        mask = int.from_bytes(self.take(link, size), "little")
        if name != self.name or hz > HZ:
            return self.reply(link, ints(-1))
        self.reply(link, ints(0))
        lines, sets, began = [i for i in range(self.lines) if mask >> i & 1], [], None
        while True:
            mark = self.take_int(link)
            if mark == 4:
                self.reply(link, self.data(lines, sets, aggregate))
                continue
            if mark in (1, 2):
                sets, began = ([] if mark == 1 else sets), time.monotonic()
            elif mark == 3:
                sets.append(max(1, int((time.monotonic() - began) * (hz or HZ))))
            self.reply(link, ints(0))
            if mark == 5:
                return None

    def data(self, lines, sets, aggregate):
        """Sample i of set s of line L is 100 * L + 10 + s + i / 1000."""
        nan = int(self.ways.get("nan", 1 << 31))
        bounds = [sum(sets[:s]) for s in range(len(sets) + 1)]
        rows = [[[100 * line + 10 + s + i / 1000 if i < nan else math.nan for i in range(n)] for line in lines] for s, n in enumerate(sets)]
        if aggregate:
            values = [sum(column) for block in rows for column in zip(*block)]
        elif self.dialect == "cpp":
            values = [value for block in rows for line in block for value in line]
        else:
            values = [value for j in range(len(lines)) for block in rows for value in block[j]]
        return ints(len(values), len(bounds), len(lines), *bounds) + self.samples(values)
