#!/usr/bin/env python3
"""Writes one C++ file of the examples in headers' comments, so that the compiler checks them.

  header_examples.py CONTEXT OUTPUT HEADER...

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
  line = re.sub(r'(\](?: ?\((?:[^()]|\([^()]*\))*\))? ?)\{ *…[^{}]*\}', r'\1{ return AnyValue(); }', line)
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


def examples_of(path, text, namespace, common, own):
  """C++ for all examples of one header in `namespace`, or '' when it has none."""
  definitions, functions = [], []
  own, _, local = own.partition('//-- local\n')
  for line, lines in blocks(text):
    if not is_code(lines):
      continue
    body = []
    for offset, chunk in chunks(statements(lines)):
      piece = [f'#line {line + offset} "{path}"'] + chunk
      is_definition = _DEFINITION.match('\n'.join(chunk).strip())
      (definitions if is_definition else body).extend(piece)
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
    meant = [path for path, _ in headers if ('/' + path).endswith('/' + name)]
    if len(meant) != 1:
      raise SystemExit(f'the context means one header by {name}, not {len(meant)}: {" ".join(meant)}')
    own_of[meant[0]] = text
  namespaces = [namespace_of(text) for _, text in headers]
  shared = os.path.commonprefix([names for names in namespaces if names])  # Of headers that only include others.
  pieces, used = [], []
  for (path, text), names in zip(headers, namespaces):
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
