#!/usr/bin/env python3
"""Writes one C++ file of the examples in headers' comments and in pages, so that the compiler checks them.

  header_examples.py CONTEXT OUTPUT HEADER|PAGE...

An example is a run of comment lines that are indented by three spaces or more (`//   Graph graph;`), of which one ends
with `;` or a brace, or begins a loop or a condition; other such runs are tables and formulas. Each becomes a function
in the header's own namespace; classes, functions and registrations in it stand before the function. What an example
leaves out is written `…`:

  for (…) …                 any loop, any statement
  if (a) … b.size() …       a statement with this in it
  std::string bytes = …;    a value from somewhere
  [&] { … write it … }      a body
  F(a, …)                   further arguments, which are left out

What examples use without declaring it stands in CONTEXT, which is C++: a first part for all of them, and after each
line `//== header.h`, a header's name or its path, what the examples of that header need besides (they hide what the
first part has); what follows a line `//-- local` there is put into each function. Its directives stand at the top of
the first part. Errors of the compiler name the header's line.

The examples of a page (.md) are its blocks of C++, fenced or indented, of which one line ends with `;`, and what stands
between backticks in those columns of its tables whose heading names C++. All code of a cell is one function, so that what
comes later may use what was declared before; names alone and the parameters of functions (`f(const Scope& scope)`) are
no code. A call without a namespace (`MaxPool2D(…)` behind `wb::nn::AvgPool2D(…)`) has that of the call before it in its
cell, and what begins with `.` or `->` goes on with the variable `it`. The declarations after `//== page.md` are for all
of its sections, those after `//== page.md#a-heading` for one.
"""

import os
import re
import sys

_LINE = re.compile(r'\s*//( {3,}.*|)$')
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_DEFINITION = re.compile(
    r'(?:class|struct|union|enum|template|namespace\s+[\w:]+\s*\{|TEST|TEST_F|WB_(?!ASSIGN|RETURN)[A-Z_]+\()'
    r'|using \w+ ='
    r'|(?!(?:if|for|while|switch|return|else|do|auto)\b)[\w:<>,*& ]+ [*&]?\w+\([^;{]*\)(?: const| override)* \{')
_MARK = '//== '

PRELUDE = """
struct AnyResult {
  AnyResult() = default;
  template <class T>
  AnyResult(T&&) {}  // NOLINT: whatever an example returns.
};
struct AnyValue {
  template <class T>
  operator T() const;
};
"""


def blocks(text):
  """Yields (line of the first, lines) of each run of indented comment lines; lines are without their `//`."""
  start, lines = 0, []
  for number, line in enumerate(text.split('\n') + [''], 1):
    match = _LINE.match(line)
    code = match.group(1) if match else ''
    if code.strip():
      start = start if lines else number
      lines.append(code)
    elif lines:
      yield start, lines
      lines = []


def without_comment(line):
  """`line` without a comment at its end; strings may hold slashes."""
  masked = _STRING.sub(lambda match: 's' * len(match.group(0)), line)
  end = masked.find('//')
  return (line if end < 0 else line[:end]).rstrip()


def is_code(lines):
  return any(re.search(r'[;{}]( *…)?$|^ *(if|for|while) \(', without_comment(line)) for line in lines)


def fill(line):
  """`line` with C++ in the place of each `…`."""
  strings = _STRING.findall(line)
  line = _STRING.sub('\0', line)
  line = re.sub(r'^\s*…[^;{}()]*…?$', '', line)
  line = re.sub(r' … (\S[^…]*) …$', r' \1;', line)
  line = re.sub(r'= …', '', line)
  line = re.sub(r'\breturn …', 'return AnyValue()', line)
  line = re.sub(r', *…', '', line)
  line = re.sub(r'\bfor \(…\)', 'for (;;)', line)
  line = re.sub(r'(\](?: ?\((?:[^()]|\([^()]*\))*\))? ?(?:-> [\w:<>]+ )?)\{ *…[^{}]*\}', r'\1{ return AnyValue(); }', line)
  line = re.sub(r'\{ *…[^{}]*\}', '{}', line)
  line = line.replace('…', ';')
  return re.sub('\0', lambda _: strings.pop(0), line)


