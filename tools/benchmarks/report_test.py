#!/usr/bin/env python3
"""What tools/bench makes of the metrics it is given."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import jobs  # noqa: E402
import report  # noqa: E402
import rounds  # noqa: E402
import sides  # noqa: E402

SPECS = {
    'chain': {'minimum': {'none': {'nodes': 100}}},
    'mlp': {'minimum': {'default': {'MatMul': 10}}, 'ref_loss': {'1': 6.0, '10': 4.0}},
    'avg': {'minimum': {'none': {'bytes_read': 1000}}},
}


def metrics(step, nodes=100, **more):
    return dict({'step_median': step, 'nodes_executed': nodes}, **more)


def row_of(job, ours, peer, errors=None, **figure):
    """The cells of one figure's row, by column."""
    medians = {}
    if ours is not None:
        medians[jobs.WARPBEAM, job] = ours
    if peer is not None:
        medians[jobs.TENSORFLOW, job] = peer
    result = report.Report(SPECS, medians, errors or {})
    row = dict(zip(report.COLUMNS, result.row(jobs.pair('f', 'us', job, 'step_median', **figure))))
    row['notes'] = result.notes
    return row


class ReportTest(unittest.TestCase):
    def test_ratio_and_bar(self):
        job = jobs.Job('chain')
        row = row_of(job, metrics(7.0), metrics(10.0), bar=0.7)
        self.assertEqual((row['value'], row['peer'], row['ratio'], row['bar']), ('7', '10', '0.7', '<=0.7'))
        self.assertEqual(row['verdict'], report.PASS)
        self.assertEqual(row['nodes'], '100/100')
        self.assertEqual(row_of(job, metrics(7.1), metrics(10.0), bar=0.7)['verdict'], report.MISS)
        self.assertEqual(row_of(job, metrics(7.1), metrics(10.0), bar=0.7, at_least=True)['verdict'], report.PASS)
        self.assertEqual(row_of(job, metrics(7.1), metrics(10.0))['verdict'], report.NONE)

    def test_folded_nodes_are_invalid_on_either_side(self):
        job = jobs.Job('chain')
        for ours, peer in ((99, 100), (100, 99)):
            row = row_of(job, metrics(1.0, ours), metrics(10.0, peer), bar=0.7)
            self.assertEqual(row['verdict'], report.INVALID)
            self.assertIn('99 of at least 100 nodes', row['notes'][0])
        self.assertEqual(row_of(job, {'step_median': 1.0}, metrics(10.0))['verdict'], report.INVALID)

    def test_ops_are_counted_by_part_of_their_name(self):
        job = jobs.Job('mlp', passes='default')
        peer = metrics(10.0, **{'executed.MatMul': 10})
        ours = metrics(5.0, **{'executed.MatMul': 6, 'executed._FusedMatMul': 4})
        self.assertEqual(row_of(job, ours, peer, bar=0.8)['verdict'], report.PASS)
        ours['executed._FusedMatMul'] = 3
        self.assertEqual(row_of(job, ours, peer, bar=0.8)['verdict'], report.INVALID)
        self.assertEqual(row_of(job, metrics(1.0), peer, bar=0.8)['verdict'], report.INVALID)

    def test_bytes_are_asked_of_us_only(self):
        job = jobs.Job('avg')
        peer = metrics(10.0)
        self.assertEqual(row_of(job, metrics(5.0, bytes_read=1000), peer, bar=0.5)['verdict'], report.PASS)
        self.assertEqual(row_of(job, metrics(5.0, bytes_read=999), peer, bar=0.5)['verdict'], report.INVALID)
        self.assertEqual(row_of(job, metrics(5.0), peer, bar=0.5)['verdict'], report.INVALID)

    def test_other_results_are_wrong(self):
        job = jobs.Job('mlp', passes='default')
        counts = {'executed.MatMul': 10}
        for loss, verdict in ((6.001, report.PASS), (6.1, report.WRONG), (float('nan'), report.WRONG)):
            ours = metrics(5.0, **counts, **{'step1.fetch.0': loss, 'step10.fetch.0': 4.0})
            self.assertEqual(row_of(job, ours, metrics(10.0, **counts), bar=0.8)['verdict'], verdict)

    def test_a_step_has_its_own_tolerance(self):
        spec = {'ref_loss': {'1': 8.0, '10': 2.0}, 'ref_tolerance': {'1': 0.001, '10': 0.5}}
        need = (jobs.WARPBEAM, jobs.Job('deep'))
        for first, tenth, is_right in ((8.001, 2.9, True), (8.1, 2.0, False), (8.0, 3.1, False)):
            fetched = {'step1.fetch.0': first, 'step10.fetch.0': tenth}
            self.assertEqual(report.what_is_wrong(need, fetched, spec) is None, is_right)

    def test_failures_are_reported(self):
        job = jobs.Job('chain')
        row = row_of(job, None, metrics(10.0), errors={(jobs.WARPBEAM, job): 'no kernel for Add'})
        self.assertEqual(row['verdict'], report.FAILED)
        self.assertIn('no kernel for Add', row['notes'][0])

    def test_a_side_left_out_is_no_failure(self):
        self.assertEqual(row_of(jobs.Job('chain'), None, metrics(10.0), bar=0.7)['verdict'], report.NONE)

    def test_first_step_alone_needs_no_count(self):
        job = jobs.Job('chain', budget=0)
        self.assertEqual(row_of(job, {'step_median': 1.0}, {'step_median': 2.0}, bar=0.7)['verdict'], report.PASS)


class RoundsTest(unittest.TestCase):
    def test_medians_and_errors(self):
        job = jobs.Job('chain')
        values = iter([3.0, 1.0, 2.0])

        class Fake:
            def run(self, need, budget):
                if need[0] == jobs.TENSORFLOW:
                    raise sides.BenchError('broken')
                return {'step_median': next(values)}

        needs = [(jobs.WARPBEAM, job), (jobs.TENSORFLOW, job)]
        medians, errors = rounds.measure(needs, Fake(), 3, 1.0, rounds.Load())
        self.assertEqual(medians, {needs[0]: {'step_median': 2.0}})
        self.assertEqual(errors, {needs[1]: 'broken'})

    def test_lines_that_are_no_metrics_are_skipped(self):
        text = 'step_median\t12.5\tus\nhello\na\tb\tc\nx\t1\n'
        self.assertEqual(sides.parse_metrics(text), {'step_median': 12.5})


if __name__ == '__main__':
    unittest.main()
