# SPDX-License-Identifier: BSD-3-Clause
"""A whole Slurm for a test: munge, MariaDB, slurmdbd, slurmctld, and a slurmd and a wattled for each of its nodes, each on a
simulated node of its own whose joules are known. Nothing of it is seen from outside, and nothing of it outlives the test.

    import cluster              # finds scene
    import scene
    from scene import check

    def steps():
        c = cluster.Cluster(power={"package": "100"})
        job = c.sbatch("sleep 3", "-N2")                      # of the user alice, account physics
        check(c.wait(job) == "COMPLETED", "it ends")
        print(c.sacct(job, "JobIDRaw,ConsumedEnergyRaw"))     # a dict for each row
        n1 = c.nodes["n1"]
        n1.wattle("jobs"), n1.truth(from_ns, to_ns), n1.said("slurmd"), n1.kill("wattled"), n1.start("slurmd")

    cluster.main(steps)

main() runs steps() in namespaces of its own (mounts, processes, network, host name, cgroups), in an empty folder, and skips the test
where Slurm is missing or the caller is not root. Inside,
- /etc, /var/lib and /dev can be written, nothing of it reaches the machine: configure what you like, at the usual paths. There are the users
  alice and bob in the accounts physics and chemistry, bob also in physics, with their folders in home/.
- ports and the paths below /run are free; 127.0.0.1 is nobody else's. Steps on any node find n1, n2, ... by name.
- all programs of the build are in /usr/local/bin, that is `wattle` is in everybody's PATH.
- syslog() has what was sent to /dev/log.
- when the test ends, by itself or by any signal, so does every process in it.
Each node has its own /etc/wattle, /run/wattle, /var/lib/wattle, /var/spool, which are the folders n1/etc, n1/run, n1/lib, n1/var of the working folder.
Logs: log/. It takes 5 s to start on two cores, 2 s without accounting.

Cluster(...):
    nodes=2           n1, n2, ...; each has cpus=8, which are more than there are
    power={...}       domain: expression (wattle-sim(1)); sim=[...] has more options of wattle-sim, or {"n1": [...]}
    accounting=True   with slurmdbd
    wattled=True      with a wattled on each node; wattle="lines" are its /etc/wattle/wattle.conf
    slurm="lines"     more of slurm.conf; a key there replaces the one of SLURM_CONF below, so: PluginDir, Prolog, AcctGatherEnergyType, ...
    prolog=True       with Prolog and Epilog of wattle, packaging/slurm
    plugstack="lines" plugstack.conf
    files={...}       more files of /etc/slurm, by name: acct_gather.conf, ...
    gres="gpu:2"      of each node; files has its gres.conf, slurm GresTypes
    cgroup=False      True: proctrack/cgroup, task/cgroup, jobacct_gather/cgroup on cgroups of its own (v1)
    name="wattle"     of the cluster
Slurm needs PluginDir to name the stock folder too: f"PluginDir={mine}:{cluster.PLUGINS}".
"""
import glob
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../run"))
import scene
import scene
from scene import BUILD, SRC, check

PLUGINS = "/usr/lib/x86_64-linux-gnu/slurm-wlm"
INSIDE = "WATTLE_TEST_CLUSTER"
UNIFIED = "WATTLE_GUEST" in os.environ  # cgroup v2 alone, and the whole tree is the test's (scripts/check-guest)
SLOW = 10 if UNIFIED else 3  # an emulated machine, or one that is busy
CONTROLLERS = ("cpu", "cpuacct", "cpuset", "memory", "devices", "freezer")
USERS = {"alice": 2001, "bob": 2002}
_log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
FINAL = ("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT")

