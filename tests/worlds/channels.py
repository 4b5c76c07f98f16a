# SPDX-License-Identifier: BSD-3-Clause
"""Laws of the channels and totals of a document of `wattle run`, against the exact joules of its window."""
import re

from laws import Violation, too_few

import node
from oracle import expect

BELIEVED_W = 1e4  # no simulated domain draws more
DOUBTS = ("INCOMPLETE", "PARTIAL", "PART TIME", "UNFINISHED", "SUSPENDED")


def place(channel):
    """The channel without its number: `channels[nvml:gpu]`."""
    return f"channels[{channel['sensor']}:{channel['domain']}]"


def half_width(channel):
    """Half of the interval that a channel or total claims; None if it claims none."""
    if channel.get("low_j") is not None and channel.get("high_j") is not None:
        return max(channel["high_j"] - channel["energy_j"], channel["energy_j"] - channel["low_j"])
    return channel.get("resolution_interval_j")


def true_joules(channel, truth):
    """The truth of a channel: that of the domain with its number, or of the domain that exists once."""
    return truth.get(f"{channel['domain']}-{channel['index']}", truth.get(channel["domain"]))


def energy(channel, true_j, where, repeat=None, slack=0.0):
    """Law interval for one energy; `repeat` is its spread over runs if it is a mean."""
    said = channel.get("energy_j")
    if said is None or true_j is None:
        return []
    if channel.get("unknown_s"):
        return partial(channel, true_j, where)
    half = half_width(channel) or 0.0
    if repeat is not None:
        half = max(half, repeat.get("ci95") or 0.0)
    error = abs(said - true_j)
    if error <= 3 * half + slack + 1e-9 * abs(true_j):
        return []
    return [Violation("interval", f"{where}.energy_j", said, true_j,
                      f"{where} says {said:.6g} +- {half:.3g} J, true are {true_j:.6g} J: off by "
                      f"{error / half if half else 0:.3g} "
                      f"half widths ({100 * (said - true_j) / true_j if true_j else 0:.2f} %)")]


def partial(channel, true_j, where):
    """Law bound for an energy of which a part is missing: what is known is not more than there was, and what is lacking
    is not more than the unknown time can have had."""
    said, half = channel["energy_j"], half_width(channel) or 0.0
    lacking = true_j - said - channel["unknown_s"] * BELIEVED_W
    if lacking > 0.001 * true_j + 3 * half:
        return [Violation("unflagged", f"{where}.unknown_s", said, true_j,
                          f"{where}: {said:.6g} +- {half:.3g} J and {channel['unknown_s']:.3g} s unknown, true are "
                          f"{true_j:.6g} J: more than that time can have had")]
    if said <= true_j * 1.001 + 3 * half:
        return []
    return [Violation("bound", f"{where}.energy_j", said, true_j,
                      f"{where}: {said:.6g} +- {half:.3g} J known although {channel['unknown_s']:.3g} s are unknown, "
                      f"all was {true_j:.6g} J")]


def declared(s, document, update_s=0.001):
    """Law known: on a node without faults each of its domains has a channel, with an energy if there is time to see
    some of its updates."""
    if document is None or s.all("fault") or s.all("view") or s.all("now"):
        return []
    found = []
    domains = {re.match(r"[a-z_]+", line).group() for line in s.all("power")} | {"gpu" for _ in s.all("gpu")}
    for domain in sorted(domains):
        mine = [c for c in document["channels"] if c["domain"] == domain]
        seconds = document["wall_time_s"] if not document.get("runs") else 0
        if not mine:
            found.append(Violation("known", f"channels[{domain}]", None, domain, f"the node has {domain}, the result "
                                   f"only {[c['name'] for c in document['channels']]}"))
        elif any(c["energy_j"] is None for c in mine) and seconds > 10 * update_s + 0.3:
            found.append(Violation("known", f"channels[{domain}].energy_j", None, "an energy",
                                   f"no energy of {domain} in {seconds:.3g} s of a node without faults"))
    return found


def truth_is_there(observation, document):
    """Law known: an energy has a window, of which the node says what it was."""
    energies = [c["energy_j"] for c in document["channels"] if c["quality"] != "estimated"]
    if all(e is None for e in energies) or document.get("runs") or node.truth_of(observation, document):
        return []
    window = document["start_monotonic_ns"], document["end_monotonic_ns"]
    return [Violation("known", "window", window, None,
                      f"an energy in a window {window} of which the node knows nothing")]


