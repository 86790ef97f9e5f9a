#!/bin/bash
# lane: waits
# An array of eight tasks under a real slurmctld and slurmd, by the recipes of docs/cluster: one task is killed and queued
# again, and what is merged equals what one process gives. Slurm needs an address that is not the loopback's, so all runs in a
# network namespace with a veth pair. TALON_SLURM_LOG=FILE keeps what Slurm says of the tasks.
# shellcheck source=tests/run-lib
# shellcheck disable=SC2154,SC2031,SC2317,SC2086,SC2015 # set there; called by trap; options
. "$(dirname "$0")/run-lib"
ns=talon-sl-$$

clean() {
    finish
    ip netns del "$ns" 2>/dev/null
}
trap clean EXIT
skip() {
    [ -z "${TALON_NO_SKIP:-}" ] || { echo "not ok 1 - Slurm: $1"; echo "1..1"; exit 1; }
    echo "ok 1 - Slurm # SKIP $1"
    echo "1..1"
    exit 0
}
for program in slurmctld slurmd sbatch munged; do
    command -v "$program" >/dev/null || skip "no $program"
done
[ "$(id -u)" = 0 ] || skip "only root can start slurmd"
{ ip netns add "$ns" && ip link add sl0 netns "$ns" type veth peer name sl1 netns "$ns" &&
    ip -n "$ns" addr add 10.9.9.1/24 dev sl0 && ip -n "$ns" link set lo up &&
    ip -n "$ns" link set sl0 up && ip -n "$ns" link set sl1 up; } 2>"$dir/ip.err" ||
    skip "this user may not make network namespaces"

host=$(hostname -s)
export SLURM_CONF="$dir/slurm.conf"
inside() { ip netns exec "$ns" "$@"; }
mkdir "$dir/state" "$dir/spool"
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 400 "$dir/munge.key"
cat >"$SLURM_CONF" <<END
ClusterName=talon
SlurmctldHost=$host(10.9.9.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
RequeueExit=137
KillWait=1
NodeName=$host NodeAddr=10.9.9.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=1000 State=UP
END

# start NAME COMMAND...: in the background, until the end of the test.
start() {
    local name=$1
    shift
    "$@" >"$dir/$name.log" 2>&1 </dev/null &
    suts+=($!)
}
idle() { inside sinfo -h -o %T 2>/dev/null | grep -qx idle; }
# until_so SECONDS COMMAND...: waits for it.
until_so() {
    local last=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $last ] || return 1
        sleep 0.1
    done
}
start_cluster() {
    local plugin pid
    start munged munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" \
        --pid-file="$dir/munged.pid" --log-file="$dir/munged.own" --seed-file="$dir/munged.seed"
    until_so 5 test -S "$dir/munge.socket" || return 1
    start slurmctld ip netns exec "$ns" slurmctld -D -c
    for plugin in disabled cgroup/v1 autodetect; do # which of them works depends on its version and on the machine
        echo "CgroupPlugin=$plugin" >"$dir/cgroup.conf"
        start "slurmd" ip netns exec "$ns" slurmd -D
        pid=${suts[-1]}
        sleep 0.5
        kill -0 "$pid" 2>/dev/null && until_so 10 idle && return 0
        kill "$pid" 2>/dev/null
    done
    tail -n 5 "$dir"/{munged,slurmctld,slurmd}.log >&2
    return 1
}
is "a cluster of one node" start_cluster
[ $bad -eq 0 ] || done_testing

export TALON=$PWD/$talon OUT=$dir/run SUITE=$PWD/scenarios SUT=builtin:fault=ack-before-ulp
mkdir "$OUT"
submit() { inside sbatch --parsable -o "$OUT/%x-%a.log" "$@"; }
# The process of a task that plays its shard.
player() {
    grep -lsz "shard-$1.json" /proc/[0-9]*/cmdline | while IFS=/ read -r _ _ pid _; do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = talon ] && echo "$pid" && break
    done
}
started() { victim=$(player 2) && [ -n "$victim" ]; }
queued() { inside scontrol show job "${array}_2" | grep -q "JobState=PENDING"; }
over() { ! inside squeue -h | grep -q .; }
tell() { inside scontrol show job "$1" | grep -E "JobId=|JobState=|Restarts=|ExitCode=" >>"$dir/told"; }
run_array() {
    array=$(submit docs/cluster/run.sbatch) && merge=$(submit --dependency="afterany:$array" docs/cluster/merge.sbatch) || return 1
    until_so 20 started && kill -KILL "$victim" || { echo "# task 2 was not seen" >&2; return 1; }
    until_so 10 queued || { echo "# task 2 was not queued again" >&2; return 1; }
    inside scontrol update "JobId=${array}_2" StartTime=now # else it waits two minutes
    until_so 60 over
}
is "eight tasks, one of them killed, end" run_array
tell "$array"
tell "$merge"
is "the killed task was started again" grep -q "Restarts=1" <(inside scontrol show job "${array}_2")
is "each task has results, once" [ "$(find "$OUT" -name 'shard-*.json' | wc -l)" = 8 ]
whole() {
    "$talon" run "$SUITE" --sut "$SUT" --report "json:$dir/one.json" >/dev/null
    [ $? -eq 1 ] && cmp "$OUT/all.json" "$dir/one.json"
}
is "merged, they are the run that nobody split" whole
is "the job that merges has the status of the run" grep -q "ExitCode=1:0" <(inside scontrol show job "$merge")

OUT=$dir/check STORE=$dir/store CHECK=--complete-capture
export STORE CHECK
mkdir "$OUT" "$STORE"
"$BUILD/tests/bench/bench_endpoint" 60 2000 "$STORE/a.pcap" >/dev/null
"$BUILD/tests/bench/bench_endpoint" 30 2000 "$STORE/b.pcap" >/dev/null
check_array() {
    local check
    check=$(submit docs/cluster/check.sbatch) && merge=$(submit --dependency="afterany:$check" docs/cluster/merge.sbatch) &&
        until_so 60 over || return 1
    tell "$check"
    "$talon" check --join "$STORE" $CHECK >"$dir/one.txt"
    cmp "$OUT/report.txt" "$dir/one.txt"
}
is "a capture store by an array is the check of one process" check_array
hole() { # the merge names the shard that a lost node had
    rm "$OUT/part-5.jsonl" && merge=$(submit docs/cluster/merge.sbatch) && until_so 30 over &&
        grep -q "shard 6 of 8 is missing" "$OUT/talon-merge-4294967294.log" && grep -q "ExitCode=2:0" <(inside scontrol show job "$merge")
}
is "a shard that is missing is named, and fails the job" hole
[ -z "${TALON_SLURM_LOG:-}" ] || cp "$dir/told" "$TALON_SLURM_LOG"
done_testing
