#!/usr/bin/env python3
"""Whether docs/api.md is what the lists give, and that the parts of api_table.py do what they say."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import api_table
import declared_names

HEADER = '''
#ifndef X
namespace warpbeam {
namespace frontend {
namespace nn {
struct PoolOptions {
  PoolOptions& format(std::string value) { return *this; }
  int depth = 1;
};
// Output NotThis(int x);
Output MaxPool(ScopeRef scope, const Input& x, const PoolOptions& options = PoolOptions());
using BatchNorm = int;
}  // namespace nn
class Variable : public Base {
 public:
  Variable() = default;
  template <typename T>
  T Load(int x) const;

 private:
  void Hidden();
};
enum class Kind { kFirst, kSecond = 2 };
inline constexpr int kMost = 3;
}  // namespace frontend
}  // namespace warpbeam
#endif
'''


class ApiTableTest(unittest.TestCase):

  def test_page_is_current(self):
    names = api_table.read_names()
    rows = {area: api_table.read_rows(area) for area in names}
    self.assertEqual(list(api_table.findings(names, rows)), [])
    with open(os.path.join(api_table.ROOT, api_table.PAGE), encoding='utf-8') as file:
      self.assertTrue(file.read() == api_table.page(rows), f'{api_table.PAGE} is not current: run {api_table.COMMAND}')

  def test_a_name_without_a_line_is_found(self):
    row = api_table.Row
    names = {'math': [('math.abs', 'function'), ('math.add', 'function')]}
    found = list(api_table.findings(names, {'math': [row('math.add', 'Add', '', ''), row('math.sub', '-', 'x.h', '')]}))
    self.assertEqual(len(found), 4)
    self.assertIn('no line for math.abs', found[0])
    self.assertIn('TensorFlow has no math.sub', found[1])
    self.assertIn('which header', found[2])
    self.assertIn('a header but no name', found[3])

  def test_what_does_not_count(self):
    row = api_table.Row
    rows = [row('a', 'A', 'a.h', ''), row('b', '-', '', ''), row('c', '-', '', 'Keras')]
    self.assertEqual(api_table.counts(rows), (1, 1, 1))
    self.assertEqual(api_table.percent(1, 1), '50.0 %')
    self.assertIn('| `tf.c` | Keras |', api_table.page({'top': rows}))

  def test_probes(self):
    self.assertEqual(api_table.probe(1, 'nn::Relu'), 'namespace probe1 { using wb::nn::Relu; }')
    self.assertEqual(api_table.probe(2, 'Variable::Load'), 'struct Probe2 : wb::Variable { using wb::Variable::Load; };')
    self.assertEqual(api_table.probe(3, 'DType::kFloat'), 'static_assert(sizeof(wb::DType::kFloat) > 0, "");')

  def test_names_that_a_header_declares(self):
    room = 'warpbeam::frontend::'
    self.assertEqual(
        {name[len(room):] for name in declared_names.names_of(HEADER)},
        {'nn::PoolOptions', 'nn::PoolOptions::format', 'nn::PoolOptions::depth', 'nn::MaxPool', 'nn::BatchNorm', 'Variable',
         'Variable::Variable', 'Variable::Load', 'Kind', 'Kind::kFirst', 'Kind::kSecond', 'kMost'})

  def test_candidates(self):
    self.assertIn('ReduceLogsumexp', api_table.candidates('top', 'reduce_logsumexp', 'function'))
    self.assertIn('nn::Conv2D', api_table.candidates('nn', 'nn.conv2d', 'function'))
    self.assertIn('train::Saver::Save', api_table.candidates('train', 'train.Saver.save', 'method'))
    self.assertIn('GraphKeys::kTrainOp', api_table.candidates('Graph', 'GraphKeys.TRAIN_OP', 'value'))


if __name__ == '__main__':
  unittest.main()
