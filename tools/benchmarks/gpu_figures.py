#!/usr/bin/env python3
"""Training steps on a GPU beside PyTorch's, in one run on one machine.

    gpu_figures.py --warpbeam=PROGRAM --graphs=FOLDER [--seconds=S] [--rounds=N] [NAME ...]

PROGRAM is built with --config=cuda; a graph forgets the devices that it asks for, so that all of it that has a GPU
kernel goes to /gpu:0. The sides run in turn, N rounds; the best median of each counts. Prints a table: the graph,
our step and PyTorch's in microseconds, how many times faster ours is, and our losses of the steps 1 and 10 beside
those that the graph's .json holds of TensorFlow on a CPU.
"""
import argparse
import json
import os
import subprocess
import sys

NAMES = ["mlp_t1", "lenet_t1", "cifar_b128_t1", "transformer_l4", "lstm_b64", "resnet50_b256_f32",
         "resnet50_b256_bf16", "resnet50_b1_infer"]
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_peer.py")


def lines_of(command):
    """The lines `metric TAB value TAB unit` that a command prints, as a dictionary; what it says where it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    values = {}
    for line in done.stdout.splitlines():
        words = line.split("\t")
        if len(words) == 3:
            try:
                values[words[0]] = float(words[1])
            except ValueError:
                pass
    if done.returncode != 0:
        print("%s failed:\n%s" % (" ".join(command), (done.stdout + done.stderr)[-2000:]), file=sys.stderr)
    return values


def ours(flags, name):
    spec = os.path.join(flags.graphs, name + ".json")
    return lines_of([flags.warpbeam, "bench", spec, "--clear_devices", "--budget=%g" % flags.seconds])


def best(values):
    values = [v for v in values if v]
    return min(values) if values else float("nan")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--warpbeam", required=True)
    parser.add_argument("--graphs", required=True)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("names", nargs="*")
    flags = parser.parse_args()
    print("%-20s %12s %12s %7s  %s" % ("graph", "ours us", "PyTorch us", "times", "losses 1, 10 (reference)"))
    for name in flags.names or NAMES:
        rounds = [(ours(flags, name), lines_of([sys.executable, PEER, "--seconds=%g" % flags.seconds, name]))
                  for _ in range(flags.rounds)]
        own = best(r[0].get("step_median") for r in rounds)
        peer = best(r[1].get(name, 0) * 1e6 for r in rounds)
        with open(os.path.join(flags.graphs, name + ".json")) as f:
            reference = json.load(f).get("ref_loss", {})
        losses = rounds[0][0]
        print("%-20s %12.1f %12.1f %7.2f  %g, %g (%s)" % (
            name, own, peer, peer / own, losses.get("step1.fetch.0", float("nan")),
            losses.get("step10.fetch.0", float("nan")), ", ".join(str(v) for v in reference.values())), flush=True)


if __name__ == "__main__":
    main()
