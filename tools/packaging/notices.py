#!/usr/bin/env python3
"""Prints whose work an installation has inside, with the licences: notices.py LICENSE | --debian.

Our own licence (--debian: where Debian has its text, which packages must not repeat), and of what the library and the program have linked in what the distribution says of it.
"""

import sys

# Package, and its name for people.
INSIDE = {
    'libabsl-dev': 'Abseil',
    'libprotobuf-dev': 'Protocol Buffers',
    'libgrpc++-dev': 'gRPC',
    'libeigen3-dev': 'Eigen',
    'libhwy-dev': 'Highway',
}


ON_DEBIAN = """Licensed under the Apache License, Version 2.0 (the "License"); on Debian systems its text is in
/usr/share/common-licenses/Apache-2.0.
"""


def main(licence):
  own = ON_DEBIAN
  if licence != '--debian':
    with open(licence, encoding='utf-8') as file:
      own = file.read()
  print(f'Warpbeam\n\n{own}')
  for package, name in INSIDE.items():
    with open(f'/usr/share/doc/{package}/copyright', encoding='utf-8') as file:
      print(f'{"=" * 80}\n{name}, which is inside\n\n{file.read()}')


if __name__ == '__main__':
  if len(sys.argv) != 2:
    raise SystemExit(__doc__)
  main(sys.argv[1])
