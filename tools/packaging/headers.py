#!/usr/bin/env python3
"""Copies the headers that programs include: headers.py REPOSITORY INCLUDE_FOLDER.

<warpbeam/warpbeam.h>, cluster.h, contrib.h and c_api.h beside it, and the functions that add single ops,
<warpbeam/ops/*.h>; behind them what they include, in the repository's folders. They may need nothing but the
standard library: anything else is an error.
"""

import os
import re
import sys

# Where each is in the repository. What programs include is named after warpbeam/ alone.
ENTRIES = {
    'frontend/warpbeam.h': 'warpbeam.h',
    'frontend/cluster.h': 'cluster.h',
    'frontend/contrib/contrib.h': 'contrib.h',
    'frontend/c/c_api.h': 'c_api.h',
}
_OPS = 'frontend/ops/'
_INCLUDE = re.compile(r'^(\s*#\s*include\s*)([<"])([^>"]+)[>"]', re.M)


def closure(root):
  """The headers behind ENTRIES with their texts, by path in the repository."""
  texts, left, problems = {}, list(ENTRIES), []
  left += [_OPS + name for name in os.listdir(os.path.join(root, _OPS)) if name.endswith('.h')]
  while left:
    path = left.pop()
    if path in texts:
      continue
    with open(os.path.join(root, path), encoding='utf-8') as file:
      texts[path] = file.read()
    for _, mark, name in _INCLUDE.findall(texts[path]):
      if mark == '"' and os.path.exists(os.path.join(root, name)):
        left.append(name)
      elif mark == '"' or '/' in name:
        problems.append(f'{path} includes {name}: what programs include needs the standard library alone')
  if problems:
    raise SystemExit('\n'.join(sorted(problems)))
  return texts


def installed_as(path):
  if path.startswith(_OPS):
    path = 'ops/' + path[len(_OPS):]
  return 'warpbeam/' + ENTRIES.get(path, path)


def rewritten(text, paths):
  """The includes of `text` as they are outside of the repository."""
  def named(match):
    name = match.group(3)
    return f'{match.group(1)}"{installed_as(name)}"' if name in paths else match.group(0)
  return _INCLUDE.sub(named, text)


def main(root, include):
  texts = closure(root)
  for path, text in texts.items():
    to = os.path.join(include, installed_as(path))
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(to, 'w', encoding='utf-8') as file:
      file.write(rewritten(text, texts))


if __name__ == '__main__':
  if len(sys.argv) != 3:
    raise SystemExit(__doc__)
  main(*sys.argv[1:])