SLURM_CONF = {
    "SlurmctldHost": "localhost(127.0.0.1)",
    "SlurmUser": "root",
    "SlurmdUser": "root",
    "AuthType": "auth/munge",
    "AuthInfo": "cred_expire=5",  # a requeued job waits for it
    "CredType": "cred/munge",
    "SlurmctldPidFile": "/run/slurmctld.pid",
    "SlurmdPidFile": "/run/slurmd-%n.pid",
    "SlurmdDebug": "verbose",
    "ProctrackType": "proctrack/linuxproc",
    "TaskPlugin": "task/none",
    "SelectType": "select/cons_tres",
    "SelectTypeParameters": "CR_Core",
    "ReturnToService": "2",
    "SlurmdParameters": "config_overrides",
    "MpiDefault": "none",
    "KillWait": "2",
    "MinJobAge": "3600",  # a test asks for a job that has ended, on a machine of any speed
    "JobAcctGatherType": "jobacct_gather/linux",
    "JobAcctGatherFrequency": "task=1",
    "PrologFlags": "Contain",
    "PrologEpilogTimeout": "30",
    "SchedulerParameters": "sched_min_interval=0,bf_interval=1",
    "PartitionName": "p Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP",
}
ACCOUNTING = {
    "AccountingStorageType": "accounting_storage/slurmdbd",
    "AccountingStorageHost": "127.0.0.1",
    "AccountingStorageTRES": "energy",
}
CGROUP = {
    "ProctrackType": "proctrack/cgroup",
    "TaskPlugin": "task/cgroup",
    "JobAcctGatherType": "jobacct_gather/cgroup",
}
DBD_CONF = """AuthType=auth/munge
DbdHost=localhost
DbdAddr=127.0.0.1
SlurmUser=root
PidFile=/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=33306
StorageUser=slurm
StoragePass=w
StorageLoc=slurm_acct
"""
SQL = """create database slurm_acct; create user 'slurm'@'127.0.0.1' identified by 'w'; create user 'slurm'@'localhost' identified by 'w';
grant all on slurm_acct.* to 'slurm'@'127.0.0.1'; grant all on slurm_acct.* to 'slurm'@'localhost'"""
# What a node's shell does first: folders of its own, then commands from its standard input.
NODE = """hostname {name}
mkdir -p /etc/wattle /run/wattle /var/lib/wattle
mount --bind {base}/etc /etc/wattle && mount --bind {base}/run /run/wattle && mount --bind {base}/lib /var/lib/wattle || exit 1
mkdir -p {base}/var && mount --bind {base}/var /var/spool || exit 1
echo ready
while read -r line; do eval "$line"; done
"""


def wait_for(condition, seconds=20):
    return scene.wait_for(condition, seconds * SLOW)


def main(steps, accounting=True):
    """Run steps() inside, in an empty folder."""
    enter(accounting)
    try:
        steps()
    except Failed as error:
        check(False, f"{error}")
    if scene.bad:
        _show_logs()
    sys.stdout.flush()
    scene.finish()


def enter(accounting=True):
    """For a script without main(): what follows is run inside, in an empty folder."""
    if os.environ.get(INSIDE) != str(os.getppid()):
        _outside(accounting)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    _inside()
    scene.scratch()
    for name in ("log", "home"):
        os.mkdir(name)
    for user, uid in USERS.items():
        os.mkdir(f"home/{user}")
        os.chown(f"home/{user}", uid, uid)
        with open("/etc/passwd", "a", encoding="ascii") as passwd:
            passwd.write(f"{user}:x:{uid}:{uid}::{os.path.abspath('home/' + user)}:/bin/sh\n")
        with open("/etc/group", "a", encoding="ascii") as group:
            group.write(f"{user}:x:{uid}:\n")


class Failed(Exception):
    pass


def _need(accounting):
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if os.geteuid() != 0:
        scene.skip("a Slurm of one's own needs root")
    programs = ["munged", "slurmctld", "slurmd", "srun", "unshare", "setpriv", "ip"]
    for name in programs + (["slurmdbd", "mariadbd", "mariadb-install-db"] if accounting else []):
        if not shutil.which(name):
            scene.skip(f"there is no {name}; scripts/setup test installs it")
    scene.need_node()
    probe = ["unshare", "-m", "-n", "-u", "-i", "-p", "-C", "--fork", "--mount-proc", "true"]
    if subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        scene.skip("there are no namespaces here")


