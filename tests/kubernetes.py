#!/usr/bin/env python3
"""A manifest of an indexed job of Kubernetes: held against the schema, and run as a cluster would. TAP.

Each index runs the container's command with the variables that Kubernetes gives it, in a folder in place of the claim. One
of them is killed and started again. Then the results are merged, and must be those of one process. With KUBERNETES_MODELS, a
folder where npm has installed kubernetes-models and js-yaml, their validator checks the manifest as well.
"""
import copy
import json
import os
import signal
import subprocess
import sys
import tempfile

import jsonschema
import yaml

TALON, MANIFEST = os.path.abspath(sys.argv[1]), "docs/cluster/kubernetes-run.yaml"
VALIDATE = """
import {readFileSync} from "fs";
import * as yaml from "js-yaml";
import {Job} from "kubernetes-models/batch/v1/Job";
new Job(yaml.load(readFileSync(process.argv[2], "utf8"))).validate();
"""


class Tap:
    def __init__(self):
        self.num = self.bad = 0

    def ok(self, good, what, more=""):
        self.num += 1
        self.bad += not good
        print(f"{'ok' if good else 'not ok'} {self.num} - {what}")
        for line in str(more).splitlines() if not good else []:
            print(f"# {line}")


def wrong_ones(job):
    """The manifest with one thing wrong, and what."""
    for what, path, value in (
            ("a misspelt member", ("spec", "completionsMode"), "Indexed"),
            ("a text for a number", ("spec", "completions"), "eight"),
            ("an unknown mode", ("spec", "completionMode"), "indexed"),
            ("a number in the environment", ("spec", "template", "spec", "containers", 0, "env", 0, "value"), 8),
            ("exit code 0 as a failure", ("spec", "podFailurePolicy", "rules", 0, "onExitCodes", "values"), [0])):
        broken = copy.deepcopy(job)
        at = broken
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        yield what, broken


class Pod:
    """The container of one index: its claim is a folder, and talon is the one that is tested."""

    def __init__(self, job, folder):
        self.container = job["spec"]["template"]["spec"]["containers"][0]
        self.folder = folder
        bin_dir = f"{folder}/bin"
        os.makedirs(bin_dir, exist_ok=True)
        with open(f"{bin_dir}/talon", "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{TALON}" "$@"\n')
        os.chmod(f"{bin_dir}/talon", 0o755)

    def start(self, index):
        mount = self.container["volumeMounts"][0]["mountPath"]
        words = [word.replace(mount + "/", self.folder + "/") for word in self.container["command"] + self.container["args"]]
        env = {**os.environ, "JOB_COMPLETION_INDEX": str(index), "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        env.update({row["name"]: row["value"] for row in self.container["env"]})
        return subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def play(tap, job):
    indices = range(job["spec"]["completions"])
    with tempfile.TemporaryDirectory() as folder:
        pod = Pod(job, folder)
        statuses = []
        for index in indices:
            if index == 3:
                victim = pod.start(index)
                victim.send_signal(signal.SIGKILL)
                victim.communicate()
                tap.ok(victim.returncode == -signal.SIGKILL, "one index is killed")
            with pod.start(index) as process:
                error = process.communicate()[1]
                statuses.append((process.returncode, error))
        tap.ok(all(status == 0 for status, _ in statuses), "each index plays its shard", statuses)
        names = [f"{folder}/shard-{index}.json" for index in indices]
        merged = subprocess.run([TALON, "report", "merge", *names], capture_output=True, check=False)
        with open(f"{folder}/one.json", "wb") as file:
            subprocess.run([TALON, "run", "--sut", "builtin", "--report", f"json:{folder}/one.json"],
                           stdout=subprocess.DEVNULL, check=False)
        with open(f"{folder}/one.json", "rb") as file:
            tap.ok(merged.stdout == file.read() != b"", "merged, they are the run that nobody split", merged.stderr)


def main():
    tap = Tap()
    with open(MANIFEST, encoding="utf-8") as file:
        job = yaml.safe_load(file)
    with open("tests/data/kubernetes-job.json", encoding="utf-8") as file:
        schema = jsonschema.Draft7Validator(json.load(file))
    tap.ok(not list(schema.iter_errors(job)), f"{MANIFEST} has the form of a job", list(schema.iter_errors(job)))
    for what, broken in wrong_ones(job):
        tap.ok(list(schema.iter_errors(broken)), f"{what} would be noticed")
    spec = job["spec"]
    shards = {row["name"]: row["value"] for row in spec["template"]["spec"]["containers"][0]["env"]}["TALON_SHARDS"]
    tap.ok(spec["completionMode"] == "Indexed" and shards == str(spec["completions"]), "as many shards as completions")
    models = os.environ.get("KUBERNETES_MODELS")
    if models:
        with open(f"{models}/talon-validate.mjs", "w", encoding="utf-8") as file:
            file.write(VALIDATE)
        done = subprocess.run(["node", f"{models}/talon-validate.mjs", MANIFEST], capture_output=True, check=False)
        tap.ok(done.returncode == 0, "the validator of kubernetes-models agrees", done.stderr.decode())
    play(tap, job)
    print(f"1..{tap.num}")
    return tap.bad > 0


sys.exit(main())
