#!/usr/bin/env python3
"""A program with the ops of one graph alone: the tool names them, the program runs the graph and is small."""

import os
import re
import subprocess
import tempfile
import unittest

_HERE = 'tests/small_program/'
_GRAPH = _HERE + 'digits.pbtxt'
_MOST_BYTES = 7_400_000


def output(*words):
  return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class SmallProgramTest(unittest.TestCase):

  def test_it_links_what_the_tool_names(self):
    named = re.findall(r'"@warpbeam(//ops/\S+)"', output('tools/warpbeam', 'ops', _GRAPH, '--bazel'))
    with open(_HERE + 'BUILD', encoding='utf-8') as file:
      linked = re.findall(r'"(//ops/\S+)"', file.read())
    self.assertEqual(named, linked)

  def test_it_runs_the_graph(self):
    self.assertEqual(output(_HERE + 'digits', _GRAPH), '20 probabilities, sum 2.000\n')

  def test_it_is_small(self):
    with tempfile.TemporaryDirectory() as folder:
      stripped = os.path.join(folder, 'digits')
      output('strip', '-o', stripped, _HERE + 'digits')
      size = os.path.getsize(stripped)
    print(f'{size} bytes')
    self.assertLessEqual(size, _MOST_BYTES)

  def test_an_op_that_it_has_not_is_named(self):
    with tempfile.NamedTemporaryFile('w', suffix='.pbtxt') as graph:
      graph.write('node { name: "x" op: "DecodeJpeg" input: "x" }')
      graph.flush()
      run = subprocess.run([_HERE + 'digits', graph.name], capture_output=True, text=True, check=False)
    self.assertEqual(run.returncode, 1)
    self.assertIn('DecodeJpeg', run.stderr)


if __name__ == '__main__':
  unittest.main()
