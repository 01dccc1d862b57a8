#!/bin/sh
# Runs one shard of a suite, wherever something counts tasks:
#	shard.sh FOLDER [ARGUMENTS OF fencepost run]
# The shard's number and how many there are come from FENCEPOST_SHARD and
# FENCEPOST_SHARDS, or from Slurm (array or srun), an MPI launcher,
# Kubernetes (an Indexed Job), Buildkite or GitLab. FOLDER, which all shards
# share, gets shard-I.json; a shard that was lost is taken up where it was.
# Exits 0 once the shard is done, whatever it found: merge and report say
# that. FENCEPOST is the program.
set -eu
fencepost=${FENCEPOST:-fencepost}
if [ $# -lt 1 ]; then
	sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
folder=$1
shift

first_of() { # the first argument that is not empty
	for x; do
		[ -n "$x" ] && echo "$x" && return
	done
	return 0
}
from_0=$(first_of "${JOB_COMPLETION_INDEX:-}" "${BUILDKITE_PARALLEL_JOB:-}" \
    "${OMPI_COMM_WORLD_RANK:-}" "${PMIX_RANK:-}" "${PMI_RANK:-}" \
    "${SLURM_PROCID:-}")
index=$(first_of "${FENCEPOST_SHARD:-}" "${SLURM_ARRAY_TASK_ID:-}" \
    "${CI_NODE_INDEX:-}" "${from_0:+$((${from_0:-0} + 1))}")
count=$(first_of "${FENCEPOST_SHARDS:-}" "${SLURM_ARRAY_TASK_COUNT:-}" \
    "${CI_NODE_TOTAL:-}" "${BUILDKITE_PARALLEL_JOB_COUNT:-}" \
    "${OMPI_COMM_WORLD_SIZE:-}" "${PMI_SIZE:-}" "${SLURM_NTASKS:-}")
if [ -z "$index" ] || [ -z "$count" ]; then
	echo "shard: neither FENCEPOST_SHARD and FENCEPOST_SHARDS nor a" \
	    "launcher's variables say which shard of how many this is" >&2
	exit 2
fi

mkdir -p "$folder"
file=$folder/shard-$index.json
if [ -e "$file" ] || [ -e "$file.journal" ]; then
	set -- --resume "$file" "$@"
fi
status=0
"$fencepost" run --shard "$index/$count" --json "$file" "$@" || status=$?
case $status in
0 | 1) exit 0 ;;
4) echo "shard: there are more shards than tests" >&2 ;;
*) echo "shard: shard $index of $count brought no verdict" >&2 ;;
esac
exit "$status"