def _outside(accounting):
    """Start this test again inside, as a process whose end ends all others there. bash, as the first of them, collects orphans."""
    _need(accounting)
    groups = [f"/sys/fs/cgroup/{name}/wattle-test-{os.getpid()}" for name in CONTROLLERS]
    groups = [path for path in groups if os.path.isdir(os.path.dirname(path))]
    namespaces = ["-m", "-n", "-u", "-i", "-p"] + ([] if UNIFIED else ["-C"])

    def enter():
        for path in groups:
            with open(f"{path}/cgroup.procs", "w", encoding="ascii") as procs:
                procs.write("0")

    for path in groups:
        for old in glob.glob(os.path.dirname(path) + "/wattle-test-*"):  # of a test that was killed
            if not os.path.exists("/proc/" + old.rpartition("-")[2]):
                _remove_group(old)
        os.mkdir(path)
        for name in ("cpuset.cpus", "cpuset.mems"):
            if os.path.exists(f"{path}/{name}"):
                with open(f"{path}/../{name}", encoding="ascii") as above, open(f"{path}/{name}", "w", encoding="ascii") as own:
                    own.write(above.read())
    status = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "unshare", *namespaces, "--fork", "--kill-child", "--mount-proc", "--propagation",
         "private", "bash", "-c", f'export {INSIDE}=$$; "$@"; exit $?', "-", sys.executable, *sys.argv],
        preexec_fn=enter).wait()
    for path in groups:
        _remove_group(path)
    sys.exit(status)


def _remove_group(path):
    for folder, _, _ in os.walk(path, topdown=False):
        wait_for(lambda at=folder: not subprocess.call(["rmdir", at], stderr=subprocess.DEVNULL), 5)


def _call(*command, **kwargs):
    kwargs = {"capture_output": True, "text": True, "timeout": 60 * SLOW, "check": False, "stdin": subprocess.DEVNULL, **kwargs}
    try:
        return subprocess.run(command, **kwargs)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, "", f"{command[0]}: not done in {late.timeout} s")


def _must(*command, **kwargs):
    run = _call(*command, **kwargs)
    if run.returncode != 0:
        raise Failed(f"{' '.join(command[:6])}: status {run.returncode}: {run.stdout}{run.stderr}")
    return run.stdout


def _inside():
    """Writable copies of /etc, /var/lib and /dev, with a log, an empty /run, own cgroups, and a network with nothing but this host."""
    _must("mount", "-t", "tmpfs", "tmpfs", "/run")
    for number, folder in enumerate(("/etc", "/var/lib", "/dev")):
        upper, work = f"/run/over/{number}", f"/run/work/{number}"
        os.makedirs(upper)
        os.makedirs(work)
        below = [f"/dev/{name}" for name in ("pts", "shm") if os.path.ismount(f"/dev/{name}")] if folder == "/dev" else []
        for path in below:
            os.makedirs(f"/run/save{path}")
            _must("mount", "--bind", path, f"/run/save{path}")
        _must("mount", "-t", "overlay", "-o", f"lowerdir={folder},upperdir={upper},workdir={work}", "overlay", folder)
        for path in below:
            _must("mount", "--bind", f"/run/save{path}", path)
    _log.bind("/dev/log")
    os.chmod("/dev/log", 0o666)
    _log.setblocking(False)
    scene.let_others_in()
    _must("mount", "-t", "tmpfs", "tmpfs", "/usr/local/bin")
    for name in os.listdir(f"{BUILD}/bin"):
        os.symlink(f"{BUILD}/bin/{name}", f"/usr/local/bin/{name}")
    if os.path.isdir("/sys/fs/cgroup/freezer"):
        _must("mount", "-t", "tmpfs", "tmpfs", "/sys/fs/cgroup")
        for name in CONTROLLERS:
            os.mkdir(f"/sys/fs/cgroup/{name}")
            _must("mount", "-t", "cgroup", "-o", name, "cgroup", f"/sys/fs/cgroup/{name}")
    if UNIFIED:
        os.makedirs("/sys/fs/cgroup/system.slice", exist_ok=True)  # as systemd does
        for path in ("", "/system.slice"):
            _write(f"/sys/fs/cgroup{path}/cgroup.subtree_control", "+cpuset +cpu +memory +pids")
    _must("ip", "link", "set", "lo", "up")
    _must("ip", "addr", "add", "127.0.0.2/8", "dev", "lo")  # with 127.0.0.1 alone, newer Slurm cannot resolve its own host
    # Open MPI wants an interface that is no loopback.
    _must("ip", "link", "add", "wt0", "type", "veth", "peer", "name", "wt1")
    _must("ip", "addr", "add", "192.0.2.1/24", "dev", "wt0")
    for name in ("wt0", "wt1"):
        _must("ip", "link", "set", name, "up")
    _must("hostname", "localhost")
    os.environ.pop("SLURM_CONF", None)
    for folder in ("/etc/slurm", "/etc/munge"):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder, 0o755)
    for folder in ("/run/munge", "/run/slurm"):
        os.mkdir(folder, 0o755)


