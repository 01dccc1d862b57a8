#!/bin/sh
# Instances a second of the classics on the software machine, on one core
# and on all.
set -u
cd "$(dirname "$0")/.." || exit 2
fencepost=${BUILD:-build}/fencepost
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for jobs in 1 "$(nproc)"; do
	echo "software machine, $jobs workers"
	"$fencepost" run --device sim --jobs "$jobs" --quiet --no-twins \
	    --time "${TIME:-10s}" --filter '*+relaxed.gpu' \
	    --json "$out/$jobs.json" >/dev/null
	python3 contrib/rates.py "$out/$jobs.json"
done
