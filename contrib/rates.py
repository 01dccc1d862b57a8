#!/usr/bin/env python3
"""Instances and target hits a second of device time, from results documents:
in all environments together, and in the one that showed most."""
import json
import sys


def rate(count, seconds):
    return count / seconds if seconds > 0 else 0.0


def main(paths):
    print(f"{'test':20} {'instances/s':>12} {'hits/s':>10}  "
          f"{'best':12} {'instances/s':>12} {'hits/s':>10}")
    for path in paths:
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        for test in document["tests"]:
            hits = test.get("evidence", {}).get("target_hits", 0)
            envs = test.get("environments", [])
            best = max(envs, default=None,
                       key=lambda e: rate(e["hits"], e["seconds"]))
            row = (f"{test['name']:20} "
                   f"{rate(test['instances'], test['seconds']):12.3g} "
                   f"{rate(hits, test['seconds']):10.3g}")
            if best:
                row += (f"  {best['env'].get('name', '-'):12} "
                        f"{rate(best['instances'], best['seconds']):12.3g} "
                        f"{rate(best['hits'], best['seconds']):10.3g}")
            print(row)
        if len(document["tests"]) < 2:
            continue
        total = sum(t["instances"] for t in document["tests"])
        wall = document["wall_seconds"]
        print(f"{'all, by the clock':20} {rate(total, wall):12.3g}")


if __name__ == "__main__":
    main(sys.argv[1:])
