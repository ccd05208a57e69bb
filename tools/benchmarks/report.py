"""Turns medians into the lines that tools/bench prints, and says which of them count."""
import math
import sys

from jobs import Job, TENSORFLOW, WARPBEAM

COLUMNS = ('metric', 'value', 'unit', 'peer', 'ratio', 'bar', 'nodes', 'bytes_read', 'verdict', 'beside')
LOSS_TOLERANCE = 1e-3

# Verdicts. The last three make the whole run fail.
PASS, MISS, NONE = 'pass', 'MISS', '-'
INVALID, WRONG, FAILED = 'INVALID', 'WRONG', 'FAILED'
FATAL = (INVALID, WRONG, FAILED)


def executed(metrics, what):
    """How often kernels ran whose op's name holds `what`; None where the program did not say."""
    if what in ('bytes_read', 'copied_bytes'):
        return metrics.get(what)
    if what == 'nodes':
        return metrics.get('nodes_executed')
    counts = [v for k, v in metrics.items() if k.startswith('executed.') and what in k]
    return sum(counts) if counts or 'nodes_executed' in metrics else None


def what_was_folded(need, metrics, spec):
    """A reason why the figure does not count, or None. The first step alone executes nothing twice."""
    side, job = need
    if job.budget == 0:
        return None
    for what, least in spec.get('minimum', {}).get(job.passes, {}).items():
        count = executed(metrics, what)
        if count is None:
            # TensorFlow says nothing of bytes.
            if side == TENSORFLOW and what in ('bytes_read', 'copied_bytes'):
                continue
            return '%s does not print %s' % (side, what)
        if count < least:
            return '%s ran %g of at least %g %s' % (side, count, least, what)
    return None


def what_is_wrong(need, metrics, spec):
    """A reason why the run computed something else, or None."""
    side, _ = need
    tolerance = spec.get('ref_tolerance', LOSS_TOLERANCE)
    for step, expected in spec.get('ref_loss', {}).items():
        got = metrics.get('step%s.fetch.0' % step)
        if got is None:
            continue
        allowed = tolerance[step] if isinstance(tolerance, dict) else tolerance
        if not math.isfinite(got) or abs(got - expected) > allowed * abs(expected):
            return '%s fetched %g at step %s, not %g' % (side, got, step, expected)
    return None


class Report:
    def __init__(self, specs, medians, errors):
        self._specs, self._medians, self._errors = specs, medians, errors
        self.notes = []

    def _value(self, term):
        """Our or the peer's number, or None when it cannot be had."""
        if term is None or any(need not in self._medians for need in term.needs):
            return None
        try:
            return term.compute(*[self._medians[need] for need in term.needs])
        except (KeyError, ValueError, ZeroDivisionError):
            return None

    def _check(self, figure):
        """A fatal verdict and its reason, or (None, None)."""
        needs = list(figure.ours.needs) + list(figure.peer.needs if figure.peer else ())
        for need in needs:
            if need in self._errors:
                return FAILED, '%s: %s' % (need[0], self._errors[need])
            if not isinstance(need[1], Job) or need not in self._medians:
                continue
            spec = self._specs[need[1].graph]
            folded = what_was_folded(need, self._medians[need], spec)
            if folded:
                return INVALID, folded
            wrong = what_is_wrong(need, self._medians[need], spec)
            if wrong:
                return WRONG, wrong
        return None, None

    def _metric(self, figure, name):
        """Ours / theirs of the first run on each side."""
        values = []
        for term in (figure.ours, figure.peer):
            need = term.needs[0] if term else None
            if need and need[0] in (WARPBEAM, TENSORFLOW):
                value = self._medians.get(need, {}).get(name)
                values.append('-' if value is None else '%d' % value)
        return '/'.join(values) or '-'

    def row(self, figure):
        ours, peer = self._value(figure.ours), self._value(figure.peer)
        ratio = ours / peer if ours is not None and peer else None
        verdict, reason = self._check(figure)
        if verdict is None and figure.peer and ours is not None and peer is None:
            verdict, reason = self._missing(figure.peer)
        if verdict is None:
            compared = ratio if figure.peer else ours
            verdict = NONE
            if figure.bar is not None and compared is not None:
                met = compared >= figure.bar if figure.at_least else compared <= figure.bar
                verdict = PASS if met else MISS
        if reason:
            self.notes.append('%s: %s: %s' % (figure.name, verdict, reason))
        bar = '-' if figure.bar is None else ('>=' if figure.at_least else '<=') + '%g' % figure.bar
        return (figure.name, number(ours), figure.unit, number(peer), number(ratio), bar,
                self._metric(figure, 'nodes_executed'), self._metric(figure, 'bytes_read'), verdict,
                figure.peer.name if figure.peer else '-')

    def _missing(self, term):
        """A side that was left out on purpose is no failure."""
        if any(need not in self._medians for need in term.needs):
            return None, None
        return FAILED, 'a metric is missing'


def number(value):
    if value is None:
        return '-'
    return '%.4g' % value if abs(value) < 10000 else '%.0f' % value


def print_rows(rows):
    """Aligned on a terminal, separated by tabs in a pipe."""
    rows = [COLUMNS] + rows
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    for row in rows:
        if sys.stdout.isatty():
            cells = [c.ljust(w) if i in (0, 2, 8, 9) else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
            print('  '.join(cells).rstrip())
        else:
            print('\t'.join(row))
    sys.stdout.flush()