def unflagged(document):
    """Law unflagged: a channel with unknown time has a flag on the result."""
    missing = [c["name"] for c in document["channels"] if c.get("unknown_s") and c["primary"]]
    if not missing or flagged(document):
        return []
    return [Violation("unflagged", "flags", document["flags"], missing, f"unknown time in {missing[0]}, and no flag")]


def order(channel, where):
    """Law order: min <= mean <= max, to within the one update that a stretch of min..max may show more or less: of 128
    updates, or of 20 where they are slow."""
    low, mean, high = channel.get("min_w"), channel.get("mean_w"), channel.get("max_w")
    if None in (low, mean, high) or channel.get("unknown_s"):
        return []
    share = 0.012 if (channel.get("stat_window_ms") or 0) < 130 else 0.06
    room = share * max(abs(mean), abs(low), abs(high)) + 1e-6
    if low - room <= mean <= high + room:
        return []
    return [Violation("order", f"{where}.mean_w", mean, [low, high],
                      f"{where}: mean {mean:.6g} W outside of {low:.6g}..{high:.6g} W")]


def extremes(channel, where, lowest, highest, share, over=""):
    """Law order for the power that a channel can have had: between the least and the greatest power that there was."""
    found = []
    for name, beyond in (("min_w", lambda w: w < lowest * (1 - share) - 0.01),
                         ("max_w", lambda w: w > highest * (1 + share) + 0.01)):
        watts = channel.get(name)
        if watts is not None and beyond(watts):
            found.append(Violation("order", f"{where}.{name}{over}", watts, [lowest, highest],
                                   f"{where}: {name} {watts:.6g} W, but the power{over} was within "
                                   f"{lowest:.6g}..{highest:.6g} W"))
    return found


def total(document, where="total"):
    """Law sum: the total is the sum of its channels, and unknown if one of them is."""
    parts = [c for c in document["channels"] if c["in_total"]]
    said = document["total"]["energy_j"]
    found = []
    if sorted(c["name"] for c in parts) != sorted(document["total"]["channels"]):
        found.append(Violation("sum", f"{where}.channels", document["total"]["channels"], [c["name"] for c in parts],
                               "the total names other channels than those that are marked as part of it"))
    if said is None:
        if parts and "MIXED RUNS" not in document["flags"] and all(c["energy_j"] is not None for c in parts):
            found.append(Violation("sum", f"{where}.energy_j", None, sum(c["energy_j"] for c in parts),
                                   "no total, yet all its channels have one"))
        return found
    if any(c["energy_j"] is None for c in parts):
        return found + [Violation("sum", f"{where}.energy_j", said, None,
                                  "a total, yet one of its channels is unknown")]
    true_j = sum(c["energy_j"] for c in parts)
    if abs(true_j - said) > 1e-6 * abs(true_j) + 1e-9:
        found.append(Violation("sum", f"{where}.energy_j", said, true_j,
                               f"total {said:.9g} J, its channels add up to {true_j:.9g} J"))
    return found


def shares(document, where="process"):
    """Law sum: shares, idle and unattributed energy are the total."""
    process, said = document.get("process") or {}, document["total"].get("energy_j")
    parts = [process.get(k) for k in ("energy_share_j", "others_share_j", "idle_j", "unattributed_j")]
    if said is None or None in parts:
        return []
    if abs(sum(parts) - said) <= 1e-6 * abs(said) + 1e-6:
        return []
    return [Violation("sum", f"{where}.shares", sum(parts), said,
                      f"shares add up to {sum(parts):.9g} J of a total of {said:.9g} J")]


def flagged(document):
    return [f for f in document["flags"] if f in DOUBTS]


def repeats(document):
    """Law repeat: an interval of the mean is not narrower than that of one run, which all runs may have wrong in the
    same way."""
    found = []
    spreads = (document.get("repeat") or {}).get("channels") or {}
    for channel in document["channels"]:
        spread, one = spreads.get(channel["name"], {}).get("energy_j", {}), channel.get("resolution_interval_j")
        ci = spread.get("ci95")
        if ci is not None and one is not None and ci < 0.99 * one:
            found.append(Violation("repeat", f"{place(channel)}.ci95", ci, one,
                                   f"{channel['name']}: mean of {document['repeat']['n']} runs +- {ci:.3g} J, one run "
                                   f"+- {one:.3g} J"))
    return found