def statements(lines):
  """The lines as C++: comments gone, `…` filled in, and a `;` where an expression ends without one."""
  code = [fill(without_comment(line)) for line in lines]
  depth = 0
  for i, line in enumerate(code):
    masked = _STRING.sub('""', line).rstrip()
    depth += sum(masked.count(char) for char in '([') - sum(masked.count(char) for char in ')]')
    following = next((other for other in code[i + 1:] if other.strip()), '')
    continued = following.lstrip().startswith('.') or len(following) - len(following.lstrip()) > len(line) - len(line.lstrip())
    if masked and depth == 0 and not re.search(r'[;{}:,=?\\]$|[|&]{2}$|^\s*(#|template\b)', masked) and not continued:
      code[i] = line + ';'
  return code


def chunks(code):
  """Splits lines into (offset, lines) of whole statements and definitions."""
  depth, first = 0, 0
  for i, line in enumerate(code):
    masked = _STRING.sub('""', line)
    depth += sum(masked.count(char) for char in '{([') - sum(masked.count(char) for char in '})]')
    if depth == 0 and re.search(r'[;}]\s*$', masked):
      yield first, code[first:i + 1]
      first = i + 1
  if any(line.strip() for line in code[first:]):
    yield first, code[first:]


def namespace_of(text):
  """The names of the namespaces that a header's last lines close, outermost first."""
  names = []
  for line in reversed(text.split('\n')):
    match = re.match(r'}  // namespace ([\w:]+)$', line)
    if match:
      names += match.group(1).split('::')
    elif names:
      break
  return names


def parts(path, line, lines):
  """The C++ of one example that begins in `line`: what stands before the function, and what in it."""
  definitions, body = [], []
  for offset, chunk in chunks(statements(lines)):
    piece = [f'#line {line + offset} "{path}"'] + chunk
    is_definition = _DEFINITION.match('\n'.join(chunk).strip())
    (definitions if is_definition else body).extend(piece)
  return definitions, body


def page_blocks(text):
  """Yields (line of the first, lines) of each block of C++ of a page, which begins after an empty line."""
  lines, fence, start, block = text.split('\n'), None, 0, []
  for number, line in enumerate(lines + ['end'], 1):
    if fence is not None and not line.startswith('```'):
      block.append(line)
    elif fence is None and line.startswith('    ') and (block or number == 1 or not lines[number - 2].strip()):
      start = start if block else number
      block.append(line[4:])
    elif fence is None and block and not line.strip():
      block.append('')
    else:
      indented_code = fence is None and any(without_comment(code).endswith(';') for code in block)
      if block and (fence == 'cpp' or indented_code):
        yield start, block
      opens = fence is None and line.startswith('```')
      fence, start, block = line[3:] if opens else None, number + 1 if opens else 0, []


_CODE_IN_CELL = re.compile(r'`([^`]+)`')
_CALL = re.compile(r'(?:(?:\w+ )?\w+ = )?((?:\w+::)*)(\w+)(?:<[^()]*>)?\(')


def cell_statements(cell):
  """The code of one cell, a statement each."""
  namespace, found = '', []
  for code in _CODE_IN_CELL.findall(cell):
    if not re.search(r'[(=;\[]', code) or re.match(r'(?:[\w:]+ )?\w+\((?:const )?[\w:]+& ?', code):
      continue
    call = _CALL.match(code)
    if call and call.group(1):
      namespace = call.group(1)
    elif call and namespace and call.group(2)[0].isupper():
      code = code[:call.start(2)] + namespace + code[call.start(2):]
    if re.match(r'\.|->', code):
      code = 'it' + code
    code = fill(code)
    found.append(code if code.endswith((';', '}')) else code + ';')
  return found


def cells(text):
  """Yields (line, statements) of each cell of C++ in the tables of a page."""
  columns = None
  for number, line in enumerate(text.split('\n'), 1):
    if not line.startswith('|'):
      columns = None
      continue
    parts = [part.replace('\0', '|') for part in line.replace('\\|', '\0').strip().strip('|').split('|')]
    if columns is None:
      columns = [i for i, part in enumerate(parts) if 'C++' in part]
    else:
      for i in columns:
        found = cell_statements(parts[i]) if i < len(parts) else []
        if found:
          yield number, found


