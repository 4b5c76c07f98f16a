# SPDX-License-Identifier: BSD-3-Clause
"""Terminals for tests: panes of a private tmux server. Nothing waits for a fixed time: a screen is
polled until it shows what is expected, or a generous limit has passed."""
import atexit
import os
import re
import shutil
import subprocess
import time

import scene

LIMIT_S = 120


class Terminal:
    """A shell on a terminal of the given size and type. Its content is captured as text."""

    count = 0

    def __init__(self, width=80, height=24, term="tmux-256color", locale="C.UTF-8"):
        Terminal.count += 1
        self.socket = os.path.abspath(f"tmux-{Terminal.count}")
        env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "LC_ALL", "LANG")}
        env.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
        # The server must use UTF-8 whatever the environment of the program in the pane says.
        self.env = env
        inner = (f"env TERM={term} LC_ALL={locale} PS1= PS2= "
                 "bash --norc --noprofile -i")
        self.tmux("-f", "/dev/null", "-u", "new-session", "-d", "-s", "t", "-x", str(width), "-y", str(height), inner)
        atexit.register(self.close)
        self.tmux("set-option", "-t", "t", "status", "off")
        self.resize(width, height)
        self.say("stty -echo; set +o history; bind 'set enable-bracketed-paste off' 2>/dev/null; clear")

    def tmux(self, *words):
        run = subprocess.run(["tmux", "-S", self.socket, *words], env=self.env, capture_output=True, text=True,
                             timeout=60, check=False)
        return run.stdout

    def say(self, line):
        self.tmux("send-keys", "-t", "t", "-l", line)
        self.tmux("send-keys", "-t", "t", "Enter")

    def keys(self, *names):
        self.tmux("send-keys", "-t", "t", *names)

    def resize(self, width, height):
        self.tmux("resize-window", "-t", "t", "-x", str(width), "-y", str(height))

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "t")

    def value(self, what):
        """Value of a tmux format, such as "alternate_on"."""
        return self.tmux("display-message", "-p", "-t", "t", f"#{{{what}}}").strip()

    def until(self, condition, limit_s=LIMIT_S):
        """The screen once the condition (a pattern, or a function of the screen) is true; None at the limit."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            shown = self.screen()
            if condition(shown) if callable(condition) else re.search(condition, shown, re.M):
                return shown
            time.sleep(0.05)
        return None

    def close(self):
        self.tmux("kill-server")


def need_tmux():
    if not shutil.which("tmux"):
        scene.skip("tmux is missing (scripts/setup test)")
