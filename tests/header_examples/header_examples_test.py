#!/usr/bin/env python3
"""Shows what header_examples.py makes of headers, and that a wrong example does not compile."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import header_examples  # pylint: disable=wrong-import-position

CONTEXT = '''// Names.
#include <string>
#include <vector>

extern std::vector<int> numbers;

//== cursor.h
extern int limit;
'''

HEADER = '''// A cursor.
//
//%s
//
// Not thread-safe.
struct Cursor {
  explicit Cursor(int begin) {}
  int Next() { return 0; }
};
namespace warpbeam {
inline int Limit(int a, int b) { return a; }
}  // namespace warpbeam
'''

PAGE_CONTEXT = CONTEXT.split('//==')[0] + """
namespace deep {
struct Cursor {
  Cursor Next(int by) const;
};
Cursor Begin();
Cursor End();
}

//== page.md
extern int number;

//== page.md#a-section
extern deep::Cursor it;
"""


def compiles_page(page):
  source = header_examples.write(PAGE_CONTEXT, [('page.md', page)])
  done = subprocess.run(['c++', '-std=c++17', '-fsyntax-only', '-w', '-x', 'c++', '-'], input=source.encode(),
                        stderr=subprocess.PIPE, check=False)
  return done.returncode == 0, done.stderr.decode(), source.count('AnyResult Example')


def compiles(example, context=CONTEXT):
  with tempfile.TemporaryDirectory() as folder:
    header = HEADER % '\n//'.join(example.split('\n'))
    with open(os.path.join(folder, 'cursor.h'), 'w', encoding='utf-8') as file:
      file.write(header)
    source = header_examples.write(context, [('cursor.h', header)])
    done = subprocess.run(['c++', '-std=c++17', '-fsyntax-only', '-w', '-I' + folder, '-x', 'c++', '-'],
                          input=source.encode(), stderr=subprocess.PIPE, check=False)
    return done.returncode == 0, done.stderr.decode(), source


class HeaderExamplesTest(unittest.TestCase):

  def assert_compiles(self, example):
    good, errors, source = compiles(example)
    self.assertTrue(good, errors + source)
    self.assertIn('Example0', source)

  def assert_fails(self, example, line):
    good, errors, source = compiles(example)
    self.assertFalse(good, source)
    self.assertIn(f'cursor.h:{line}:', errors)

  def test_statements(self):
    self.assert_compiles('   Cursor cursor(3);              // a comment; with "signs\n   cursor.Next() == limit')
    self.assert_compiles('   Limit(numbers[0], limit);      // in the namespace of the header')
    self.assert_compiles('   return std::string("a");')

  def test_what_is_left_out(self):
    self.assert_compiles('   for (…) numbers.clear();')
    self.assert_compiles('   for (int n : numbers) … n …')
    self.assert_compiles('   if (limit > 3) …                // a comment\n   std::string text = …;')
    self.assert_compiles('   auto f = [&](int a) { … a walk … };  int a = f(1);')
    self.assert_compiles('   … much is done …\n   numbers.clear();')
    self.assert_compiles('   std::string text = "a … b";')

  def test_definitions(self):
    self.assert_compiles('   struct Two {\n     template <class T>\n     T Get() { return T(); }\n   };\n'
                         '   int Three(int a) {\n     return a;\n   }\n   Two().Get<int>() == Three(1);')

  def test_wrong_examples_fail_in_their_line(self):
    self.assert_fails('   Cursor cursor;', 3)
    self.assert_fails('   Cursor cursor(limit);\n   cursor.Back();', 4)
    self.assert_fails('   Limit(unknown, 1);', 3)
    self.assert_fails('   Cursor cursor(3);               // a comment whose end was\n   broken', 4)

  def test_tables_and_formulas_are_no_examples(self):
    _, _, source = compiles('   x + 0          x\n   Pack of Unpack  …')
    self.assertNotIn('Example', source)

  def test_a_context_of_no_header_is_refused(self):
    with self.assertRaises(SystemExit):
      header_examples.write(CONTEXT + '//== gone.h\n', [('cursor.h', '')])


class PagesTest(unittest.TestCase):

  def test_blocks_of_cpp(self):
    good, errors, count = compiles_page('# P\n\nText:\n\n    int a = number;\n    a += 1\n\n```cpp\nint b = number;\n```\n\n'
                                        '    a shell command\n\n```bash\nnot c++;\n```\n')
    self.assertTrue(good, errors)
    self.assertEqual(count, 2)

  def test_cells_of_columns_of_cpp(self):
    page = '# P\n\n## A section\n\n| Python | C++ (`page.h`) |\n|---|---|\n| `not c++(` | %s |\n'
    for cell in ('`deep::Begin()`, `End().Next(number)`', '`auto begin = deep::Begin();`, then `begin.Next(3)`, a `Cursor`',
                 '`.Next(1).Next(2)`', '`int f(const deep::Cursor& c)`, `number == 3`'):
      good, errors, count = compiles_page(page % cell)
      self.assertTrue(good, errors)
      self.assertEqual(count, 1)
    for cell in ('`End()`', '`deep::Begin(1)`', '`unknown == 3`', '`.Back()`'):
      good, errors, _ = compiles_page(page % cell)
      self.assertFalse(good, cell)
      self.assertIn('page.md:7:', errors)

  def test_declarations_of_a_section_are_for_it_alone(self):
    good, errors, _ = compiles_page('# P\n\n## Another\n\n| C++ |\n|---|\n| `it.Next(1)` |\n')
    self.assertFalse(good)
    self.assertIn('page.md:7:', errors)


if __name__ == '__main__':
  unittest.main()
