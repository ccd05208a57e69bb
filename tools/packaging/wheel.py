#!/usr/bin/env python3
"""Makes a Python wheel of an installation: wheel.py TREE VERSION FOLDER.

The package `warpbeam` has the program with the libraries that it links, and starts it:

  import warpbeam
  session = tf.compat.v1.Session(warpbeam.serve().target)
"""

import base64
import hashlib
import os
import subprocess
import sys
import zipfile

# What every Linux that the tag stands for has; the loader finds no other copies of these.
_OF_THE_SYSTEM = ('ld-linux', 'linux-vdso', 'libc.so', 'libm.so', 'libpthread', 'libdl.so', 'librt.so', 'libstdc++',
                  'libgcc_s')
_TAG = 'py3-none-manylinux_2_36_x86_64'  # the C library of Debian 12
_HERE = os.path.dirname(os.path.abspath(__file__))


def linked_libraries(program):
  """The files that `program` loads, but for the system's."""
  lines = subprocess.run(['ldd', program], check=True, capture_output=True, text=True).stdout.split('\n')
  found = [line.split('=>')[1].split('(')[0].strip() for line in lines if '=>' in line]
  return [path for path in found if path and not os.path.basename(path).startswith(_OF_THE_SYSTEM)]


def metadata(version):
  return f'''Metadata-Version: 2.1
Name: warpbeam
Version: {version}
Summary: Runs TensorFlow 1 graphs: warpbeam.serve() is a server for TensorFlow's client
License: Apache-2.0
Requires-Python: >=3.7
'''


def contents(tree, version):
  """Each file of the wheel: its name, its bytes, whether it is run."""
  info = f'warpbeam-{version}.dist-info'
  with open(os.path.join(_HERE, 'wheel_package.py'), 'rb') as file:
    yield 'warpbeam/__init__.py', file.read().replace(b'@VERSION@', version.encode()), False
  yield 'warpbeam/__main__.py', b'from warpbeam import main\n\nmain()\n', False
  program = os.path.join(tree, 'bin/warpbeam')
  with open(program, 'rb') as file:
    yield 'warpbeam/bin/warpbeam', file.read(), True
  for path in linked_libraries(program):
    with open(path, 'rb') as file:
      yield f'warpbeam/lib/{os.path.basename(path)}', file.read(), False
  with open(os.path.join(tree, 'share/doc/warpbeam/copyright'), 'rb') as file:
    yield f'{info}/LICENSE', file.read(), False
  yield f'{info}/METADATA', metadata(version).encode(), False
  yield f'{info}/WHEEL', f'Wheel-Version: 1.0\nGenerator: warpbeam\nRoot-Is-Purelib: false\nTag: {_TAG}\n'.encode(), False
  yield f'{info}/entry_points.txt', b'[console_scripts]\nwarpbeam = warpbeam:main\n', False


def record_line(name, data):
  digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
  return f'{name},sha256={digest},{len(data)}'


def main(tree, version, folder):
  path = os.path.join(folder, f'warpbeam-{version}-{_TAG}.whl')
  record = []
  with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as wheel:
    def add(name, data, is_run):
      entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
      entry.compress_type = zipfile.ZIP_DEFLATED
      entry.external_attr = (0o100755 if is_run else 0o100644) << 16
      wheel.writestr(entry, data)
    for name, data, is_run in contents(tree, version):
      add(name, data, is_run)
      record.append(record_line(name, data))
    name = f'warpbeam-{version}.dist-info/RECORD'
    add(name, ('\n'.join(record + [f'{name},,']) + '\n').encode(), False)
  print(path)


if __name__ == '__main__':
  if len(sys.argv) != 4:
    raise SystemExit(__doc__)
  main(*sys.argv[1:])
