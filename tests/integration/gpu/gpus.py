# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of GPUs: programs that use one, on a node whose GPUs are known (wattle-sim run --gpu)."""
import ctypes
import os
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../run"))
import scene
from scene import SIM, SRC, check

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 ns)
{
    ret;
}
"""
# A command with kernels: [GPU:]MS, sleep:MS, or end:HOW: a child that ends by exit(), or itself is killed or executes another program.
KERNELS = [sys.executable, os.path.abspath(__file__)]


def need():
    scene.need_node()
    helper = os.path.join(os.path.dirname(scene.WATTLE), "wattle-gpu")
    if not os.path.exists(helper):
        scene.skip("this wattle has no wattle-gpu")


def channel(result, name):
    found = [c for c in result["channels"] if c["name"] == name]
    return found[0] if found else None


def mean_is(c, watts):
    """A channel of constant power: joules over the time that is known, within what the result says."""
    known_s = c["energy_j"] / c["mean_w"] if c["mean_w"] else 0
    return known_s > 0 and abs(c["energy_j"] - watts * known_s) <= c["resolution_interval_j"] + 0.005 * watts * known_s


def switch(fault, before_s=0.8, after_s=0.8):
    """A command in whose middle a fault begins."""
    return ["sh", "-c", f"sleep {before_s}; {SIM} set fault={fault} >/dev/null; sleep {after_s}"]


def end(how):
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "exec":
        os.execvp("true", ["true"])
    else:
        child = os.fork()
        if child == 0:
            ctypes.CDLL(None).exit(0)
        os.waitpid(child, 0)


def run_kernels(words):
    cuda = ctypes.CDLL("libcuda.so.1")
    modules = {}
    assert cuda.cuInit(0) == 0
    for word in words:
        where, ms = word.split(":") if ":" in word else ("0", word)
        if where == "end":
            end(ms)
            continue
        if where == "sleep":
            time.sleep(int(ms) / 1000)
            continue
        if where not in modules:
            context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
            assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, int(where)) == 0
            assert cuda.cuModuleLoadData(ctypes.byref(module), PTX) == 0
            assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"spin") == 0
            modules[where] = (context, kernel)
        context, kernel = modules[where]
        ns = ctypes.c_ulonglong(int(ms) * 1000000)
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(ns))
        cuda.cuCtxSetCurrent(context)
        assert cuda.cuLaunchKernel(kernel, 100, 1, 1, 128, 1, 1, 0, None, parameters, None) == 0
        assert cuda.cuCtxSynchronize() == 0


if __name__ == "__main__":
    run_kernels(sys.argv[1:])
