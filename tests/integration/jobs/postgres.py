# SPDX-License-Identifier: BSD-3-Clause
"""A PostgreSQL server for tests: in a temporary folder, on a unix socket and, with TLS, on loopback."""
import glob
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import tempfile
import time

PASSWORD = "secret of a test"
HBA = """local all all trust
hostssl all all 127.0.0.1/32 scram-sha-256
hostnossl all all 127.0.0.1/32 reject
"""


def missing():
    """Why there can be no server, or None."""
    if os.geteuid():
        return "root is needed, to become postgres"
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return "there is no user postgres"
    if not glob.glob("/usr/lib/postgresql/*/bin/initdb"):
        return "PostgreSQL is not installed"
    if not shutil.which("openssl"):
        return "openssl is not installed"
    return None


class Server:
    def __init__(self):
        self.bin = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wattle-postgres-"))
        self.user = pwd.getpwnam("postgres")
        os.chmod(self.folder, 0o755)
        os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.data = self.folder / "data"
        self.certificate = self.folder / "server.crt"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._run("initdb", "-D", self.data, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self._make_certificate()
        (self.data / "pg_hba.conf").write_text(HBA)
        self.start()
        self.sql("CREATE DATABASE wattle", database="postgres")

    def _as_postgres(self):
        os.setgroups([])
        os.setgid(self.user.pw_gid)
        os.setuid(self.user.pw_uid)

    def _run(self, program, *arguments):
        subprocess.run([self.bin / program, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=self.folder,
                       preexec_fn=self._as_postgres, timeout=120)

    def _make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost", "-keyout", self.folder / "server.key", "-out",
                        self.certificate], check=True, stderr=subprocess.DEVNULL)
        os.chmod(self.folder / "server.key", 0o600)
        os.chown(self.folder / "server.key", self.user.pw_uid, self.user.pw_gid)

    def start(self):
        options = (f"-k {self.folder} -p {self.port} -c listen_addresses=127.0.0.1 -c fsync=off -c ssl=on "
                   f"-c ssl_cert_file={self.certificate} -c ssl_key_file={self.folder}/server.key "
                   "-c max_connections=40 -c shared_buffers=32MB")
        self._run("pg_ctl", "-D", self.data, "-o", options, "-l", self.folder / "log", "-w", "-t", "60", "start")

    def admit(self, hba, ident="", authority=None):
        """Other lines of pg_hba.conf and pg_ident.conf, from now on; `authority`: the file of who signs certificates of clients."""
        (self.data / "pg_hba.conf").write_text(hba)
        (self.data / "pg_ident.conf").write_text(ident)
        if authority:
            self.sql(f"ALTER SYSTEM SET ssl_ca_file = '{authority}'")
        self._run("pg_ctl", "-D", self.data, "reload")

    def stop(self, mode="immediate"):
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "-t", "60", "stop")

    def close(self):
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, text, role="postgres", database="wattle", check=True):
        """Run SQL; the rows as lines, columns separated by |. check=False: the message of the error."""
        run = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", str(self.port),
                              "-U", role, "-d", database, "-c", text], capture_output=True, text=True, check=False, timeout=60)
        if check and run.returncode:
            raise RuntimeError(f"{text}: {run.stderr}")
        return run.stdout.strip() if run.returncode == 0 else run.stderr.strip()

    def add_role(self, name, group):
        self.sql(f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{PASSWORD}'; GRANT {group} TO \"{name}\"")

    def url(self, role="postgres"):
        """Over the socket."""
        return f"postgresql://{role}@/wattle?host={self.folder}&port={self.port}"

    def tls_url(self, role, mode="verify-full"):
        return (f"postgresql://{role}@localhost/wattle?hostaddr=127.0.0.1&port={self.port}&sslmode={mode}"
                f"&sslrootcert={self.certificate}")


def wait_until(condition, seconds=60):
    """Whether it comes true within a time that is long enough on any machine."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False
