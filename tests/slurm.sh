#!/bin/bash
# contrib/slurm against a real Slurm: slurmctld, slurmd and munge on this
# machine, two nodes with names and ports of their own, the software machine
# as the device. A node is killed in mid-run; a shard is lost for good.
# Needs root and slurm-wlm with munge; without them it says SKIPPED.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$(pwd)
fencepost=$(readlink -f "${FENCEPOST:-build/fencepost}")
skip() {
	echo "SKIPPED: slurm: $*"
	exit 0
}
[ "$(id -u)" -eq 0 ] || skip "not root"
for program in slurmctld slurmd munged sbatch squeue; do
	command -v "$program" >/dev/null ||
	    skip "no $program (apt-get install slurm-wlm munge)"
done
work=$(mktemp -d /tmp/fencepost-slurm-XXXXXX)
daemons=()
stop() {
	local pid
	for pid in ${daemons[@]+"${daemons[@]}"}; do
		kill "$pid" 2>/dev/null
	done
	for pid in "$work"/*.pid; do
		[ -e "$pid" ] && kill "$(cat "$pid")" 2>/dev/null
	done
	sleep 1
	rm -rf "$work"
}
trap stop EXIT
failed=0 passed=0
check() { # what, then a command that must succeed
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok: $what"
	else
		failed=$((failed + 1))
		echo "FAILED: $what"
	fi
}

# ---- a cluster of two nodes --------------------------------------------------

host=$(hostname -s)
# three ports that nobody listens on, below those that are given out freely
for ((i = 0; i < 100; i++)); do
	port=$((10000 + RANDOM % 20000))
	ss -Hltn | awk -v p=$port '{ n = $4; sub(/.*:/, "", n) }
	    n >= p && n <= p + 2 { exit 1 }' && break
done
mkdir -p "$work/state" "$work/munge"
chmod 755 "$work"
dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 2>/dev/null
chmod 700 "$work/munge"
chmod 600 "$work/munge/key"
cat >"$work/slurm.conf" <<EOF
ClusterName=fencepost
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
MinJobAge=300
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=gpu1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 Gres=gpu:1 State=UNKNOWN
NodeName=gpu2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 Gres=gpu:1 State=UNKNOWN
PartitionName=all Nodes=gpu1,gpu2 Default=YES MaxTime=INFINITE State=UP
EOF
# no devices stand behind these GPUs: the software machine runs instead
cat >"$work/gres.conf" <<EOF
NodeName=gpu1 Name=gpu File=/dev/null
NodeName=gpu2 Name=gpu File=/dev/zero
EOF
export SLURM_CONF=$work/slurm.conf

start_node() {
	mkdir -p "$work/spool-$1"
	slurmd -D -N "$1" -f "$work/slurm.conf" >"$work/$1.out" 2>&1 &
	daemons+=($!)
	eval "$1=$!"
}
munged --foreground --force --key-file="$work/munge/key" \
    --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" \
    >"$work/munge.out" 2>&1 &
daemons+=($!)
for ((i = 0; i < 300; i++)); do
	[ -S "$work/munge/socket" ] && break
	sleep 0.1
done
slurmctld -D -f "$work/slurm.conf" >"$work/ctld.out" 2>&1 &
daemons+=($!)
start_node gpu1
start_node gpu2
for ((i = 0; i < 400; i++)); do
	up=$(sinfo --noheader --Node --format="%N %T" 2>/dev/null |
	    grep -c " idle$")
	[ "$up" -eq 2 ] && break
	sleep 0.3
done
if [ "$up" -ne 2 ]; then
	for log in "$work"/*.out "$work"/*.log; do
		echo "$log"
		tail -n 5 "$log"
	done
	# nothing of ours has run yet
	skip "no cluster comes up on this machine"
fi
echo "two nodes are up"

# ---- a suite over it ---------------------------------------------------------

suite=$top/tests/plan
export FENCEPOST=$fencepost
run() { # folder, shards, more arguments of fencepost-slurm, --, of run
	"$top/contrib/slurm/fencepost-slurm" -i 1 "$@"
}
documents_agree() { # two documents hold the same tests and verdicts
	"$fencepost" diff "$1" "$2" --fail-on worse >"$work/diff" &&
	    grep -q "tests and" "$work/diff" &&
	    ! grep -Eq "^. (added|removed|test changed)" "$work/diff"
}
has_tests() { # file, how many
	grep -q "\"tests\":$2[,}]" "$1"
}
tests=$("$fencepost" run --list "$suite" | wc -l)
args=(--device sim -n 300 --quiet "$suite")
"$fencepost" run "${args[@]}" --json "$work/whole.json" >/dev/null

run -n 4 "$work/plain" -- "${args[@]}" >"$work/log" 2>&1
check "a plain run passes" [ $? -eq 0 ]
check "it has all tests" has_tests "$work/plain/results.json" "$tests"
check "it agrees with the run of one machine" \
    documents_agree "$work/whole.json" "$work/plain/results.json"
check "both nodes took part" [ "$(sed -n 's/^task .* on \(gpu[12]\) .*/\1/p' \
    "$work"/plain/shard-*.log | sort -u | wc -l)" -eq 2 ]
check "there are reports" [ -s "$work/plain/junit.xml" -a \
    -s "$work/plain/report.html" ]

run -n 4 "$work/plain" -- "${args[@]}" >"$work/log" 2>&1
check "started again, it runs nothing" [ $? -eq 0 ]
check "and submits nothing" [ "$(grep -c ' job ' "$work/log")" -eq 0 ]

# a node dies with what it runs; its tasks come back on the other
slow=(--device sim --time 30s --quiet "$suite")
run -n 2 -r 5 "$work/killed" -- "${slow[@]}" >"$work/log" 2>&1 &
runner=$!
for ((i = 0; i < 300; i++)); do
	before=0
	[ -e "$work/killed/shard-2.json.journal" ] &&
	    before=$(wc -l <"$work/killed/shard-2.json.journal")
	[ "$before" -ge 4 ] && break # a head, and three tests
	sleep 0.2
done
node=$(squeue --noheader --format="%K %N" | sed -n 's/^2 //p')
echo "killing node $node, where shard 2 had $before lines of journal"
victim=${!node}
for pid in $(ps -eo pid=,args= | awk -v dir="$work/killed/shard-2.json" \
    'index($0, dir) { print $1 }'); do
	kill -9 "$pid" 2>/dev/null
done
kill -9 "$victim"
wait "$runner"
check "with a node killed in mid-run the suite passes" [ $? -eq 0 ]
check "and has all tests" has_tests "$work/killed/results.json" "$tests"
check "the lost shard was taken up, not begun anew" \
    grep -q -- "--resume" "$work/killed/shard-2.json"
check "its task ran more than once" [ "$(grep -c '^task ' \
    "$work/killed/shard-2.log")" -gt 1 ]
start_node "$node"

# a shard that never comes fails the whole
cat >"$work/broken" <<EOF
#!/bin/sh
for x; do [ "\$x" = 2/3 ] && exit 2; done
exec $fencepost "\$@"
EOF
chmod +x "$work/broken"
FENCEPOST=$work/broken run -n 3 -r 1 "$work/lost" -- "${args[@]}" \
    >"$work/log" 2>&1
check "a missing shard fails the run" [ $? -eq 2 ]
check "and is named" grep -q "shards 2 are missing" "$work/log"
check "after another try" grep -q "submitting them again (1 of 1)" \
    "$work/log"

# something found is a verdict, not a lost shard
found=(--device sim --sim-fault flip-bit -n 2k --quiet "$suite")
run -n 2 "$work/found" -- "${found[@]}" >"$work/log" 2>&1
check "a forbidden outcome gates with 1" [ $? -eq 1 ]
check "and is submitted once" [ "$(grep -c ' job ' "$work/log")" -eq 1 ]

# the same shards under srun
FENCEPOST_SHARDS="" srun --ntasks=4 --overcommit "$top/contrib/shard.sh" \
    "$work/srun" "${args[@]}" >"$work/log" 2>&1
check "srun runs the shards" [ $? -eq 0 ]
check "and they merge" "$fencepost" merge "$work"/srun/shard-*.json \
    --json "$work/srun/results.json"
check "to the same" documents_agree "$work/whole.json" \
    "$work/srun/results.json"

echo "slurm: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
