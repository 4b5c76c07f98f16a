# SPDX-License-Identifier: BSD-3-Clause
"""Which sources have to be looked at again since all passed at the commit that scripts/tidy-passed names."""
import functools
import os
import re
import subprocess

PASSED = "scripts/tidy-passed"
ALL_DEPEND_ON = {".clang-tidy", "cmake/WattleCompile.cmake", "scripts/check-tidy", "scripts/check-clang"}
FOLDERS = ("src", "include", "include/pm", "tests", "bench", "plugins/extrae/include")


def output(*command, **kwargs):
    return subprocess.run(command, capture_output=True, check=True, **kwargs).stdout


def version_of(program):
    """As in scripts/tidy-passed: "clang-tidy 14.0.6"; clang is of the same version."""
    return "clang-tidy " + re.search(r"version (\d\S*)", output(program, "--version", text=True)).group(1).split("-")[0]


@functools.lru_cache(maxsize=None)
def headers_of(path):
    """The headers of ours that a file includes itself, whatever its conditions are."""
    found = set()
    with open(path, encoding="utf-8", errors="replace") as f:
        for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', f.read(), re.MULTILINE):
            for folder in (os.path.dirname(path), *FOLDERS):
                header = os.path.normpath(os.path.join(folder, name))
                if os.path.exists(header):
                    found.add(header)
                    break
    return found


def depends_on(source, changed):
    seen, todo = set(), [source]
    while todo:
        path = todo.pop()
        if path in changed:
            return True
        seen.add(path)
        todo += headers_of(path) - seen
    return False


def changed_files():
    """(what differs from that commit, its name, the analyser then); raises LookupError, with the reason, if that cannot be told."""
    try:
        with open(PASSED, encoding="utf-8") as f:
            commit, then = f.read().strip().split("\n")[-1].split(" ", 1)
        changed = output("git", "diff", "--name-only", "--no-renames", "-z", commit, "--", text=True)
    except OSError as e:
        raise LookupError(f"no {PASSED}") from e
    except (subprocess.CalledProcessError, ValueError) as e:
        raise LookupError(f"the commit in {PASSED} is unknown") from e
    changed += output("git", "ls-files", "--others", "--exclude-standard", "-z", text=True)
    return set(changed.split("\0")), commit[:12], then


def since_passed(sources, version):
    """Those that differ from that commit, or of which a header does, and what to say about them; all if that cannot be told."""
    try:
        changed, commit, then = changed_files()
    except LookupError as e:
        return sources, str(e)
    if then != version:
        return sources, f"{PASSED} is about {then}, here is {version}"
    if changed & ALL_DEPEND_ON:
        return sources, f"changed since {commit}: {' '.join(sorted(changed & ALL_DEPEND_ON))}"
    return [s for s in sources if depends_on(s, changed)], f"what differs from {commit}"


def changed_only(files, what_decides):
    """Of files that are each checked by themselves: those that differ from that commit; all if that cannot be told or if one of
    `what_decides` differs. Every stage of check-all passed there."""
    try:
        changed = changed_files()[0]
    except LookupError:
        return files
    return files if changed & what_decides else [f for f in files if f in changed]


def record(version):
    """All passed here, at the present commit."""
    if output("git", "status", "--porcelain", text=True):
        print(f"all passed; {PASSED} remains as it is, since there are changes that are not committed")
        return
    with open(PASSED, "w", encoding="utf-8") as f:
        f.write("# SPDX-License-Identifier: BSD-3-Clause\n"
                "# The commit at which all sources passed, and with what: written by scripts/check-tidy BUILD-FOLDER --all.\n"
                f"{output('git', 'rev-parse', 'HEAD', text=True).strip()} {version}\n")
    print(f"all passed: commit {PASSED}")
