#!/bin/sh
# A task of fencepost-slurm's array: SHARD.SH FOLDER [ARGUMENTS]. Slurm copies
# this file away, so that it is told where the others are.
echo "task ${SLURM_ARRAY_TASK_ID:-?} on ${SLURMD_NODENAME:-$(hostname)} at $(date -u +%FT%TZ)"
exec "$@"
