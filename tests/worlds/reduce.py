# SPDX-License-Identifier: BSD-3-Clause
"""From a situation that breaks a law to the smallest one that still does: lines go, numbers become simple."""
import re
import sys

from runner import judge
from situation import Situation

KEPT = ("family", "engine")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def signatures(runner, directives):
    """The signatures that this version shows; none if it cannot be played."""
    situation = Situation(directives)
    try:
        _, violations = judge(situation, runner.build, runner.plays)
    except Exception:  # a line that was needed is gone
        return set()
    return {v.signature(situation.family) for v in violations}


def without_lines(directives, holds):
    """Drops halves, quarters, ... and single lines, as long as the violation stays."""
    size = max(1, len(directives) // 2)
    while size:
        i = 0
        while i < len(directives):
            cut = [d for j, d in enumerate(directives) if not i <= j < i + size or d[0] in KEPT]
            if len(cut) < len(directives) and holds(cut):
                directives = cut
            else:
                i += size
        size //= 2
    return directives


def without_words(directives, holds):
    """Drops single words of a line: key=value pairs, repeated actions."""
    for i, (key, value) in enumerate(directives):
        words = value.split()
        j = 0
        while key not in KEPT and j < len(words) and len(words) > 1:
            shorter = words[:j] + words[j + 1:]
            trial = [*directives[:i], (key, " ".join(shorter)), *directives[i + 1:]]
            if holds(trial):
                words, directives = shorter, trial
            else:
                j += 1
    return directives


def simpler(text):
    """Simpler versions of a number, the simplest first."""
    value = float(text)
    for digits in (1, 2, 3):
        short = f"{value:.{digits}g}"
        short = f"{float(short):g}"
        if "e" not in short and len(short) < len(text):
            yield short


def with_simple_numbers(directives, holds):
    for i, (key, value) in enumerate(directives):
        at = 0
        while key not in KEPT and (match := NUMBER.search(value, at)):
            at = match.end()
            for short in simpler(match.group()):
                trial_value = value[:match.start()] + short + value[match.end():]
                trial = [*directives[:i], (key, trial_value), *directives[i + 1:]]
                if holds(trial):
                    directives, value, at = trial, trial_value, match.start() + len(short)
                    break
    return directives


def reduce_named(runner, names, output):
    status = 0
    for word in names:
        situation = runner.situation(word)
        wanted = signatures(runner, situation.directives)
        if not wanted:
            print(f"worlds: {word} breaks no law", file=sys.stderr)
            status = 1
            continue
        target = sorted(wanted)[0]
        tries = 0

        def holds(directives, target=target):
            nonlocal tries
            tries += 1
            return target in signatures(runner, directives)

        directives = situation.directives
        for step in (without_lines, without_words, with_simple_numbers):
            directives = step(directives, holds)
        text = f"# {target}\n" + Situation(directives).text()
        print(f"{word}: {len(situation.directives)} lines, now {len(directives)}, after {tries} plays", file=sys.stderr)
        if output:
            with open(output, "w", encoding="utf-8") as f:
                f.write(text)
        else:
            print(text, end="")
    return status
