"""Finds names in documents and comments of what is not there: files, folders, Bazel targets, C++ symbols.

  path      in .md files and in comments of C++ files: `runtime/session/session.h`, `session.h`, `tests/conformance`,
            `//ops/nn:nn_test`, links such as [passes](docs/passes.md#choosing)
  symbol    in .md files, between backticks and in ```cpp blocks: `CamelCase`, `Type::Member`, `Function()`; some source
            must have it outside its comments. In comments of C++ files, anywhere: `CamelCase`; there a name in the
            plural and a part of names (SparseApply) are fine, and examples are left to the compiler

A path that a page shows the text of, after a line of "`PATH`:" alone, is there for that page. A path that stands for
many (`x/NAME.h`, `x/….h`, `x/<op>.h`) is not looked up; `*` and `{a,b}` mean what they mean in a shell. tools/lint reports the findings; references_test.py shows each of them.
"""

import posixpath
import re

import cpp_text

TOP = ('proto', 'graph', 'placement', 'runtime', 'ops', 'frontend', 'tests', 'examples', 'tools',
       'docs')

# Names of people, of the field, and of what belongs to TensorFlow or a library alone.
EXTERNAL = frozenset("""
    gtest/gtest.h jpeglib.h
    FixedLenSequenceFeature HeUniform LeCun LecunNormal LecunUniform McMahan MirroredStrategy MurmurHash MurmurHash64A
    SplitMix64 TensorBundle UScriptCode
""".split())

_ENDINGS = r'(?:h|cc|cu|cuh|py|md|bzl|proto|tsv)'
_TOP_PATH = r'(?:' + '|'.join(TOP) + r')/[\w.*{},/+-]*[\w*}/]'
_PATH = re.compile(r'(?<![\w/.$:~<>\\-])(?:bazel-bin/)?(' + _TOP_PATH +
                   r'|[\w*{},/+-]+\.' + _ENDINGS + r')(?![\w/(]|:\d)')
_TARGET = re.compile(r'(?<![\w:/])//(?=[a-z:])([a-z]\w*(?:/[a-z]\w*)*)?(?::([\w.+-]*\w)|(/\.\.\.))?'
                     r'(?![\w/*])')
_LINK = re.compile(r'\]\(([^)\s]+)\)')
# Stands for many: an ellipsis, <op>, NAME, and the stem x, as in `x_test.cc`.
_FOR_MANY = re.compile(r'…|<|(?<![A-Za-z0-9])[A-Z]{2,}(?![a-z0-9])|(?<![A-Za-z])[XN](?![A-Za-z])|\bx[_.]')
# A page that shows how somebody else's files look says whose the block below is.
_SHOWN = re.compile(r'^`([\w./]+)`(?:, further)?:$', re.MULTILINE)
_HEADING = re.compile(r'^#+ +(.*?) *$', re.MULTILINE)
_SPAN = re.compile(r'`([^`]+)`')
_NAME = re.compile(r'(?<![\w.$"/<-])((?:[A-Za-z_]\w*::)*~?[A-Za-z_]\w*)(\()?')
_CAMEL = re.compile(r'[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*$|[A-Z][a-z]+[A-Z]$')


class Tree:
  """What there is to be named: the files of the repository, and the words of its sources."""

  def __init__(self, paths, read):
    """`read(path)` gives a file's text, or None for data."""
    self._read = read
    self.files = set(paths)
    self.folders = {''}
    for path in paths:
      while path:
        path = posixpath.dirname(path)
        self.folders.add(path)
    self.names = {posixpath.basename(path) for path in paths}
    self._words = None
    self._text_of_words = ''

  @property
  def words(self):
    """Every identifier of every source, and every word of its literals: names of ops stand there."""
    if self._words is None:
      self._words = set()
      for path in self.files:
        if path.endswith('.md'):
          continue
        text = self._read(path)
        if text is not None:
          code = cpp_text.blank_comments(text) if path.endswith(cpp_text.ENDINGS) else text
          self._words.update(re.findall(r'[A-Za-z_]\w*', code))
      self._text_of_words = '\n'.join(self._words)
    return self._words

  def has_path(self, path, near):
    """Whether `path` is there: from the top, from the folder `near`, or a file of that name anywhere."""
    path = path.rstrip('/')
    generated = re.sub(r'\.(grpc\.)?pb\.(h|cc)$', '.proto', path)
    folder, name = posixpath.split(path)
    if folder and '.' not in name and self.has_target(folder, name, False):
      return True  # A program, as in bazel-bin/tools/warpbeam.
    places = [path, generated, posixpath.normpath(posixpath.join(near, path))]
    if any(place in self.files or place in self.folders for place in places):
      return True
    if '*' in path:
      pattern = re.compile(re.escape(path).replace(r'\*', '[^/]*'))
      return any(pattern.fullmatch(name) for names in (self.files, self.folders, self.names) for name in names)
    if path in EXTERNAL:
      return True
    if '/' not in path:
      return path in self.names or generated in self.names
    # A path may begin below the top: `executor/step.h`.
    return any(file.endswith('/' + place) for place in places[:2] for file in self.files)

  def has_heading(self, path, anchor):
    """Whether the document `path` has the heading that GitHub calls `anchor`."""
    headings = _HEADING.findall(self._read(path) or '')
    return anchor in [re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in headings]

  def has_symbol(self, name):
    return name in EXTERNAL or name in self.words

  def is_near_a_symbol(self, name):
    """Whether `name` is the plural or a part of what the sources have."""
    return name.endswith('s') and self.has_symbol(name[:-1]) or name in self._text_of_words

  def has_target(self, package, name, everything):
    build = posixpath.join(package, 'BUILD')
    if everything:
      return package in self.folders
    if build not in self.files:
      return False
    if not name or posixpath.join(package, name) in self.files:
      return True
    # A macro names a library after its folder and other targets NAME_test, NAME_fuzz after what it is given.
    return any(f'"{one}"' in self._read(build) or one == posixpath.basename(package)
               for one in (name, name.rpartition('_')[0]))


