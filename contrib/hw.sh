#!/bin/sh
# On a machine with a GPU: builds nothing, runs what was built elsewhere.
#	hw.sh [core|suite|isolation|rates|roofline|tune|all|bench]...
# core	the suite's own tests (no cases, no primitives), to end within 60 s
# suite	all tests with their broken twins: the mutation score by placement
# isolation	tests that must hang or fault, each alone
# rates	instances and weak outcomes a second of the classics
# roofline	the share of the GPU's limit that these reach
# tune	environments for this GPU and the classic shapes, into profiles/
# all is these six, about 7 minutes; bench is rates and roofline.
# BUILD is where the program is, OUT where results go (8 files at most), DEVICE
# what to run on; CORE_TIME, SUITE_TIME, RATE_TIME, ROOF_TIME and TUNE_TIME are
# the budgets. A short table comes last.
set -u
cd "$(dirname "$0")/.." || exit 2

build=$(cd "${BUILD:-build}" 2>/dev/null && pwd) || build=${BUILD:-build}
fencepost=$build/fencepost
device=${DEVICE:-cuda}
mkdir -p "${OUT:-$build/hw}" || exit 2
out=$(cd "${OUT:-$build/hw}" && pwd)
if [ ! -x "$fencepost" ]; then
	echo "hw: no $fencepost; build it with make, here or elsewhere" >&2
	exit 2
fi
if [ "$device" = cuda ] && [ -z "$("$fencepost" devices -q)" ]; then
	echo "no GPU: there is nothing to measure"
	exit 4
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
worst=0
table=$out/table.txt
: >"$table"

# Seconds for `timeout`: those of a budget such as 45s or 2m, and some more.
limit() {
	case $1 in
	*ms) echo $((${1%ms} / 1000 + $2)) ;;
	*m) echo $((${1%m} * 60 + $2)) ;;
	*) echo $((${1%s} + $2)) ;;
	esac
}

# step NAME SECONDS ARGUMENT...: the program's status, in $status too
step() {
	name=$1 most=$2
	shift 2
	begin=$(date +%s.%N)
	timeout -k 5 "$most" "$fencepost" "$@" >"$work/$name.txt" \
	    2>"$work/$name.err"
	status=$?
	took=$(echo "$(date +%s.%N) $begin" | awk '{ printf "%.1f", $1 - $2 }')
	head -c 2000 "$work/$name.err" >&2
	return "$status"
}

# note NAME WANTED WORDS: a line of the table
note() {
	printf '%-10s exit %-3s %6s s  %s\n' "$1" "$status" "$took" "$3" \
	    >>"$table"
	[ "$status" -eq "$2" ] || worst=1
}

keep() { # FILE: gzipped, into OUT
	[ ! -f "$work/$1" ] || gzip -9 -c "$work/$1" >"$out/$1.gz"
}

score() { # of a run's text: the mutation score, in all and by placement
	sed -n '/mutation score/,/^[^ ]/p' "$work/$1.txt" | grep -E \
	    '^  (mutation score|  [a-z].* [0-9.]+: [0-9]+ of)' >>"$table"
}

core() {
	time=${CORE_TIME:-45s}
	folders=
	for folder in litmus/*/; do
		case $folder in
		litmus/cases/ | litmus/primitives/) ;;
		*) folders="$folders $folder" ;;
		esac
	done
	# shellcheck disable=SC2086 # several folders
	step core "$(limit "$time" 60)" run --device "$device" --quiet \
	    --time "$time" --json "$work/core.json" $folders
	note core 0 "$(tail -n 1 "$work/core.txt"); $(echo "$took" |
	    awk '{ print $1 <= 60 ? "within 60 s" : "MORE THAN 60 s" }')"
	score core
	keep core.json
}

suite() {
	time=${SUITE_TIME:-120s}
	step suite "$(limit "$time" 90)" run --device "$device" --quiet \
	    --time "$time" --json "$work/suite.json"
	note suite 0 "$(tail -n 1 "$work/suite.txt")"
	sed -n '/^Summary/,/^[^ ]/p' "$work/suite.txt" |
	    grep -E '^  (allowed|forbidden|unjudged) ' >>"$table"
	score suite
	keep suite.json
}

# Each must get its own verdict, and the test after them must still pass.
isolation() {
	step isolation 60 run --device "$device" --quiet --timeout 3s \
	    --time 10s --json "$work/isolation.json" tests/isolation
	found=$(awk '/: /{ sub(":", "", $2); print $2 "=" $1 }' \
	    "$work/isolation.txt" | grep -c -x -F -f - \
	    tests/isolation/expected)
	wanted=$(grep -c . tests/isolation/expected)
	note isolation 1 "$found of $wanted as expected"
	[ "${found:-0}" -eq "$wanted" ] || worst=1
}

shapes="MP SB LB 2+2W WRC IRIW"

rates() {
	time=${RATE_TIME:-4s}
	for shape in $shapes; do
		step "rate-$shape" "$(limit "$time" 30)" run \
		    --device "$device" --quiet --time "$time" --no-twins \
		    --filter "$shape+relaxed.gpu" \
		    --json "$work/rate-$shape.json"
		[ "$status" -eq 0 ] || worst=1
	done
	python3 contrib/rates.py "$work"/rate-*.json >"$out/rates.txt"
	cat "$out/rates.txt" >>"$table"
}

roofline() {
	tests=
	for shape in $shapes; do
		tests="$tests $shape+relaxed.gpu"
	done
	# shellcheck disable=SC2086 # several tests
	step roofline 120 roofline --device "$device" \
	    --time "${ROOF_TIME:-200ms}" $tests
	cp "$work/roofline.txt" "$out/roofline.txt"
	note roofline 0 "$(head -n 1 "$out/roofline.txt")"
	# of each test the environment that comes nearest to its limit
	awk '$8 ~ /%$/ { s = $8 + 0; if (s > best[$1]) { best[$1] = s;
	    line[$1] = $0 } } END { for (t in line) print "  " line[t] }' \
	    "$out/roofline.txt" | sort >>"$table"
}

tune() {
	time=${TUNE_TIME:-150s}
	home=$(pwd)
	folders=
	for shape in 2+2w 3.2w co iriw isa2 lb mp r rwc s sb warm wrc z6; do
		folders="$folders $home/litmus/$shape"
	done
	mkdir -p "$work/profiles"
	cd "$work" || exit 2
	# shellcheck disable=SC2086 # several folders
	step tune "$(limit "$time" 60)" tune --device "$device" --profile \
	    --time "$time" $folders
	cd "$home" || exit 2
	note tune 0 "$(cat "$work"/profiles/*.yaml | grep -c '^- ') \
environments for $(cat "$work"/profiles/*.yaml | grep -c ' tried$') kinds"
	cat "$work"/profiles/*.yaml >"$out/profile.yaml"
	[ "$device" = sim ] || cp "$work"/profiles/*.yaml profiles/
}

finish() {
	tar -C "$work" --exclude core.json --exclude suite.json -czf "$out/rest.tar.gz" .
	echo
	cat "$table"
}

[ $# -gt 0 ] || set -- all
"$fencepost" devices
for what; do
	case $what in
	all) core; suite; isolation; rates; roofline; tune ;;
	bench) rates; roofline ;;
	core | suite | isolation | rates | roofline | tune) "$what" ;;
	*) echo "hw: no '$what'" >&2; exit 2 ;;
	esac
done
finish
exit $worst
