#!/usr/bin/env python3
"""A short table of what hw-primitives.sh measured, beside what was aimed at.

    primitive_table.py FOLDER            the table
    primitive_table.py --fastest FOLDER  the fastest sound grid barrier
"""
import json
import os
import sys


def read(folder, name):
    try:
        with open(os.path.join(folder, name + ".json"),
                  encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def entries(document):
    return document["primitives"] if document else []


def latency(entry, what):
    """Of the row that comes first: one CTA an SM."""
    return next((b["median"] for b in entry.get("bench", [])
                 if b["unit"] == "ns" and b["what"] == what), None)


def fastest(document, what, wanted):
    """The least of the sound ones that the model proves: (ns, name)."""
    found = [(latency(e, what), e["name"]) for e in entries(document)
             if wanted(e) and "twin_of" not in e
             and e.get("answer") == "forbidden"]
    return min((f for f in found if f[0] is not None),
               default=(None, None))


def grid_barrier(entry):
    return entry["group"] == "grid barrier"


def named(document, name):
    return next((e for e in entries(document) if e["name"] == name), {})


def microseconds(ns):
    return "not measured" if ns is None else f"{ns / 1e3:.3f} us"


def count(n):
    return f"{n:.2e}" if n >= 1e6 else str(n)


class Table:
    def __init__(self, judged):
        self.judged = judged

    def row(self, what, here, aim="", good=None, counted=False):
        """good: whether the aim is met; None: nothing to judge.
        counted: it is no matter of the device."""
        verdict = "" if good is None else "met" if good else "MISSED"
        if aim and not self.judged and not counted:
            verdict = "not judged: software machine"
        print(f"{what:44} {here:>22}  {aim:18} {verdict}".rstrip())


def put_costs(table, bench):
    ns, name = fastest(bench, "latency", grid_barrier)
    table.row(f"fastest grid barrier: {name}", microseconds(ns),
              "at most 0.85 us", ns is not None and ns <= 850)
    for name in ("grid_coop", "grid_generation", "grid_flags_relaxed"):
        table.row(f"  {name}", microseconds(
            latency(named(bench, name), "latency")))
    for start, aim in (("sentinel", 300), ("flag", 550)):
        ns, name = fastest(bench, "one way",
                           lambda e: e["name"].startswith(start + "_"))
        table.row(f"fastest {start}, one way: {name}", microseconds(ns),
                  f"at most 0.{aim // 10} us", ns is not None and ns <= aim)


def put_candidates(candidates):
    found = sorted((ns, e["name"]) for e in entries(candidates)
                   if (ns := latency(e, "latency")) is not None
                   and "twin_of" not in e)
    for ns, name in found[:5]:
        print(f"  {name:42} {microseconds(ns):>22}")


def put_proof(table, prove):
    for e in entries(prove):
        n = e.get("crossings", 0)
        table.row(f"{e['name']}: crossings, {e['verdict']}", count(n),
                  "1e9, clean", n >= 1e9 and e["verdict"] == "pass")


def put_twins(table, validate):
    sound = [e for e in entries(validate) if "twin_of" not in e]
    twins = [e for e in entries(validate) if "twin_of" in e]
    ran = [e for e in twins if e["verdict"] != "not-run"
           and e.get("answer") == "allowed"]
    caught = [e for e in ran if e["verdict"] == "pass"]
    clean = [e for e in sound if e["verdict"] == "pass"]
    broken = [e["name"] for e in sound if e["verdict"] == "broken"]

    table.row("primitives", str(len(sound)), "at least 20",
              len(sound) >= 20, counted=True)
    table.row("twins", str(len(twins)), "at least 40", len(twins) >= 40,
              counted=True)
    table.row("primitives clean of those that ran",
              f"{len(clean)} of {len(clean) + len(broken)}", "all",
              not broken)
    share = len(caught) / len(ran) if ran else 0
    table.row("twins that the model allows, caught",
              f"{len(caught)} of {len(ran)}, {100 * share:.0f} %",
              "at least 70 %", share >= 0.7)
    for text, names in (
            ("broken", broken),
            ("not caught", [e["name"] for e in ran
                            if e["verdict"] != "pass"]),
            ("not run", [e["name"] for e in sound + twins
                         if e["verdict"] == "not-run"])):
        if names:
            print(f"  {text}: " + ", ".join(names[:40])
                  + (f" and {len(names) - 40} more"
                     if len(names) > 40 else ""))


def main(arguments):
    folder = arguments[-1]
    bench = read(folder, "bench")
    if arguments[0] == "--fastest":
        print(fastest(bench, "latency", grid_barrier)[1] or "")
        return
    validate, prove, candidates = (
        read(folder, name) for name in ("validate", "prove", "candidates"))
    table = Table(all(d["hardware"] for d in (bench, validate, prove) if d))
    if bench:
        put_costs(table, bench)
        claims = bench.get("claims", [])
        table.row("claims of the chapter that hold",
                  f"{sum(c['holds'] is True for c in claims)} of "
                  f"{len(claims)}")
    if candidates:
        print("fastest candidates of contrib/barriers.yaml:")
        put_candidates(candidates)
    put_proof(table, prove)
    if validate:
        put_twins(table, validate)


if __name__ == "__main__":
    main(sys.argv[1:])
