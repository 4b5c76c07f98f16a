# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of wattle reduce: traces of known energy, the program, and a reader of run files that was written
only from docs/format/run.md."""
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile

WATTLE = os.environ["WATTLE"]
MAKE = os.path.join(os.environ["BUILD"], "tests/integration/reduce/make_traces")
failed = []


def check(holds, what):
    print(("ok - " if holds else "not ok - ") + what, flush=True)
    if not holds:
        failed.append(what)


def near(got, want, tolerance, what):
    check(got is not None and abs(got - want) <= tolerance, f"{what}: {got}, not {want}")


def done():
    sys.exit(1 if failed else 0)


def make(folder, nodes, *words):
    os.makedirs(folder, exist_ok=True)
    subprocess.run([MAKE, folder, str(nodes), *words], check=True)
    return [os.path.join(folder, f"n{k}.wtl") for k in range(1, nodes + 1)]


def wattle(*words, code=0, program=None):
    run = subprocess.run([*(program or [WATTLE]), *words], capture_output=True, text=True, check=False)
    check(run.returncode == code, f"{' '.join(words)[:90]}: exit {run.returncode}, not {code} {run.stderr[:300]}")
    return run


def reduce(*words, code=0):
    run = wattle("reduce", "--format", "json", *words, code=code)
    return json.loads(run.stdout) if run.returncode == 0 else run.stderr


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def run_file(path):
    """The run's id and begin, and its members: name, bytes, clock."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == bytes.fromhex("F55752554E0D0A1A") and struct.unpack_from("<H", data, 8)[0] == 1
    assert struct.unpack_from("<I", data, 12)[0] == crc32c(data[:12])
    trailer = data[-32:]
    offset, length, index_crc, own_crc = struct.unpack_from("<QQII", trailer)
    assert trailer[24:] == b"wtl-run\n" and own_crc == crc32c(trailer[:20])
    assert offset + length == len(data) - 32
    index = data[offset:offset + length]
    assert crc32c(index) == index_crc
    records, at = [], 0
    while at < len(index):
        n = struct.unpack_from("<I", index, at)[0]
        records.append(index[at + 4:at + 4 + n])
        at += 4 + n

    def text(record, at):
        n = struct.unpack_from("<H", record, at)[0]
        return record[at + 2:at + 2 + n].decode(), at + 2 + n

    run_id, at = text(records[0], 0)
    begin = struct.unpack_from("<q", records[0], at)[0]
    members = []
    for record in records[1:]:
        where, size = struct.unpack_from("<QQ", record)
        name, at = text(record, 16)
        aligned, at_ns, offset_ns, drift, residual = struct.unpack_from("<BQqdQ", record, at)
        members.append({"name": name, "bytes": data[where:where + size], "aligned": aligned, "at_ns": at_ns,
                        "offset_ns": offset_ns, "drift": drift, "residual_ns": residual})
    return run_id, begin, members


def folder():
    return tempfile.TemporaryDirectory(prefix="wattle-reduce-")
