#!/bin/bash
# Kills runs at random points (KILLS of them, 100 unless given). Every test
# that was told of is in the journal, none twice; --resume completes to the
# document of an undisturbed run, but for times.
set -u
cd "$(dirname "$0")/.." || exit 2
fencepost=$(readlink -f "${FENCEPOST:-build/fencepost}")
kills=${KILLS:-100}
work=$(mktemp -d /tmp/fencepost-kill-XXXXXX)
trap 'rm -rf "$work"' EXIT
RANDOM=${SEED:-7}
run=("$fencepost" run --device sim --jobs 1 -n 400 --seed 7 --quiet
    tests/plan --json)

# Everything but when, how long, and how it was asked for.
compare() {
	python3 - "$@" <<'EOF'
import json, sys

def load(path):
    def strip(o): # wherever they are
        for key in ("started", "wall_seconds", "seconds", "command", "notes",
            "replay", "rate", "drift", "dispersion"):
            o.pop(key, None)
        return o
    return json.load(open(path), object_hook=strip)

a, b = load(sys.argv[1]), load(sys.argv[2])
if a != b:
    print("kill: the documents differ:", [s["name"] for s, t in
        zip(a["tests"], b["tests"]) if s != t][:5],
        [k for k in a if a[k] != b.get(k)])
    sys.exit(1)
EOF
}

# Each test that stdout told of is in what was left, none is twice.
finished() { # what stdout said, the document or its journal
	python3 - "$@" <<'EOF'
import json, os, sys

said = [line.split(": ")[0].split(None, 1)[1] for line in open(sys.argv[1])
    if line.startswith("ok ")]
path = sys.argv[2]
if os.path.exists(path + ".journal"):
    lines = open(path + ".journal").read().split("\n")
    lines.pop() # after the last newline: nothing, or what was being written
    names = [json.loads(line)["name"] for line in lines[1:]]
elif os.path.exists(path):
    names = [t["name"] for t in json.load(open(path))["tests"]]
else:
    names = []
if len(set(names)) != len(names):
    sys.exit("kill: twice in the journal: %s" % names)
if set(said) - set(names):
    sys.exit("kill: told of, but not kept: %s" % (set(said) - set(names)))
print(len(names))
EOF
}

begin=$(date +%s%N)
"${run[@]}" "$work/whole.json" >/dev/null || exit 1
span=$((($(date +%s%N) - begin) / 1000000))
tests=$("$fencepost" run --list tests/plan | wc -l)
middle=0
for ((i = 1; i <= kills; i++)); do
	document=$work/$i.json
	resume=()
	turns=$((1 + RANDOM % 2)) # some runs are killed again as they resume
	for ((turn = 0; turn < turns; turn++)); do
		"${run[@]}" "$document" ${resume[@]+"${resume[@]}"} \
		    >"$work/out" 2>"$work/err" &
		pid=$!
		sleep "$(printf '0.%03d' $((RANDOM % (span + 50) % 1000)))"
		kill -9 "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
		n=$(finished "$work/out" "$document") || exit 1
		[ "$n" -gt 0 ] && [ "$n" -lt "$tests" ] &&
		    middle=$((middle + 1))
		if [ -e "$document" ] || [ -e "$document.journal" ]; then
			resume=(--resume "$document")
		fi
	done
	if ! "${run[@]}" "$document" ${resume[@]+"${resume[@]}"} \
	    >"$work/out" 2>"$work/err"; then
		cat "$work/err"
		exit 1
	fi
	compare "$work/whole.json" "$document" || exit 1
	if [ -e "$document.journal" ]; then
		echo "kill: a journal was left"
		exit 1
	fi
	rm -f "$document"
done
echo "kill: $kills runs killed, $middle times in the middle, all completed"
[ "$middle" -gt 0 ]
