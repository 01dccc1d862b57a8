#!/bin/sh
# On a machine with a GPU: validates and times the primitives. Builds nothing.
#	hw-primitives.sh [all|validate|bench|candidates|prove|overcommit]...
# BUILD is where the program is, OUT where results go, DEVICE what to take;
# TIME is the budget of validation. A short table comes last.
set -u
cd "$(dirname "$0")/.." || exit 2

fencepost=${BUILD:-build}/fencepost
out=${OUT:-${BUILD:-build}/hw-primitives}
device=${DEVICE:-cuda}
mkdir -p "$out"
if [ ! -x "$fencepost" ]; then
	echo "hw-primitives: no $fencepost; build it with make" >&2
	exit 2
fi
worst=0
: >"$out/steps.txt"

# step NAME LIMIT WANTED-STATUS ARGUMENT...
step() {
	name=$1 limit=$2 wanted=$3
	shift 3
	begin=$(date +%s)
	timeout "$limit" "$fencepost" primitive --device "$device" \
	    --json "$out/$name.json" "$@" >"$out/$name.txt" \
	    2>"$out/$name.err"
	status=$?
	printf '%-12s exit %s (wanted %s), %s s\n' "$name" "$status" \
	    "$wanted" $(($(date +%s) - begin)) >>"$out/steps.txt"
	[ "$status" -eq "$wanted" ] || worst=1
	head -c 2000 "$out/$name.err"
}

validate() {
	step validate 200 0 --validate --time "${TIME:-70s}"
	grep -E '(BROKEN|NOT CAUGHT|not caught|skipped) ' "$out/validate.txt"
	tail -n 1 "$out/validate.txt"
}

bench() {
	step bench 150 0 --bench
	sed -n '/^latency/,$p' "$out/bench.txt"
}

# which grid barrier is the fastest?
candidates() {
	step candidates 120 0 --file contrib/barriers.yaml --bench \
	    --twins with
	sed -n '/^latency/,/^$/p' "$out/candidates.txt"
}

# 1e9 crossings (CTAs times rounds) of the best barriers
prove() {
	# shellcheck disable=SC2086 # several names
	step prove 90 0 --validate --twins without --rounds 8M \
	    ${BARRIERS:-grid_pause}
	grep rounds "$out/prove.txt"
}

# the hang that the check of residency prevents: wanted is "broken"
overcommit() {
	step overcommit 60 1 --validate --twins without --ctas 20000 \
	    --overcommit grid_monotonic
	grep grid_monotonic "$out/overcommit.txt"
	step refused 30 2 --validate --twins without --ctas 20000 \
	    grid_monotonic
	grep grid_monotonic "$out/refused.txt"
}

[ $# -gt 0 ] || set -- all
for what; do
	case $what in
	all) validate; bench; candidates; overcommit; prove ;;
	validate|bench|candidates|prove|overcommit) "$what" ;;
	*) echo "hw-primitives: no '$what'" >&2; exit 2 ;;
	esac
done
echo
cat "$out/steps.txt"
exit $worst
