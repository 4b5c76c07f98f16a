# SPDX-License-Identifier: BSD-3-Clause
"""A program with regions, threads, a fork and events; the test knows its results."""
import os
import sys
import threading

import wattle


@wattle.region("decorated")
def twice(x):
    """Its doc."""
    return 2 * x


def thread():
    for _ in range(10):
        with wattle.region("work"):
            with inner:
                pass


inner = wattle.region("inner, \"quoted\"")
assert [twice(x) for x in range(5)] == [0, 2, 4, 6, 8] and twice.__doc__ == "Its doc." and twice.__name__ == "twice"
try:
    with wattle.region("raised"):
        raise KeyError("on purpose")
except KeyError:
    pass
with inner, inner:
    pass
threads = [threading.Thread(target=thread) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
wattle.begin("by name")
wattle.end("by name")
with wattle.region("b\udcffytes\n"):
    pass
for name in ("", "x" * 256, "nul\0"):
    assert wattle.region_id(name) == 0
    with wattle.region(name):
        pass
wattle.event(1000, 7)
wattle.event(1001, -1)
pid = os.fork()
if pid == 0:
    with wattle.region("child"):
        os._exit(0)
os.waitpid(pid, 0)


async def coroutine():
    pass


def generator():
    yield 1


for bad in (coroutine, generator):
    try:
        wattle.region("x")(bad)
        sys.exit("a function that runs in pieces was accepted")
    except TypeError:
        pass
try:
    wattle.region(twice)
    sys.exit("a region without a name was accepted")
except TypeError:
    pass
print("recording" if wattle.recording() else "not recording")
