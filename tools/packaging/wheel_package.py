"""Warpbeam runs TensorFlow 1 graphs.

A program that makes its session with a target runs on it; nothing else of the program changes:

  import warpbeam
  with tf.compat.v1.Session(warpbeam.serve().target) as session: ...

`python -m warpbeam` and `warpbeam` are the command line.
"""

import atexit
import os
import stat
import subprocess
import sys
import threading

__version__ = '@VERSION@'
_FOLDER = os.path.dirname(os.path.abspath(__file__))


def program():
  """The path of the command line program."""
  path = os.path.join(_FOLDER, 'bin', 'warpbeam')
  if not os.access(path, os.X_OK):
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
  return path


def _environment():
  """That of this process, with the program's libraries before others."""
  libraries = os.path.join(_FOLDER, 'lib')
  others = os.environ.get('LD_LIBRARY_PATH')
  return {**os.environ, 'LD_LIBRARY_PATH': f'{libraries}:{others}' if others else libraries}


class Server:
  """A server of its own process, on this machine's loopback. It ends with stop(), or with this program."""

  def __init__(self, process, target):
    self._process = process
    self.target = target

  def stop(self, timeout=15):
    """Ends it; a step that does not end within `timeout` seconds is given up. Stopping twice is no error."""
    if self._process.poll() is None:
      self._process.terminate()
      try:
        self._process.wait(timeout)
      except subprocess.TimeoutExpired:
        self._process.kill()
        self._process.wait()

  def __enter__(self):
    return self

  def __exit__(self, *_):
    self.stop()


def serve(*flags):
  """Starts a server for TensorFlow's clients and returns when it listens.

  Args:
    *flags: of `warpbeam serve`, such as '--simulated_gpus=2'.
  Returns:
    a Server, whose `target` a Session takes: 'grpc://localhost:41234'.
  Raises:
    RuntimeError: what the program said in the place of listening.
  """
  process = subprocess.Popen([program(), 'serve', *flags], env=_environment(), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
  said = []
  for line in process.stdout:
    said.append(line)
    if ' serves grpc://' in line:
      break
  else:
    process.stdout.close()
    process.wait()
    raise RuntimeError('warpbeam serve: ' + (''.join(said).strip() or f'ended with {process.returncode}'))

  def hand_on():
    with process.stdout:
      for line in process.stdout:
        sys.stderr.write(line)
  threading.Thread(target=hand_on, daemon=True).start()
  server = Server(process, line.split(' serves ')[1].strip())
  atexit.register(server.stop)
  return server


def main():
  """The command line, in the place of this process."""
  os.execve(program(), [program(), *sys.argv[1:]], _environment())
