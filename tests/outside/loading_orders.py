"""libwarpbeam.so in one process with others that have Protobuf, Abseil and gRPC, loaded in every order.

    loading_orders.py LIBRARY MODEL

Debian's libprotobuf and libgrpc++ show all their symbols to whoever comes later. TensorFlow's wheel joins them where the
Python that runs this has it: six orders then, two otherwise. (It does not stand Debian's symbols itself: beside it they
are not shown.)
"""

import ctypes
import importlib.util
import itertools
import os
import subprocess
import sys


def has_tensorflow():
  return importlib.util.find_spec('tensorflow') is not None


def load_debian():
  for name in ('libprotobuf.so.32', 'libgrpc++.so.1.51'):
    ctypes.CDLL(name, mode=ctypes.RTLD_LOCAL if has_tensorflow() else ctypes.RTLD_GLOBAL)


def load_tensorflow():
  import tensorflow as tf
  assert tf.add(1, 2).numpy() == 3


def run_model(library, model):
  """One step of a SavedModel by the C API; the library's messages must be read by its own Protobuf."""
  wb = ctypes.CDLL(library)
  for name in ('wb_status_new', 'wb_session_open', 'wb_status_message'):
    getattr(wb, name).restype = ctypes.c_void_p
  status = ctypes.c_void_p(wb.wb_status_new())
  session = ctypes.c_void_p(wb.wb_session_open(model.encode(), None, status))
  if wb.wb_status_code(status) != 0:
    raise SystemExit(ctypes.string_at(wb.wb_status_message(status)).decode())
  assert wb.wb_session_num_devices(session) >= 1
  wb.wb_session_delete(session)
  wb.wb_status_delete(status)


def run_order(order, library, model):
  steps = {
      'debian': load_debian,
      'tensorflow': load_tensorflow,
      'warpbeam': lambda: run_model(library, model),
  }
  for name in order:
    steps[name]()
  run_model(library, model)


def main(library, model):
  names = ['debian', 'warpbeam'] + (['tensorflow'] if has_tensorflow() else [])
  for order in itertools.permutations(names):
    words = [sys.executable, os.path.abspath(__file__), library, model, *order]
    run = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
      raise SystemExit(f'{" ".join(order)}: {run.returncode}\n{run.stderr[-2000:]}')
    print(f'loaded {", ".join(order)}: it runs')


if __name__ == '__main__':
  if len(sys.argv) < 3:
    raise SystemExit(__doc__)
  if len(sys.argv) == 3:
    main(*sys.argv[1:])
  else:
    run_order(sys.argv[3:], sys.argv[1], sys.argv[2])
