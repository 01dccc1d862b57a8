#!/bin/sh
# On a machine with a GPU: takes what is to be measured of the primitives,
# within SECONDS all together (330 if not said: twins have 180 of them).
# Builds nothing.
#	hw-primitives.sh [SECONDS] [bench|validate|prove|candidates|overcommit]...
# BUILD is where the program is, OUT where results go, DEVICE what to take,
# BARRIER the grid barrier to prove (default: the fastest), CROSSINGS how
# often it is crossed (default 1G). A short table comes last.
set -u
cd "$(dirname "$0")/.." || exit 2

fencepost=${BUILD:-build}/fencepost
out=${OUT:-${BUILD:-build}/hw-primitives}
device=${DEVICE:-cuda}
crossings=${CROSSINGS:-1G}
budget=330
case ${1:-} in
[1-9]*) budget=$1; shift ;;
esac
mkdir -p "$out"
if [ ! -x "$fencepost" ]; then
	echo "hw-primitives: no $fencepost; build it with make" >&2
	exit 2
fi
rm -f "$out"/*.json "$out"/*.txt "$out"/*.err
worst=0
: >"$out/steps.txt"

# share PERCENT: of the budget, in seconds, at least 1
share() {
	echo $((budget * $1 / 100 + (budget * $1 < 100)))
}

# step NAME LIMIT WANTED-STATUS ARGUMENT...: LIMIT is of last resort, and
# lets the program itself end first
step() {
	name=$1 limit=$2 wanted=$3
	shift 3
	begin=$(date +%s)
	timeout -k 5 "$limit" "$fencepost" primitive --device "$device" \
	    --json "$out/$name.json" "$@" >"$out/$name.txt" \
	    2>"$out/$name.err"
	status=$?
	printf '%-12s exit %s (wanted %s), %s s\n' "$name" "$status" \
	    "$wanted" $(($(date +%s) - begin)) >>"$out/steps.txt"
	case " $wanted " in
	*" $status "*) ;;
	*) worst=1 ;;
	esac
	head -c 2000 "$out/$name.err" >&2
}

# the software machine is slow: no time for some is no failure there
enough=0
[ "$device" != sim ] || enough='0 2'

bench() {
	t=$(share 25)
	step bench $((t + 60)) "$enough" --bench --time "${t}s"
}

# sound ones clean, twins caught
validate() {
	t=$(share 55)
	step validate $((t + 60)) "$enough" --validate --time "${t}s"
}

# so many crossings of the fastest barrier that the model proves
prove() {
	[ -n "${BARRIER:-}" ] || BARRIER=$(python3 \
	    contrib/primitive_table.py --fastest "$out")
	t=$(share 10)
	step prove $((t + 60)) "$enough" --validate --twins without \
	    --crossings "$crossings" --time "${t}s" "${BARRIER:-grid_pause}"
}

# which grid barrier would be faster still?
candidates() {
	if ! command -v nvcc >/dev/null &&
	    [ ! -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then
		echo 'candidates   left out: no nvcc' >>"$out/steps.txt"
		return
	fi
	t=$(share 10)
	step candidates $((t + 90)) "$enough" --bench --time "${t}s" \
	    --file contrib/barriers.yaml
}

# the hang that the check of residency prevents: wanted is "broken"
overcommit() {
	if [ "$device" = sim ]; then
		echo 'overcommit   left out: software machine' \
		    >>"$out/steps.txt"
		return
	fi
	step overcommit 60 1 --validate --twins without --ctas 20000 \
	    --overcommit grid_monotonic
	step refused 30 2 --validate --twins without --ctas 20000 \
	    grid_monotonic
}

[ $# -gt 0 ] || set -- bench prove validate candidates overcommit
for what; do
	case $what in
	bench) bench ;;
	validate) validate ;;
	prove) prove ;;
	candidates) candidates ;;
	overcommit) overcommit ;;
	*) echo "hw-primitives: no '$what'" >&2; exit 2 ;;
	esac
done
python3 contrib/primitive_table.py "$out" || worst=1
echo
cat "$out/steps.txt"
exit $worst
