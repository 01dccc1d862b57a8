#!/bin/sh
# What every CI system runs: the suite, its reports, and the gate.
#	ci.sh FOLDER [ARGUMENTS OF fencepost run]
#	ci.sh --merge FOLDER	the same of the shards that shard.sh left there
# FOLDER gets results.json, junit.xml, summary.md, report.html and its style
# sheet. The exit status is the gate: 0 all as expected; 1 something was
# found; 2 it could not run, which is no pass; 4 nothing was selected.
#	FENCEPOST		the program
#	FENCEPOST_DEVICE	cuda unless given: without a GPU this fails, and
#				does not fall back to the software machine
#	FENCEPOST_LEVEL		1 seconds, 2 two minutes, 3 fifteen, 4 longer
#	FENCEPOST_QUARANTINE	a list of known failures, with their last days
#	FENCEPOST_BASELINE	a document, or STORE#RUN, to compare with
#	FENCEPOST_STORE		a store that takes the results in
set -u
fencepost=${FENCEPOST:-fencepost}
if [ $# -lt 1 ]; then
	sed -n '2,16s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
merge=
if [ "$1" = --merge ] && [ $# -eq 2 ]; then
	merge=yes
	shift
fi
folder=$1
shift
mkdir -p "$folder" || exit 2
results=$folder/results.json
rm -f "$results"

if [ -n "$merge" ]; then
	"$fencepost" merge "$folder"/shard-*.json --json "$results" || exit 2
else
	"$fencepost" run --device "${FENCEPOST_DEVICE:-cuda}" \
	    --level "${FENCEPOST_LEVEL:-2}" --quiet --json "$results" "$@"
	status=$?
	if [ ! -s "$results" ]; then
		echo "ci: COULD NOT RUN (exit $status); this says nothing" \
		    "about the GPU" >&2
		[ "$status" -eq 4 ] && exit 4
		exit 2
	fi
fi

set -- "$results" --html "$folder/report.html" --css "$folder/report.css" \
    --junit "$folder/junit.xml" --markdown "$folder/summary.md" --gate
[ -n "${FENCEPOST_QUARANTINE:-}" ] &&
    set -- "$@" --quarantine "$FENCEPOST_QUARANTINE"
[ -n "${GITHUB_ACTIONS:-}" ] && set -- "$@" --github
"$fencepost" report "$@"
gate=$?

if [ -n "${FENCEPOST_BASELINE:-}" ]; then
	"$fencepost" diff "$FENCEPOST_BASELINE" "$results"
	changed=$?
	[ "$gate" -eq 0 ] && gate=$changed
fi
if [ -n "${FENCEPOST_STORE:-}" ]; then
	"$fencepost" store "$FENCEPOST_STORE" add "$results" || gate=2
fi
exit "$gate"