def check(observation, document):
    """All laws above for a document and each of its runs."""
    found = []
    truth = node.truth_of(observation, document)
    spreads = (document.get("repeat") or {}).get("channels") or {}
    for channel in document["channels"]:
        where = place(channel)
        if truth is not None:
            spread = spreads.get(channel["name"], {}).get("energy_j")
            found += energy(channel, true_joules(channel, truth), where, spread)
        found += order(channel, where)
    found += total(document) + shares(document) + repeats(document) + unflagged(document)
    found += truth_is_there(observation, document)
    for run in document.get("runs") or []:
        found += check(observation, run)
    return found


def statuses(o, fails=False):
    """Law crash: no step hangs or dies of a signal; the run itself succeeds."""
    found = []
    for step in o["steps"]:
        status = step.get("status")
        if status is None or status < 0 or status >= 128:
            found.append(Violation("crash", "status", status, 0,
                                   f"a step ended with {status}: {(step.get('err') or '')[-200:]}"))
    if o["document"] is None and not found and not fails:
        err = next((step.get("err") for step in o["steps"] if step.get("err")), "")
        found.append(Violation("crash", "no result", None, None, f"no document; {o['node']} {err[-200:]}"))
    return found


def again(trace):
    """Steps that print the result of a trace in all three ways; `look` keeps them in the observation."""
    stats = ["@wattle", "stats"]
    return [{"run": [*stats, "--format", "json", trace], "save": "again.json"},
            {"run": [*stats, "-v", trace], "save": "again.txt"},
            {"run": [*stats, "--format", "csv", trace], "save": "again.csv"}]


def look(p, observation, result="r.json"):
    """Adds the documents of a play to its observation."""
    observation["document"], observation["again"] = node.load(p.read(result)), node.load(p.read("again.json"))
    observation["again_text"], observation["again_csv"] = p.read("again.txt"), p.read("again.csv")
    observation["asked_again"] = p.read("again.json") is not None
    return observation


def read_again(o, physical=True):
    """Laws within the document and between it and what is printed from its trace, as the oracle of documents knows
    them."""
    document, told = o["document"], o.get("again")
    if document is None:
        return []
    found = expect.check_run_document(document, physical=physical)
    if o.get("asked_again") and document["channels"] and not (told and told.get("channels")):
        found.append(("crash", "stats", told, None, "stats of the trace has no result"))
    if told and told.get("channels"):
        found += expect.check_run_document(told, o.get("again_text"), o.get("again_csv"),
                                           physical) + expect.same_documents(document, told)
    seen, violations = set(), []
    # A gauge that sees a part of the time has the interval of one run in repeats, too, and one that may be wider than
    # its value.
    part_time = "PART TIME" in document["flags"]
    for law, where, said, truth, text in found:
        if part_time and (where.startswith("repeat.") or where.endswith("digits")):
            continue
        if (law, where) not in seen:
            seen.add((law, where))
            violations.append(Violation(law, where, said, truth, text))
    return violations



def hits(observations, pick):
    """How many intervals of energies hold the truth, and of how many; `pick` chooses channels."""
    inside = n = 0
    for o in observations:
        document = o.get("document")
        for run in (document.get("runs") or [document]) if document else []:
            truth = node.truth_of(o, run)
            for channel in run["channels"] if truth else []:
                true_j, half = true_joules(channel, truth), half_width(channel)
                if pick(channel) and None not in (true_j, channel["energy_j"], half) and not channel["unknown_s"]:
                    n += 1
                    inside += abs(channel["energy_j"] - true_j) <= half * 1.0001 + 1e-9 * abs(true_j)
    return inside, n


def coverage(observations, where, pick=lambda channel: True, least=20):
    """Law coverage over observations of one kind. The intervals of one play may all be wrong because the machine stood
    still: one play alone is no proof, and the worst is left out."""
    each = sorted((hits([o], pick) for o in observations), key=lambda h: h[0] - h[1])[1:]
    inside, n = sum(h[0] for h in each), sum(h[1] for h in each)
    return too_few(inside, n, where) if n >= least else []
