"""The text of C++ sources as tools/lint and its neighbours see it: comments, literals and code told apart."""

import re

ENDINGS = ('.cc', '.h', '.cu', '.cuh')

_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|(?<=[0-9a-fA-F])\'(?=[0-9a-fA-F])'
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def _spaces(text):
  return re.sub(r'[^\n]', ' ', text)


def blank_literals(text):
  """Same length and lines; comments are spaces, string and character literals empty quotes."""

  def blank(match):
    found = match.group(0)
    if found[0] == '/' or len(found) < 2:
      return _spaces(found)
    return '"' + _spaces(found)[1:-1] + '"'

  return _LITERAL.sub(blank, text)


def blank_comments(text):
  """Same length and lines; comments are spaces, literals stay."""
  return _LITERAL.sub(
      lambda match: _spaces(match.group(0)) if match.group(0)[0] == '/' else match.group(0), text)


def comments(text):
  """Yields (line, text) of each line of each comment; the text is without its `//` or stars."""
  line = last = 1
  for match in _LITERAL.finditer(text):
    line += text.count('\n', last - 1, match.start())
    last = match.start() + 1
    if match.group(0)[0] == '/':
      for i, part in enumerate(match.group(0).split('\n')):
        yield line + i, re.sub(r'^\s*(//+|/\*+|\*(?!/))|\*/$', '', part)
