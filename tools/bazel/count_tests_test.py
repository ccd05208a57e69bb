#!/usr/bin/env python3
"""count_tests.py against events in the form in which Bazel writes them."""

import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import count_tests  # pylint: disable=wrong-import-position


def configured(label, kind='cc_test rule'):
  return {'id': {'targetConfigured': {'label': label}}, 'configured': {'targetKind': kind}}


def summary(label, status):
  return {'id': {'testSummary': {'label': label}}, 'testSummary': {'overallStatus': status}}


def skipped(label):
  return {'id': {'targetCompleted': {'label': label}}, 'aborted': {'reason': 'SKIPPED'}}


class CountTestsTest(unittest.TestCase):

  def outcomes(self, *events):
    with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
      file.write(''.join(json.dumps(event) + '\n' for event in events))
      file.flush()
      return count_tests.outcomes(file.name)

  def test_passed_and_failed(self):
    self.assertEqual(
        self.outcomes(configured('//a:x_test'), configured('//a:y_test', 'sh_test rule'),
                      summary('//a:x_test', 'PASSED'), summary('//a:y_test', 'FAILED')),
        {'//a:x_test': True, '//a:y_test': False})

  def test_a_time_out_has_failed(self):
    self.assertEqual(self.outcomes(summary('//a:x_test', 'TIMEOUT')), {'//a:x_test': False})

  def test_a_test_without_a_result_has_failed(self):
    self.assertEqual(self.outcomes(configured('//a:x_test')), {'//a:x_test': False})

  def test_a_test_left_out_on_purpose_is_not_counted(self):
    self.assertEqual(self.outcomes(configured('//a:x_test'), skipped('//a:x_test')), {})

  def test_libraries_are_not_counted(self):
    self.assertEqual(self.outcomes(configured('//a:x', 'cc_library rule')), {})


if __name__ == '__main__':
  unittest.main()