def syslog():
    """What was sent to the system's log since the last call."""
    lines = []
    try:
        while True:
            lines.append(_log.recv(8192).decode(errors="replace"))
    except BlockingIOError:
        return lines


def _write(path, text, mode=0o644):
    with open(path, "w", encoding="utf8") as file:
        file.write(text)
    os.chmod(path, mode)


def _show_logs():
    for name in sorted(os.listdir("log")):
        with open(f"log/{name}", encoding="utf8", errors="replace") as log:
            lines = log.read().splitlines()[-25:]
        if name not in ("mariadbd", "munged"):
            print(f"--- {name}", *lines, sep="\n")
    print("--- syslog", *syslog(), sep="\n")


def wait_for_prologs():
    """Until none of wattle is at work: on a busy machine they go on when Slurm does not wait any longer."""
    words = [f"{before}wattle jobs begin" for before in ("", "timeout -s KILL 60 ", "setsid -f timeout -s KILL 60 ")]
    wait_for(lambda: not any(map(pids_of, words)))


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def pids_of(words):
    """Processes here whose command line begins so."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf8", errors="replace") as line:
                if line.read().replace("\0", " ").startswith(words):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def end(pid, number=signal.SIGTERM, seconds=15):
    """Send a signal and wait; SIGKILL if that does not end it."""
    if not alive(pid):
        return
    os.kill(pid, number)
    if not wait_for(lambda: not alive(pid), seconds):
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not alive(pid), 5)


class Node:
    """A simulated node, with its daemons by name: "slurmd", "wattled"."""

    def __init__(self, name, power, sim):
        self.name, self.pids, self.base = name, {}, os.path.abspath(name)
        for folder in ("etc", "run", "lib", "spool", "tmp"):
            os.makedirs(f"{self.base}/{folder}")
        options = [word for domain, watts in power.items() for word in ("--power", f"{domain}={watts}")]
        self.sim = subprocess.Popen(
            ["unshare", "-u", scene.SIM, "run", "--cpu", scene.CPU, "--view", "powercap", *options, *sim, "--", "sh", "-c",
             NODE.format(name=name, base=self.base)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.sim.stdout.readline() != "ready\n":
            raise Failed(f"{name}: no simulated node")
        self.shell = int(self.say("echo $$"))
        self.env = {"WATTLE_SIMULATED": "1", "WATTLE_SIM_NODE": self.say("echo $WATTLE_SIM_NODE")}

    def say(self, line):
        self.sim.stdin.write(line + "\n")
        self.sim.stdin.flush()
        return self.sim.stdout.readline().strip()

    def spawn(self, name, *command):
        """A process of the node, whose CPU time is the node's load; it writes log/NODE-NAME."""
        words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
        self.pids[name] = int(self.say(f"{words} </dev/null >>{self.base}/../log/{self.name}-{name} 2>&1 & echo $!"))
        return self.pids[name]

    def start(self, name):
        if name == "slurmd":
            return self.spawn(name, "slurmd", "-D", "-N", self.name)
        self.spawn(name, "wattled", "--user", "daemon")

        def healthy():
            if not alive(self.pids[name]):  # as its unit does
                self.spawn(name, "wattled", "--user", "daemon")
            return "state = healthy" in self.run("wattled", "--status").stdout
        if not wait_for(healthy, 60):
            raise Failed(f"{self.name}: wattled does not become healthy: {self.said(name)} {self.run('wattled', '--status')}")
        return self.pids[name]

    def kill(self, name, number=signal.SIGTERM):
        end(self.pids[name], number)

    def new_boot(self):
        """As if the node had started again: all that is kept of an earlier boot is of another one, and /run is empty. Nothing of it runs."""
        for path in glob.glob(f"{self.base}/lib/jobs/*"):
            with open(path, encoding="utf8") as file:
                text = re.sub(r"(?m)^boot = .*$", "boot = 00000000-0000-0000-0000-000000000000", file.read())
            with open(path, "w", encoding="utf8") as file:
                file.write(text)
        for path in glob.glob(f"{self.base}/run/*"):
            os.unlink(path)

    def said(self, name):
        with open(f"log/{self.name}-{name}", encoding="utf8", errors="replace") as log:
            return log.read()

    def run(self, *command, **kwargs):
        """A command of root on the node, ended: a CompletedProcess. Its CPU time is not the node's load."""
        return _call("nsenter", "-t", str(self.shell), "-m", "-u", "-r", "--", *command, env={**os.environ, **self.env}, **kwargs)

    def wattle(self, *words, **kwargs):
        return self.run("wattle", *words, **kwargs)

    def records(self, **wanted):
        """The records in the spool of the node, oldest first, as dicts; only those with the wanted values."""
        files = glob.glob(f"{self.base}/var/wattle/*.closed") + glob.glob(f"{self.base}/var/wattle/current")
        lines = [line for file in sorted(files, key=os.path.getmtime) for line in open(file, encoding="utf8")]
        records = [json.loads(line.partition(" ")[2]) for line in lines if line[16:18] == " {"]
        return [record for record in records if all(record.get(key) == value for key, value in wanted.items())]

    def record(self, job, step="", **wanted):
        """The one record of a job here, soon; None after a failed check. One without energy gives way to what wattled says later."""
        wait_for(lambda: self.records(raw_job_id=int(job), step=step, **wanted))
        found = self.records(raw_job_id=int(job), step=step, **wanted)
        found = [record for record in found if record["energy_j"] is not None or record["state"] != "unknown"] or found
        if len(found) == 1:
            return found[0]
        check(False, f"{self.name}: one record of job {job}{'.' + step if step else ''}, not {len(found)}: {found}")
        return None

    def near_truth(self, record, percent, what=""):
        """The energy of a record is that of its own time, within the percentage or, on a machine too busy to read in time, its resolution."""
        to_monotonic = time.monotonic_ns() - time.time_ns()
        true = sum(self.truth(record["begin_ns"] + to_monotonic, record["end_ns"] + to_monotonic).values())
        energy, seconds = record["energy_j"], (record["end_ns"] - record["begin_ns"]) / 1e9
        off = energy - true if energy is not None else float("nan")
        check(abs(off) <= max(true * percent / 100, record["resolution_j"] or 0), f"{self.name}, job {record['job_id']} {what}: {energy} +- "
              f"{record['resolution_j']} J in {seconds:.2f} s, truth {true:.3f} J: {100 * off / true:+.3f} %")
        return abs(off) <= true * percent / 100

    def truth(self, begin_ns, end_ns):
        """Exact joules of each domain between two instants of CLOCK_MONOTONIC."""
        run = self.run("wattle-sim", "energy", "--from", str(begin_ns), "--to", str(end_ns), "--format", "json")
        if run.returncode != 0:
            raise Failed(f"wattle-sim energy: {run.stderr}")
        return {domain["name"]: domain["energy_j"] for domain in json.loads(run.stdout)["domains"]}


