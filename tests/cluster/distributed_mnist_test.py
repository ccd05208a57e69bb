#!/usr/bin/env python3
"""A parameter server and two workers of examples/distributed_mnist train, each a process of its own, and all end well;
tools/cluster_demo starts them and draws their losses."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
_LOADER = importlib.machinery.SourceFileLoader('cluster_demo', os.path.abspath('tools/cluster_demo'))
demo = importlib.util.module_from_spec(importlib.util.spec_from_loader('cluster_demo', _LOADER))
_LOADER.exec_module(demo)

PROGRAM = os.path.abspath('examples/distributed_mnist')
TASKS = ['ps 0', 'worker 0', 'worker 1']


def options(*more):
  return demo.parse(['--program=' + PROGRAM, '--data_dir=' + os.path.abspath('examples/data'), '--train_steps=100',
                     '--hidden_units=20', '--batch_size=50', '--learning_rate=0.005', '--report_every=5',
                     '--time_limit=60', *more])


def quietly(function, *arguments):
  with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    return function(*arguments)


def mean(values):
  return sum(values) / len(values)


def draws(text):
  """The paths of a picture, which must be XML."""
  root = xml.etree.ElementTree.fromstring(text)
  return root.findall('{http://www.w3.org/2000/svg}path')


class DistributedMnistTest(unittest.TestCase):

  def check(self, mode):
    run = quietly(demo.train, options(), mode)
    self.assertEqual(run.failed, [])
    self.assertEqual(run.codes, {task: 0 for task in TASKS})
    points = run.points()
    self.assertGreaterEqual(points[-1].step, 90)
    losses = [p.loss for p in points]
    self.assertLess(mean(losses[-5:]), 0.6 * mean(losses[:3]))
    self.assertEqual(len(run.validation), 2)
    return run

  def test_asynchronous(self):
    run = self.check('async')
    # Every step of a worker is a global step of its own.
    self.assertLess(len(run.points()), 100 // 5 + 5)

  def test_synchronous(self):
    run = self.check('sync')
    # A global step is one of each worker's.
    for worker in (0, 1):
      self.assertGreater(len([p for p in run.points() if p.worker == worker]), 100 // 5 - 5)

  def test_goes_on_where_it_ended(self):
    with tempfile.TemporaryDirectory() as folder:
      first = quietly(demo.train, options('--train_steps=30', '--checkpoint_dir=' + folder), 'async')
      self.assertEqual(first.failed, [])
      second = quietly(demo.train, options('--train_steps=60', '--checkpoint_dir=' + folder), 'async')
      self.assertEqual(second.failed, [])
    self.assertLess(first.points()[0].step, 30)
    self.assertGreater(second.points()[0].step, 30)

  def test_a_task_that_fails_ends_all(self):
    run = quietly(demo.train, options('--data_dir=/nowhere'), 'async')
    self.assertTrue(any('/nowhere' in failure for failure in run.failed), run.failed)

  def test_a_parameter_server_ends_when_it_is_told_to(self):
    address, other = demo.free_addresses(2)
    by_flags = ['--job_name=ps', '--task_index=0', '--ps_hosts=' + address, '--worker_hosts=' + other]
    config = {'cluster': {'ps': [address], 'worker': [other]}, 'task': {'type': 'ps', 'index': 0}}
    for flags, environment in ((by_flags, {}), ([], {'TF_CONFIG': json.dumps(config)})):
      with subprocess.Popen([PROGRAM, *flags], stdout=subprocess.PIPE, text=True,
                            env={**os.environ, **environment}) as process:
        while 'serving' not in process.stdout.readline():
          self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=20), 0)

  def test_wrong_flags_are_told(self):
    for flags, what in ((['--task_index=0'], 'job_name'), (['--job_name=ps'], 'task_index'),
                        (['--job_name=ps', '--task_index=7'], '7'),
                        (['--job_name=ps', '--task_index=0', '--worker_hosts='], 'worker'),
                        (['--job_name=evaluator', '--task_index=0'], 'evaluator')):
      done = subprocess.run([PROGRAM, *flags], capture_output=True, text=True, timeout=20, check=False)
      self.assertEqual(done.returncode, 1, done)
      self.assertIn(what, done.stderr)


class PageTest(unittest.TestCase):

  def made_run(self, mode):
    run = demo.Run(mode, batch_size=100)
    run.take('Training begins @ 1000.5\n')
    for i in range(1, 6):
      run.take('%f: Worker %d: training step %d done, loss: %f (global step:%d)\n' % (1000.5 + i, i % 2, i, 100.0 / i, i))
    run.take('After 5 training step(s), validation cross entropy = 12.5\n')
    return run

  def test_what_tasks_print_is_read(self):
    run = self.made_run('async')
    self.assertEqual([(p.worker, p.step) for p in run.points()], [(1, 1), (0, 2), (1, 3), (0, 4), (1, 5)])
    self.assertAlmostEqual(run.points()[-1].loss, 0.2)
    self.assertAlmostEqual(run.points()[-1].seconds, 5.0)
    self.assertEqual(run.validation, [12.5])

  def test_the_page_has_both_curves(self):
    runs = [self.made_run('async'), self.made_run('sync')]
    for picture in demo.charts(runs):
      curves = [p for p in draws(picture) if p.get('fill') == 'none']
      self.assertEqual(len(curves), 4)
      self.assertEqual(len({p.get('stroke') for p in curves}), 2)
      for curve in curves:
        self.assertEqual(curve.get('d').count('L'), 4)
    with tempfile.TemporaryDirectory() as folder:
      text = demo.page(options('--page=' + os.path.join(folder, 'p.html')), runs)
    self.assertIn('synchronous', text)
    self.assertIn('12.5', text)
    self.assertEqual(text.count('<svg'), 2)

  def test_a_run_without_points_can_be_drawn(self):
    for picture in demo.charts([demo.Run('sync', 10)]):
      draws(picture)


if __name__ == '__main__':
  unittest.main()
