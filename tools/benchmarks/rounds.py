"""Runs the jobs of a group several times over, all sides in turn, and watches how busy the machine is."""
import os
import resource
import statistics
import sys
import time

from sides import BenchError


class Load:
    """The share of all CPU time that went to other processes while ours ran."""

    def __init__(self):
        self.shares = []

    @staticmethod
    def _busy_seconds():
        with open('/proc/stat') as stat:
            fields = [int(f) for f in stat.readline().split()[1:9]]
        user, nice, system, _idle, _iowait, irq, softirq, steal = fields
        return (user + nice + system + irq + softirq + steal) / os.sysconf('SC_CLK_TCK')

    @staticmethod
    def _children_seconds():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def during(self, work):
        before = time.monotonic(), self._busy_seconds(), self._children_seconds()
        try:
            return work()
        finally:
            wall = time.monotonic() - before[0]
            others = self._busy_seconds() - before[1] - (self._children_seconds() - before[2])
            if wall > 0.2:  # /proc/stat counts in hundredths of a second
                self.shares.append(max(0.0, others / wall / os.cpu_count()))

    def describe(self):
        shares = self.shares or [0.0]
        return ('%d cores, load average %.2f, other processes used %.0f %% of the CPU (median; at most %.0f %%)'
                % (os.cpu_count(), os.getloadavg()[0], 100 * statistics.median(shares), 100 * max(shares)))


class Progress:
    """One line on a terminal that says what runs; nothing in a pipe."""

    def __init__(self, total):
        self._total, self._done, self._shown = total, 0, sys.stderr.isatty()

    def step(self, text):
        self._done += 1
        if self._shown:
            print('\r\033[K[%d/%d] %s' % (self._done, self._total, text[:90]), end='', file=sys.stderr, flush=True)

    def clear(self):
        if self._shown:
            print('\r\033[K', end='', file=sys.stderr, flush=True)


def describe(need):
    side, job = need
    if isinstance(job, tuple):
        job = ' '.join(job)
    return '%s %s' % (side, job if isinstance(job, str) else job.describe())


def measure(needs, sides, rounds, budget, load):
    """Returns ({need: {metric: median}}, {need: error}). A need that fails is not tried again."""
    results = {need: [] for need in needs}
    errors = {}
    progress = Progress(rounds * len(needs))
    for _ in range(rounds):
        for need in needs:
            progress.step(describe(need))
            if need in errors:
                continue
            try:
                results[need].append(load.during(lambda n=need: sides.run(n, budget)))
            except BenchError as error:
                errors[need] = str(error)
    progress.clear()
    medians = {need: medians_of(runs) for need, runs in results.items() if need not in errors}
    return medians, errors


def medians_of(runs):
    """The median of each metric that all runs print."""
    names = set(runs[0]).intersection(*runs) if runs else set()
    return {name: statistics.median(run[name] for run in runs) for name in names}
