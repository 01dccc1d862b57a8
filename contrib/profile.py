#!/usr/bin/env python3
"""A profile of environments, from results documents of runs on one GPU: for
each kind of test (family and placement) those in which most showed.

    python3 contrib/profile.py DOCUMENT... >profiles/GPU.yaml
"""
import gzip
import json
import math
import re
import sys

KEEP = 3
LEAST_SECONDS = 0.02  # of device time, for a rate to mean something


def load(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as f:
        return json.load(f)


def placement(test):
    """As placement_kind() of driver/tune.c, with ".shared" after it."""
    places = [dict(re.findall(r"(gpu|cluster|cta|warp) (\d+)", place))
              for place in test["placement"].split(";")]
    pairs = [(a, b) for i, a in enumerate(places) for b in places[:i]]

    def apart(key):
        return any(a.get(key) != b.get(key) for a, b in pairs)

    kind = ("ctas" if apart("cluster") else "cluster" if apart("cta") else
            "cta" if apart("warp") or any("warp" not in a for a in places)
            else "warp")
    shared = any(x.startswith(".shared") for x in test["locations"])
    return kind + (".shared" if shared else "")


def low(hits, seconds):
    """The rate that is sure (95 %), as candidate_low() of driver/tune.c."""
    root = math.sqrt(hits + 0.375) - 0.98
    return (root * root - 0.375) / seconds if root > 0 else 0.0


def collect(paths):
    devices, kinds = set(), {}
    for path in paths:
        document = load(path)
        if not document["hardware"]:
            sys.exit(f"{path}: not of a GPU")
        devices.update(d["name"] for d in document["devices"])
        for test in document["tests"]:
            if test["answer"] != "allowed" or test["verdict"] != "pass":
                continue
            family = re.sub(r"[^A-Za-z0-9_.+-]", "_", test["family"])
            kind = kinds.setdefault(f"{family}.{placement(test)}", {})
            for e in test.get("environments", []):
                fields = {k: v for k, v in e["env"].items() if k != "name"}
                sums = kind.setdefault(json.dumps(fields), [0, 0, 0.0])
                for i, key in enumerate(("instances", "hits", "seconds")):
                    sums[i] += e[key]
    if len(devices) != 1:
        sys.exit(f"of {len(devices)} kinds of device, not one")
    return devices.pop(), kinds


def main(paths):
    device, kinds = collect(paths)
    print(f"# {device}: by contrib/profile.py from what was recorded in")
    for path in paths:
        print(f"#   {path}")
    for kind, envs in sorted(kinds.items()):
        best = sorted(((low(h, s), n / s, h / s, env)
                       for env, (n, h, s) in envs.items()
                       if h and s >= LEAST_SECONDS), reverse=True)
        for i, (_, rate, hits, env) in enumerate(best[:KEEP]):
            fields = "".join(f", {k}: {v}" for k, v in json.loads(env).items())
            print(f"- {{name: {kind}.{i + 1}{fields}}}"
                  f" # {rate:.3g} instances, {hits:.3g} hits a second")


if __name__ == "__main__":
    main(sys.argv[1:])