class Cluster:
    def __init__(self, nodes=2, cpus=8, power=None, sim=(), accounting=True, wattled=True, wattle="", slurm="", prolog=False,
                 plugstack="", files=None, cgroup=False, name="wattle", gres=""):
        self.name, self.daemons, self.accounting = name, [], accounting
        self.nodes = {}
        lines = {"ClusterName": name, "StateSaveLocation": os.path.abspath("ctld"), "SlurmdSpoolDir": os.path.abspath(".") + "/%n/spool",
                 "TmpFS": os.path.abspath(".") + "/%n/tmp", **SLURM_CONF, **(ACCOUNTING if accounting else {}), **(CGROUP if cgroup else {})}
        if prolog:
            lines.update(Prolog=f"{SRC}/packaging/slurm/prolog.d/*", Epilog=f"{SRC}/packaging/slurm/epilog.d/*")
        lines.update(line.split("=", 1) for line in slurm.strip().splitlines())
        lines["NodeName"] = (f"n[1-{nodes}] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{17001}-{17000 + nodes}] CPUs={cpus} Boards=1 "
                             f"SocketsPerBoard=1 CoresPerSocket={cpus} ThreadsPerCore=1 RealMemory=4000 State=UNKNOWN" + f" Gres={gres}" * bool(gres))
        lines["PartitionName"] = lines.pop("PartitionName")  # after the nodes
        with open("/etc/hosts", "a", encoding="ascii") as hosts:
            hosts.writelines(f"127.0.0.1 n{number + 1}\n" for number in range(nodes))
        _write("/etc/slurm/slurm.conf", "".join(f"{key}={value}\n" for key, value in lines.items()))
        _write("/etc/slurm/cgroup.conf", "ConstrainCores=no\nCgroupPlugin=cgroup/" + ("v2\nIgnoreSystemd=yes\n" if UNIFIED else "v1\n"))
        _write("/etc/slurm/slurmdbd.conf", DBD_CONF, 0o600)
        _write("/etc/slurm/plugstack.conf", plugstack)
        for file, text in (files or {}).items():
            _write(f"/etc/slurm/{file}", text)
        try:
            for number in range(nodes):
                name = f"n{number + 1}"
                node = Node(name, power or {"package": "50"}, sim.get(name, ()) if isinstance(sim, dict) else sim)
                self.nodes[node.name] = node
                _write(f"{node.base}/etc/wattle.conf", wattle)
                if wattled:
                    node.start("wattled")
            self._start_munge()
            if accounting:
                self._start_database()
            self.start_slurmctld()
            for node in self.nodes.values():
                node.start("slurmd")
            self.wait_idle()
        except BaseException:
            self.stop()
            raise

    def _spawn(self, name, *command, **kwargs):
        with open(f"log/{name}", "ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **kwargs)
        self.daemons.append((name, process))

    def daemon(self, name):
        """The newest process of a daemon that is no node's: munged, mariadbd, slurmdbd, slurmctld."""
        return [process for each, process in self.daemons if each == name][-1]

    def _start_munge(self):
        with open("/etc/munge/munge.key", "wb") as key:
            key.write(os.urandom(128))
        for path, mode in (("/etc/munge/munge.key", 0o400), ("/etc/munge", 0o700)):
            os.chmod(path, mode)
        self._spawn("munged", "munged", "--foreground", "--force", "--num-threads=2", "--socket=/run/munge/munge.socket.2",
                    "--key-file=/etc/munge/munge.key", "--pid-file=/run/munge/munged.pid", "--log-file=/run/munge/munged.log",
                    "--seed-file=/run/munge/seed")
        if not wait_for(lambda: os.path.exists("/run/munge/munge.socket.2")):
            raise Failed("munged does not start")

    def _start_database(self):
        base = os.path.abspath("mysql")
        if not os.path.exists(base):
            os.mkdir(base)
            shutil.chown(base, "mysql")
            _must("mariadb-install-db", "--user=mysql", f"--datadir={base}", f"--tmpdir={base}", "--auth-root-authentication-method=socket", "--skip-test-db")
            shutil.chown(base, "mysql")
        version = _call("mariadbd", "--version").stdout
        newer = ["--innodb-snapshot-isolation=OFF"] if "Ver 11" in version else []
        self._spawn("mariadbd", "mariadbd", "--no-defaults", "--user=mysql", f"--datadir={base}", f"--tmpdir={base}", f"--socket={base}/my.sock",
                    f"--pid-file={base}/my.pid", "--bind-address=127.0.0.1", "--port=33306", "--innodb-buffer-pool-size=64M",
                    "--innodb-lock-wait-timeout=900", *newer)
        if not wait_for(lambda: _call("mariadb", f"--socket={base}/my.sock", "-e", "select 1").returncode == 0, 30):
            raise Failed("mariadbd does not start")
        _must("mariadb", f"--socket={base}/my.sock", "-e", SQL)
        self.start_slurmdbd()
        manage = ("sacctmgr", "-i", "-Q", "add")
        _must(*manage, "cluster", self.name)
        _must(*manage, "account", "physics,chemistry")
        _must(*manage, "user", "root,alice,bob", "account=physics")
        _must(*manage, "user", "bob", "account=chemistry")

    def start_slurmdbd(self):
        self._spawn("slurmdbd", "slurmdbd", "-D")
        if not wait_for(lambda: _call("sacctmgr", "-n", "list", "cluster").returncode == 0, 30):
            raise Failed("slurmdbd does not start")

    def start_slurmctld(self):
        os.makedirs("ctld", exist_ok=True)
        self._spawn("slurmctld", "slurmctld", "-D")

    def wait_idle(self, nodes="ALL", seconds=60):
        """Until a node, or all of them, can take jobs and have none."""
        where = ["sinfo", "-h", "-N"] + (["-n", nodes] if nodes != "ALL" else [])

        def idle():
            return set(_call(*where, "-o", "%T").stdout.split()) == {"idle"} or time.sleep(0.1)
        if not wait_for(idle, seconds):
            raise Failed(f"{nodes}: no idle node: {_call(*where, '-o', '%n %T %E').stdout}")

    def stop(self):
        for node in self.nodes.values():
            for name in node.pids:
                node.kill(name)
            node.sim.stdin.close()
            end(node.sim.pid, seconds=3)
            node.sim.wait(20)
        for _, process in reversed(self.daemons):
            end(process.pid)
            process.wait(5)

    # What users do.

    def as_user(self, user, *command, **kwargs):
        """A command of a user on the login node, in home/USER (root: here): a CompletedProcess."""
        account = pwd.getpwnam(user)
        home = os.path.abspath(f"home/{user}") if user in USERS else os.getcwd()
        env = {"HOME": home, "PATH": os.environ["PATH"], "USER": user, "LOGNAME": user, "LC_ALL": "C", "TZ": "UTC",
               **kwargs.pop("env", {})}
        return _call(*command, cwd=home, env=env, user=account.pw_uid, group=account.pw_gid,
                     extra_groups=[], **kwargs)

    def sbatch(self, script, *options, user="alice", **kwargs):
        """Submit a script (of sh, without its first line): the job's id. Its output is home/USER/slurm-ID.out."""
        if "\n#SBATCH hetjob" not in script:
            options = (f"-t{5 * SLOW}", "--mem=100", *options)
        run = self.as_user(user, "sbatch", "--parsable", *options, input="#!/bin/sh\n" + script + "\n", stdin=None, **kwargs)
        if run.returncode != 0:
            raise Failed(f"sbatch: {run.stderr}")
        return run.stdout.strip().split(";")[0]

    def running(self, script, *options, user="alice", **kwargs):
        """Submit a script: the job's id when it is running, and its prologs have ended."""
        job = self.sbatch("touch ran-$SLURM_JOB_ID-$SLURMD_NODENAME\n" + script, *options, user=user, **kwargs)
        if not wait_for(lambda: glob.glob(f"home/{user}/ran-{job}-*"), 60):
            check(False, f"job {job} runs: {self.states(job)}")
        wait_for_prologs()
        return job

    def held(self, script, *options, **kwargs):
        """The same: until let_go() of it."""
        return self.running(f"until [ -e go-$SLURM_JOB_ID ]; do sleep 0.1; done; {script}", *options, **kwargs)

    @staticmethod
    def let_go(job, user="alice"):
        _write(f"home/{user}/go-{job}", "")

    def srun(self, *words, user="alice", **kwargs):
        return self.as_user(user, "timeout", f"{60 * SLOW}", "srun", f"-t{SLOW}", "--mem=100", *words, timeout=90 * SLOW, **kwargs)

    def output(self, job, user="alice"):
        with open(f"home/{user}/slurm-{job}.out", encoding="utf8", errors="replace") as out:
            return out.read()

    def states(self, job):
        """Of all records of a job that slurmctld knows: tasks of an array, components of a heterogeneous job."""
        run = _call("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%T")
        return run.stdout.split() if run.returncode == 0 else []

    def wait(self, job, seconds=60, states=FINAL):
        """Wait for one of the states; returned, as "A B" if tasks differ, or the last state with a failed check. Epilogs have ended then."""
        def there():
            found[:] = sorted(set(self.states(job)))
            return (found and set(found) <= set(states)) or time.sleep(0.1)
        found = []
        if not wait_for(there, seconds):
            check(False, f"job {job} becomes one of {'|'.join(states)} in {seconds} s, not {found}")
        return " ".join(found)

    def ids(self, job):
        """Raw ids of the tasks of an array, or of the components of a heterogeneous job."""
        return _must("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%A").split()

    def sacct(self, job, fields, *options):
        """Rows of sacct as dicts of text."""
        names = fields.split(",")
        out = _must("sacct", "-P", "-n", "-j", job, "-o", fields, *options)
        return [dict(zip(names, line.split("|"))) for line in out.splitlines()]