def sections(text):
  """Yields (name, first line, text) of each section of a page; that before the first heading has the name ''."""
  name, first, lines = '', 1, []
  for number, line in enumerate(text.split('\n'), 1):
    if line.startswith('#'):
      yield name, first, '\n'.join(lines)
      name, first, lines = re.sub(r'[^\w]+', '-', line.strip('# ').lower()).strip('-'), number, []
    lines.append(line)
  yield name, first, '\n'.join(lines)


def examples_of_page(path, text, namespace, common, own_of):
  """C++ for all examples of a page; `own_of` are the declarations of the page and of its sections."""
  pieces, count = [], 0
  for name, first, section in sections(text):
    own, _, local = own_of.get(f'{path}#{name}', '').partition('//-- local\n')
    definitions, functions = [], []
    for line, lines in page_blocks(section):
      defined, body = parts(path, first + line - 1, lines)
      definitions += defined
      functions += [f'AnyResult Example{count}() {{', local] + body + ['return {};', '}']
      count += 1
    for line, found in cells(section):
      body = [f'#line {first + line - 1} "{path}"'] + [' '.join(found)]
      functions += [f'AnyResult Example{count}() {{', local] + body + ['return {};', '}']
      count += 1
    if functions:
      pieces += [f'namespace section_{len(pieces)} {{', own] + definitions + functions + ['}']
  if not pieces:
    return ''
  return '\n'.join([f'namespace {namespace} {{', f'namespace examples_of_{re.sub(chr(92) + "W", "_", path)} {{', PRELUDE,
                    common, 'namespace own {', own_of.get(path, '')] + pieces + ['}', '}', '}', ''])


def examples_of(path, text, namespace, common, own):
  """C++ for all examples of one header in `namespace`, or '' when it has none."""
  definitions, functions = [], []
  own, _, local = own.partition('//-- local\n')
  for line, lines in blocks(text):
    if not is_code(lines):
      continue
    defined, body = parts(path, line, lines)
    definitions += defined
    functions += [f'AnyResult Example{len(functions)}() {{', local] + body + ['return {};', '}']
  if not functions:
    return ''
  name = re.sub(r'\W', '_', path)
  return '\n'.join([f'namespace {namespace} {{', f'namespace examples_of_{name} {{', PRELUDE, common,
                    'namespace own {', f'#line 1 "what the context declares for {path}"', own] + definitions + functions + ['}', '}', '}', ''])


def read_context(text):
  """Splits CONTEXT into (includes, common part, {header: own part})."""
  parts = re.split('^' + _MARK + r'(\S+)\n', text, flags=re.MULTILINE)
  includes, common = re.match(r'((?:(?://|#).*\n|\n)*)([\s\S]*)', parts[0]).groups()
  return includes, common, dict(zip(parts[1::2], parts[2::2]))


def write(context, headers):
  """The whole file; `headers` are (path, text)."""
  includes, common, own = read_context(context)
  own_of = {}
  for name, text in own.items():
    name, _, section = name.partition('#')
    meant = [path for path, _ in headers if ('/' + path).endswith('/' + name)]
    if len(meant) != 1:
      raise SystemExit(f'the context means one header by {name}, not {len(meant)}: {" ".join(meant)}')
    own_of[meant[0] + ('#' + section if section else '')] = text
  namespaces = [namespace_of(text) for _, text in headers]
  shared = os.path.commonprefix([names for names in namespaces if names])  # Of headers that only include others.
  pieces, used = [], []
  for (path, text), names in zip(headers, namespaces):
    if path.endswith('.md'):
      pieces.append(examples_of_page(path, text, 'examples', common, own_of))
      continue
    piece = examples_of(path, text, '::'.join(names or shared), common, own_of.get(path, ''))
    if piece:
      pieces.append(piece)
      used.append(f'#include "{path}"')
  return '\n'.join([includes] + used + pieces)


def main(arguments):
  context, output, *headers = arguments
  read = lambda path: open(path, encoding='utf-8').read()
  with open(output, 'w', encoding='utf-8') as file:
    file.write(write(read(context), [(path, read(path)) for path in sorted(set(headers))]))


if __name__ == '__main__':
  main(sys.argv[1:])
