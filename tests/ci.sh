#!/bin/bash
# The files for CI systems, as far as they can be tried without them: their
# scripts run here, on the software machine; their YAML is read and the
# commands in it are parsed. What could not be tried is said.
set -u
cd "$(dirname "$0")/.." || exit 2
FENCEPOST=$(readlink -f "${FENCEPOST:-build/fencepost}")
export FENCEPOST
work=$(mktemp -d /tmp/fencepost-ci-XXXXXX)
trap 'rm -rf "$work"' EXIT
failed=0 passed=0
check() { # what, then a command that must succeed
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $what"
	fi
}
exits() { # a status, then a command
	local status=$1 got=0
	shift
	"$@" >"$work/out" 2>"$work/err" || got=$?
	[ "$got" -eq "$status" ] && return
	echo "exit status $got, not $status: $*"
	tail -n 5 "$work/err"
	return 1
}
unset GITHUB_ACTIONS CI_NODE_INDEX CI_NODE_TOTAL
args=(--seed 7 -n 300 tests/plan)
tests=$("$FENCEPOST" run --list tests/plan | wc -l)

# ---- ci.sh -------------------------------------------------------------------

sim=(env FENCEPOST_DEVICE=sim)
# run takes a level or a number of instances: ci.sh's level gives way
cat >"$work/run" <<EOF
#!/bin/sh
case \$* in
*--level*-n*) set -- \$(echo "\$*" | sed 's/--level [0-9]//') ;;
esac
exec $FENCEPOST "\$@"
EOF
chmod +x "$work/run"
sim+=(FENCEPOST="$work/run")
check "all is well" exits 0 "${sim[@]}" contrib/ci.sh "$work/a" "${args[@]}"
for file in results.json junit.xml summary.md report.html report.css; do
	check "there is $file" [ -s "$work/a/$file" ]
done
check "something is found" exits 1 "${sim[@]}" contrib/ci.sh "$work/b" \
    "${args[@]}" --sim-fault flip-bit
echo "2099-12-31 * a planted fault" >"$work/known"
check "and pardoned" exits 0 "${sim[@]}" FENCEPOST_QUARANTINE="$work/known" \
    contrib/ci.sh "$work/b" "${args[@]}" --sim-fault flip-bit
check "nothing is selected" exits 4 "${sim[@]}" contrib/ci.sh "$work/c" \
    "${args[@]}" --filter none
check "results of before do not pass for those of now" \
    [ ! -e "$work/c/results.json" ]
check "bad input is no pass" exits 2 "${sim[@]}" contrib/ci.sh "$work/d" \
    no-such-folder
if [ -e /dev/nvidiactl ]; then
	echo "SKIPPED: there is a GPU, so that its absence cannot be tried"
else
	check "no GPU is no pass" exits 2 contrib/ci.sh "$work/e" tests/plan
	check "and says so" grep -q "COULD NOT RUN" "$work/err"
fi
check "GitHub gets its lines" exits 1 "${sim[@]}" GITHUB_ACTIONS=true \
    GITHUB_STEP_SUMMARY="$work/step" contrib/ci.sh "$work/b" "${args[@]}" \
    --sim-fault flip-bit
check "and its annotations" grep -q "^::error file=tests/plan/shapes.yaml" \
    "$work/out"
check "and its summary" grep -q "^# fencepost: $tests tests" "$work/step"
check "a store takes it in" exits 0 "${sim[@]}" \
    FENCEPOST_STORE="$work/s.db" contrib/ci.sh "$work/a" "${args[@]}"
check "and is a baseline" exits 0 "${sim[@]}" \
    FENCEPOST_BASELINE="$work/s.db#last" contrib/ci.sh "$work/a" "${args[@]}"

# ---- shard.sh, as each launcher calls it -------------------------------------

shards() { # folder, how its variables are called for shard I of 3
	local i folder=$1 index=$2 count=$3 first=$4
	for i in 0 1 2; do
		exits 0 env ${count:+"$count=3"} "$index=$((i + first))" \
		    contrib/shard.sh "$work/$folder" --device sim --quiet \
		    "${args[@]}" || return 1
	done
	exits 0 contrib/ci.sh --merge "$work/$folder" || return 1
	grep -q "\"tests\":${tests}[,}]" "$work/$folder/results.json"
}
check "Slurm's array" shards array SLURM_ARRAY_TASK_ID \
    SLURM_ARRAY_TASK_COUNT 1
