#!/usr/bin/env python3
"""Shows that tools/references.py finds what is not there, and leaves alone what is."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import references  # pylint: disable=wrong-import-position

FILES = {
    'README.md': '',
    'docs/passes.md': '# Passes\n\n## When a variable is read\n',
    'graph/graph.h': 'class NodeId {};\nbool HasCycle(int x);\n',
    'graph/io/BUILD': 'wb_package()\nwb_test(\n    name = "speed",\n)\n',
    'graph/io/reader.cc': '// OldReader did this.\nWB_OP("SparseApplyAdam").Attr("x: int");\n',
    'proto/graph.proto': 'message GraphDef {}\n',
    'tools/warpbeam_main.cc': '',
    'tools/BUILD': 'wb_binary(\n    name = "warpbeam",\n)\n',
}


def found(path, text):
  tree = references.Tree(FILES, FILES.get)
  return [(line, rule) for line, _, rule in references.findings(tree, path, text)]


class PathTest(unittest.TestCase):

  def assert_missing(self, path, *texts):
    for text in texts:
      self.assertEqual(found(path, 'x\n' + text + '\n'), [(2, 'path')], text)

  def assert_there(self, path, *texts):
    for text in texts:
      self.assertEqual(found(path, text + '\n'), [], text)

  def test_documents(self):
    self.assert_missing('docs/a.md', '`graph/plan.h`', 'see graph/plan/plan.h.', '`plan.h`', 'in `graph/oi/`',
                        '    bazel test //graph/oi/...', '`//graph/io:fast`', '`//graph:graph_test`',
                        '`graph/{graph,plan}.h`', '`graph/*.cc`', 'bazel-bin/tools/warp')
    self.assert_there('docs/a.md', '`graph/graph.h`', 'see graph/io/reader.cc.', '`graph.h`', 'in `graph/io/`',
                      '    bazel test //graph/io/...', '`//graph/io:speed`', '`//graph/io:io_test`', '`//graph/io`',
                      '`graph/{graph,io/reader}.*`', '`graph/*.h`',
                      'bazel-bin/tools/warpbeam', '`io/reader.cc`', '`proto/graph.pb.h`')

  def test_what_stands_for_many_is_left_alone(self):
    self.assert_there('docs/a.md', '`graph/NAME.h`', '`x_test.cc`', '`graph/….h`', '`graph/<op>.h`', 'model.pb',
                      'https://example.com/graph/a.md', '"built at net.cc:12"', '$PWD/docs/a.h')

  def test_what_a_page_shows_is_there_for_it(self):
    self.assert_there('docs/a.md', '`mine.cc`:\n\n    int x;\n\nBuild `mine.cc`.', '`BUILD`, further:\n\n    x()')
    self.assert_missing('docs/a.md', 'Build `mine.cc`:')

  def test_links(self):
    self.assert_missing('docs/a.md', '[x](pass.md)', '[x](../graph/plan.h)', '[x](passes.md#when)', '[x](#here)')
    self.assert_there('docs/a.md', '[x](passes.md)', '[x](../graph/graph.h)', '[x](passes.md#when-a-variable-is-read)',
                      '[x](https://example.com/a.md)')

  def test_comments(self):
    self.assert_missing('graph/a.h', '// see graph/plan.h', '/* plan.h */', 'int x;  // as in graph/oi')
    self.assert_there('graph/a.h', '// see graph/graph.h', '// as reader.cc', '#include "graph/plan.h"',
                      'Open("graph/plan.h");')


class SymbolTest(unittest.TestCase):

  def test_documents(self):
    for text in ('`NodeIds`', '`OldReader`', '`Remove()`', '`NodeId::Next`', '```cpp\nHasCycles(3);\n```'):
      self.assertEqual([rule for _, rule in found('docs/a.md', text)], ['symbol'], text)
    for text in ('`NodeId`', '`HasCycle()`', '`SparseApplyAdam`', '`GraphDef`', 'OldReader', '`Const`', '`std::Get()`',
                 '`tf.train.Saver()`', '```\nHasCycles(3);\n```', '```cpp\nHasCycle(3);\n```'):
      self.assertEqual(found('docs/a.md', text), [], text)

  def test_comments(self):
    self.assertEqual(found('graph/a.cc', '// An OldReader.\n'), [(1, 'symbol')])
    for text in ('// Many NodeIds.', '// SparseApply ops', '//   OldReader reader;', 'OldReader reader;',
                 '// "An OldReader"', '// Old readers.'):
      self.assertEqual(found('graph/a.cc', text + '\n'), [], text)


if __name__ == '__main__':
  unittest.main()