def expand(path):
  """The paths that a shell makes of `a{b,c}d`."""
  match = re.search(r'\{([^{}]*)\}', path)
  if not match:
    return [path]
  return [found for part in match.group(1).split(',')
          for found in expand(path[:match.start()] + part + path[match.end():])]


def missing_paths(tree, text, near):
  """Yields what `text`, one line of prose in the folder `near`, names that is not there."""
  for match in _TARGET.finditer(text):
    package, name, everything = match.group(1) or '', match.group(2) or '', match.group(3)
    if not _FOR_MANY.search(match.group(0)) and not tree.has_target(package, name, everything):
      yield match.group(0)
  text = _TARGET.sub(lambda match: ' ' * len(match.group(0)), text)
  for match in _PATH.finditer(text):
    around = text[max(0, match.start() - 1):match.end() + 1]
    path = match.group(1).rstrip('.')
    if not _FOR_MANY.search(around) and not all(tree.has_path(one, near) for one in expand(path)):
      yield path


def missing_symbols(text, exists):
  """Yields the symbols of a piece of code of which `exists` is false."""
  for match in _NAME.finditer(text):
    parts = match.group(1).replace('~', '').split('::')
    if parts[0] in ('std', 'absl', 'tensorflow', 'testing'):
      continue
    looked_up = parts if len(parts) > 1 or match.group(2) else [p for p in parts if _CAMEL.match(p)]
    for part in looked_up:
      if re.match(r'[A-Z]', part) and not exists(part):
        yield match.group(1)
        break


def _leads_somewhere(tree, path, link):
  target, _, anchor = link.partition('#')
  target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
  if target not in tree.files and target not in tree.folders:
    return False
  return not anchor or tree.has_heading(target, anchor)


def _document(tree, path, text):
  near = posixpath.dirname(path)
  shown = set(_SHOWN.findall(text))
  fence = None  # The language of the block that is open.
  for number, line in enumerate(text.split('\n'), 1):
    mark = re.match(r'\s*```(\w*)', line)
    if mark:
      fence = mark.group(1) if fence is None else None
      continue
    for link in _LINK.findall(line):
      if ':' not in link and not _leads_somewhere(tree, path, link):
        yield number, f'{link} is not there', 'path'
    line = _LINK.sub('] ', line)
    for name in missing_paths(tree, line, near):
      if name not in shown:
        yield number, f'{name} is not there', 'path'
    pieces = [line] if fence == 'cpp' else [] if fence is not None else _SPAN.findall(line)
    for piece in pieces:
      for name in missing_symbols(piece, tree.has_symbol):
        yield number, f'no source has {name}', 'symbol'


def findings(tree, path, text):
  """All findings of one file as (line, message, rule)."""
  if path.endswith('.md'):
    yield from _document(tree, path, text)
  elif path.endswith(cpp_text.ENDINGS):
    for number, line in cpp_text.comments(text):
      for name in missing_paths(tree, line, posixpath.dirname(path)):
        yield number, f'{name} is not there', 'path'
      if not line.startswith('   '):
        prose = re.sub(r'(?<!\w)"[^"]*"(?!\w)', '', line)
        for name in missing_symbols(prose, lambda part: tree.has_symbol(part) or tree.is_near_a_symbol(part)):
          yield number, f'no source has {name}', 'symbol'