check "srun" shards srun SLURM_PROCID SLURM_NTASKS 0
check "Open MPI" shards ompi OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE 0
check "MPICH" shards mpich PMI_RANK PMI_SIZE 0
check "GitLab" shards gitlab CI_NODE_INDEX CI_NODE_TOTAL 1
check "Buildkite" shards buildkite BUILDKITE_PARALLEL_JOB \
    BUILDKITE_PARALLEL_JOB_COUNT 0
FENCEPOST_SHARDS=3
export FENCEPOST_SHARDS
check "Kubernetes" shards kubernetes JOB_COMPLETION_INDEX "" 0
unset FENCEPOST_SHARDS
rm "$work/gitlab/shard-2.json"
check "a missing shard is no pass" exits 2 contrib/ci.sh --merge \
    "$work/gitlab"
check "and is named" grep -q "the first is shard 2" "$work/err"
check "no launcher, no shard" exits 2 contrib/shard.sh "$work/f"
check "a shard's findings are left to the merge" exits 0 env \
    FENCEPOST_SHARD=1 FENCEPOST_SHARDS=2 contrib/shard.sh "$work/g" \
    --device sim --sim-fault flip-bit --quiet "${args[@]}"

# ---- the files ---------------------------------------------------------------

if python3 -c "import yaml" 2>/dev/null; then
	check "YAML files" python3 - <<'EOF'
import os, re, subprocess, sys, yaml

def load(path):
    return yaml.safe_load(open("contrib/" + path))

def script(lines, what):
    text = "\n".join(lines)
    # what the CI system puts in before a shell sees it
    text = re.sub(r"\$\{\{.*?\}\}", "x", text)
    subprocess.run(["bash", "-n", "-c", text], check=True)
    for path in re.findall(r"contrib/[a-z]+\.sh", text):
        assert os.access(path, os.X_OK), (what, path)
    for target in re.findall(r"^make ([a-z ]+)$", text, re.M):
        makefile = open("Makefile").read()
        for name in target.split():
            assert re.search(r"^%s:" % name, makefile, re.M), (what, name)

github = load("github/fencepost.yml")
for name, job in github["jobs"].items():
    assert "runs-on" in job and job["steps"], name
    script([s["run"] for s in job["steps"] if "run" in s], name)
assert "gpu" in github["jobs"]["gpu"]["runs-on"]

gitlab = load("gitlab/.gitlab-ci.yml")
for stage in gitlab["stages"]:
    assert any(isinstance(j, dict) and j.get("stage") == stage
        for j in gitlab.values()), stage
for name, job in gitlab.items():
    if isinstance(job, dict):
        script(job["script"], name)

for step in load("buildkite/pipeline.yml")["steps"]:
    if isinstance(step, dict) and "command" in step:
        commands = step["command"]
        script([commands] if isinstance(commands, str) else commands,
            step["label"])

job = load("kubernetes/job.yaml")
spec = job["spec"]
assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
assert spec["completionMode"] == "Indexed"
container = spec["template"]["spec"]["containers"][0]
env = {e["name"]: e["value"] for e in container["env"]}
assert env["FENCEPOST_SHARDS"] == str(spec["completions"])
assert os.access(container["command"][0].replace("/opt/fencepost/", ""),
    os.X_OK)
assert container["command"][1] in [m["mountPath"]
    for m in container["volumeMounts"]]
EOF
else
	echo "SKIPPED: no python3-yaml: the YAML files are not read"
fi
check "the Jenkinsfile's braces" python3 -c '
text = open("contrib/jenkins/Jenkinsfile").read()
assert all(text.count(a) == text.count(b) for a, b in ("{}", "()", "[]"))'
if command -v shellcheck >/dev/null; then
	check "shellcheck" shellcheck contrib/ci.sh contrib/shard.sh \
	    contrib/slurm/* tests/ci.sh tests/kill.sh tests/slurm.sh
else
	echo "SKIPPED: no shellcheck"
fi
if command -v kubectl >/dev/null && kubectl version >/dev/null 2>&1; then
	check "Kubernetes takes the job" kubectl create --dry-run=server \
	    -f contrib/kubernetes/job.yaml
else
	echo "SKIPPED: no Kubernetes: its job is read, not run"
fi
echo "SKIPPED: Jenkins, GitLab, Buildkite and GitHub themselves: their" \
    "files are parsed, and the scripts in them run here"
echo "ci: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
