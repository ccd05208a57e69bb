"""tools/bench: measures Warpbeam beside TensorFlow on the same machine, in one run."""
import argparse
import json
import sys

import groups
import report
import rounds
import sides
from jobs import MACHINE, TENSORFLOW, WARPBEAM, sides_of

EPILOG = """\
Columns: our value, the peer's, ours / peer, the bar the project holds itself to, nodes executed in a step and
bytes its kernels read (ours/theirs), and a verdict: pass, MISS (bar not met), INVALID (so few nodes ran that
the figure means nothing), WRONG (another result than the graph's reference), FAILED (a program failed).
Exit status: 0; 1 when a figure is INVALID, WRONG or FAILED, or, with --strict, MISSed; 2 when nothing could
be measured.

Environment: WB_TF_PYTHON, a python that has tensorflow-cpu; otherwise one is installed, once, into a virtual
environment under ~/.cache/warpbeam/bench.
"""


def parse_arguments(known):
    parser = argparse.ArgumentParser(
        prog='tools/bench', description=__doc__, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    default = ' '.join(g.name for g in known if g.by_default)
    parser.add_argument('groups', nargs='*', metavar='group',
                        help='what to measure (--list shows them), or "all"; default: ' + default)
    parser.add_argument('--side', choices=('both', 'ours', 'peer'), default='both',
                        help='leave one side out (default: both)')
    parser.add_argument('--rounds', type=int, default=5, help='runs of each program (default: 5)')
    parser.add_argument('--budget', type=float, default=1.0,
                        help='seconds of steps in each run (default: 1)')
    parser.add_argument('--only', default='', metavar='TEXT', help='only figures whose name holds TEXT')
    parser.add_argument('--json', metavar='FILE', help='write all medians there as well')
    parser.add_argument('--no_build', action='store_true', help='take the programs as they are')
    parser.add_argument('--strict', action='store_true', help='fail when a bar is not met')
    parser.add_argument('--list', action='store_true', help='list the groups')
    return parser.parse_args()


def chosen(known, names):
    if names == ['all']:
        return known
    by_name = {group.name: group for group in known}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise sides.BenchError('no group %s; there are %s' % (unknown[0], ', '.join(by_name)))
    return [by_name[name] for name in names] if names else [g for g in known if g.by_default]


def needs_of(figures, wanted):
    """What has to run, in an order in which the sides take turns."""
    needs = []
    for figure in figures:
        for term in (figure.ours, figure.peer):
            for need in term.needs if term else ():
                if need not in needs and all(side in wanted or side in MACHINE for side in sides_of(need)):
                    needs.append(need)
    return needs


def measure_group(group, arguments, wanted, specs, graphs, load, everything):
    """Prints the group's lines; returns its verdicts."""
    figures = [f for f in group.figures if arguments.only in f.name]
    needs = needs_of(figures, wanted)
    if not needs:
        return []
    programs = sides.Sides(wanted, needs, specs, graphs, not arguments.no_build)
    try:
        medians, errors = rounds.measure(needs, programs, min(arguments.rounds, group.rounds),
                                         arguments.budget, load)
    finally:
        programs.close()
    result = report.Report(specs, medians, errors)
    rows = [result.row(figure) for figure in figures]
    report.print_rows(rows)
    for note in result.notes:
        print('# ' + note.replace('\n', ' '), flush=True)
    everything.update({rounds.describe(need): metrics for need, metrics in medians.items()})
    return [row[report.COLUMNS.index('verdict')] for row in rows]


def main():
    try:
        return run()
    except sides.BenchError as error:
        print('bench: %s' % error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def run():
    graphs = sides.Graphs(sides.cache_folder())
    specs = graphs.specs()
    known = groups.all_groups(specs)
    arguments = parse_arguments(known)
    if arguments.list:
        for group in known:
            print('%-8s %s%s' % (group.name, group.what, '' if group.by_default else ' (only when named)'))
        return 0
    wanted = {'both': (WARPBEAM, TENSORFLOW), 'ours': (WARPBEAM,), 'peer': (TENSORFLOW,)}[arguments.side]
    load, everything, verdicts = rounds.Load(), {}, []
    for group in chosen(known, arguments.groups):
        print('# %s: %s' % (group.name, group.what), flush=True)
        verdicts += measure_group(group, arguments, wanted, specs, graphs, load, everything)
    print('# machine: ' + load.describe())
    if arguments.json:
        with open(arguments.json, 'w') as out:
            json.dump(everything, out, indent=1, sort_keys=True)
    failing = report.FATAL + ((report.MISS,) if arguments.strict else ())
    return 1 if any(verdict in failing for verdict in verdicts) else 0
