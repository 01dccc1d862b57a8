#!/bin/sh
# On a machine with a GPU: builds nothing, runs what was built elsewhere.
#	hw.sh		the suite, then tests that must hang or fault
#	hw.sh bench	instances and weak outcomes a second of the classics
# BUILD is where the program is, OUT where results go, DEVICE what run takes;
# TIME is the suite's budget or that of each classic. A short table comes last.
set -u
cd "$(dirname "$0")/.." || exit 2

build=${BUILD:-build}
fencepost=$build/fencepost
out=${OUT:-$build/hw}
device=${DEVICE:-cuda}
mkdir -p "$out"
if [ ! -x "$fencepost" ]; then
	echo "hw: no $fencepost; build it with make, here or elsewhere" >&2
	exit 2
fi
worst=0
note() { # status of a step, its name
	printf '%-12s exit %s\n' "$2" "$1" >>"$out/steps.txt"
	[ "$1" -eq 0 ] || worst=1
}

suite() {
	"$fencepost" run --device "$device" --quiet --time "${TIME:-60s}" \
	    --json "$out/suite.json" >"$out/suite.txt" 2>"$out/suite.err"
	note $? suite
	sed -n '/^Summary/,$p' "$out/suite.txt"
	cat "$out/suite.err"
}

# Each must get its own verdict, and the test after them must still pass.
isolation() {
	"$fencepost" run --device "$device" --quiet --timeout 3s --time 10s \
	    --json "$out/isolation.json" tests/isolation \
	    >"$out/isolation.txt" 2>"$out/isolation.err"
	found=$(awk '/: /{ sub(":", "", $2); print $2 "=" $1 }' \
	    "$out/isolation.txt" | grep -c -x -F -f - tests/isolation/expected)
	wanted=$(grep -c . tests/isolation/expected)
	cat "$out/isolation.txt" "$out/isolation.err"
	[ "${found:-0}" -eq "$wanted" ]
	note $? isolation
}

bench() {
	for shape in MP SB LB 2+2W WRC IRIW; do
		test=$shape+relaxed.gpu
		"$fencepost" run --device "$device" --quiet \
		    --time "${TIME:-10s}" --filter "$test" \
		    --json "$out/bench-$test.json" >>"$out/bench.txt"
		note $? "$test"
	done
	python3 contrib/rates.py "$out"/bench-*.json
}

: >"$out/steps.txt"
"$fencepost" devices
if [ "${1:-suite}" = bench ]; then
	bench
else
	suite
	isolation
fi
cat "$out/steps.txt"
exit $worst
