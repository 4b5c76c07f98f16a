# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of Slurm's plugins: a cluster that has them, and what they say."""
import os
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import cluster
import scene
from scene import BUILD, check, wait_for

LIB = f"{BUILD}/lib/slurm"
SPANK = f"optional {LIB}/spank_wattle.so wattle=/usr/local/bin/wattle mpi={BUILD}/lib/libwattle-mpi.so\n"
ENERGY = f"""AcctGatherEnergyType=acct_gather_energy/wattle
PluginDir={LIB}:{cluster.PLUGINS}
AcctGatherNodeFreq=1
JobAcctGatherFrequency=task=1,energy=1
"""
LOG = "SlurmdLogFile=%s/log/%%n-stepd\n"  # of slurmstepd too: log/NODE-stepd
READERS = "[wattled]\nreaders = all\n"


def main(steps, **kwargs):
    if not os.path.exists(f"{LIB}/spank_wattle.so"):
        scene.skip("the plugins are not built (libslurm-dev)")
    cluster.main(steps, **kwargs)


def watts(node):
    """CurrentWatts of a node, as text."""
    show = cluster._call("scontrol", "show", "node", node).stdout
    return show.split("CurrentWatts=")[1].split()[0] if "CurrentWatts=" in show else None


def rows(c, job, fields="ConsumedEnergyRaw"):
    """{"": job row, "batch": ..., "extern": ..., "0": ...} of sacct, once the database has the end of all of them."""
    found = {}

    def there():
        found.clear()
        for row in c.sacct(job, f"JobIDRaw,State,End,{fields}"):
            found[row["JobIDRaw"].partition(".")[2]] = row
        return (found and all(row["End"] != "Unknown" and row["State"] not in ("RUNNING", "PENDING") for row in found.values())
                or time.sleep(0.2))
    check(wait_for(there, 30), f"sacct has the end of job {job}: {found}")
    return found


def joules(c, job, holds=None):
    """{step: joules, or None where sacct has no energy}. sacct has the end of a job before the energies of its steps, and these before the
    job's: with `holds`, once it holds for what sacct has, or as it is after 20 s."""
    found = {}

    def there():
        found.clear()
        found.update({step: int(row["ConsumedEnergyRaw"]) if row["ConsumedEnergyRaw"] else None for step, row in rows(c, job).items()})
        return not holds or holds(found) or time.sleep(0.2)
    wait_for(there, 20)
    return found


def known(found):
    """All energies are there; the job's is that of the step that lasts as long."""
    return all(value is not None for value in found.values()) and found.get("extern", found[""]) == found[""]


def lines(node, word, daemon="slurmd"):
    return [line for line in node.said(daemon).splitlines() if word in line]


def is_up(c, *names):
    """Its slurmd lives, and it is not drained."""
    states = cluster._call("sinfo", "-h", "-N", "-o", "%N %T").stdout
    return all(cluster.alive(c.nodes[name].pids["slurmd"]) and f"{name} idle" in states for name in names)
