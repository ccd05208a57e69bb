"""Runs TensorFlow's own tests of its ops against two servers: `warpbeam serve` and TensorFlow's, which is the measure.

    tests/clients/run op_tests TREE [--only=TEXT]... [--out=FILE] [--limit=SECONDS]

TREE is a checkout of TensorFlow's sources, of which only the files *_test.py under tensorflow/python are read; they run
unmodified, with the installed TensorFlow (versions may differ: what has changed since fails on both sides). A session that
a test makes without a target goes to the server. Without --only, all tests of kernels, ops and training are run; --only
names those whose path holds the text.

Prints a line for each file, then the tests that pass on TensorFlow's server and not on ours, with what they said, and
closes with `N passed on both, N on TensorFlow's only, N on ours only, N on neither`. --out keeps all outcomes, a JSON
record a line.
"""
import argparse
import collections
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

FOLDERS = ('kernel_tests', 'ops', 'training', 'client', 'summary', 'layers')
# What cannot go to a server at all: other devices, the client's own library, minutes of numerics.
SKIPPED = ('distribute', '/eager/', '/tpu/', '/debug/', 'benchmark', 'xla', 'mkl')


def run_file(path, side, done, out):
    """In a process of its own: the tests of one file that are not in `done`; a record for each goes to `out`."""
    side.enter()
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))

    def write(**record):
        out.write(json.dumps(record) + '\n')
        out.flush()

    try:
        spec = importlib.util.spec_from_file_location('op_tests_file', path)
        module = importlib.util.module_from_spec(spec)
        sys.modules['op_tests_file'] = module
        spec.loader.exec_module(module)
        tests = list(flatten(unittest.TestLoader().loadTestsFromModule(module)))
    except BaseException as error:  # a file for another version may fail in any way
        write(test='(loading)', outcome='failed', message=repr(error)[:300])
        return
    for test in tests:
        # Names of parameterised tests hold addresses, which differ from process to process.
        name = re.sub(' at 0x[0-9a-f]+', '', test.id().split('.', 1)[1])
        if name in done or name.endswith('.test_session'):
            continue
        write(test=name, outcome='begun')
        side.before_test()
        result = unittest.TestResult()
        test(result)
        problems = result.failures + result.errors
        skipped = bool(result.skipped) and not problems
        write(test=name, outcome='failed' if problems else 'skipped' if skipped else 'passed',
              message=said(problems[0][1]) if problems else '')


def said(trace):
    """What an error says, without where it came through."""
    lines = [line for line in trace.splitlines() if line and not line.startswith((' ', 'Traceback'))]
    return '\n'.join(lines[:8])[:1500]


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


class ServerSide:
    """One server, which gets the sessions that tests make without a target."""

    def enter(self):
        """In the process that runs a file."""
        import tensorflow.compat.v1 as tf
        from tensorflow.python.client import session as client
        tf.disable_v2_behavior()
        make, target = client.BaseSession.__init__, self.target

        def make_with_target(self, session_target='', graph=None, config=None):
            make(self, session_target or target, graph, config)

        client.BaseSession.__init__ = make_with_target

    def before_test(self):
        import tensorflow.compat.v1 as tf
        tf.Session.reset(self.target)

    def leave(self):
        """When the file's last test has ended."""


class TensorFlowServer(ServerSide):
    """TensorFlow's own server, in a process of its own."""

    PROGRAM = ('import tensorflow as tf, time\n'
               's = tf.distribute.Server.create_local_server()\n'
               'print(s.target, flush=True)\n'
               'time.sleep(1e9)\n')

    def __init__(self):
        self._child = subprocess.Popen([sys.executable, '-c', self.PROGRAM], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.target = self._child.stdout.readline().strip()

    def alive(self):
        return self._child.poll() is None

    def stop(self):
        self._child.kill()
        self._child.wait()


class OurServer(ServerSide):
    def __init__(self):
        self._child = subprocess.Popen([os.environ['WB_SERVER'], 'serve', '--port=0'], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        line = self._child.stdout.readline()
        self.target = 'grpc://' + line.split('grpc://')[1].split()[0]

    def alive(self):
        return self._child.poll() is None

    def stop(self):
        self._child.send_signal(signal.SIGINT)
        try:
            self._child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def read_records(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines if line.endswith('\n')]


def outcomes_of(path, make_server, server, limit):
    """Runs a file to its end, over again after a test that hangs or takes the process with it. (outcomes, server)."""
    outcomes = {}
    while True:
        if not server.alive():
            server = make_server()
        with tempfile.NamedTemporaryFile('w+', suffix='.jsonl') as out:
            hung = run_child(path, server, outcomes, out.name, limit)
            begun = None
            for record in read_records(out.name):
                begun = record['test'] if record['outcome'] == 'begun' else None
                if not begun:
                    outcomes[record['test']] = (record['outcome'], record['message'])
        if begun is None:
            return outcomes, server
        dead = not server.alive()
        outcomes[begun] = ('failed', 'the server died' if dead else 'hung' if hung else 'the client died')
        if hung and not dead:
            server.stop()
            server = make_server()


def run_child(path, side, done, out_name, limit):
    """Whether it had to be killed because no test ended for `limit` seconds."""
    child = os.fork()
    if child == 0:
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            with open(out_name, 'a') as out, tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)  # some tests write where they are
                run_file(path, side, done, out)
        finally:
            side.leave()
            os._exit(0)
    killed = threading.Event()
    ended = threading.Event()

    def watch():
        size, since = -1, time.monotonic()
        while not ended.wait(0.2):
            now = os.path.getsize(out_name)
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > limit:
                killed.set()
                os.kill(child, signal.SIGKILL)
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    os.waitpid(child, 0)
    ended.set()
    watcher.join()
    return killed.is_set()


def test_files(tree, only):
    root = os.path.join(tree, 'tensorflow', 'python')
    if not os.path.isdir(root):
        sys.exit('op_tests: %s has no folder tensorflow/python' % tree)
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, root)
            if not name.endswith('_test.py') or any(text in '/' + shown for text in SKIPPED):
                continue
            if any(text in shown for text in only) if only else shown.split(os.sep)[0] in FOLDERS:
                yield shown, path


def parse(program, description):
    parser = argparse.ArgumentParser(prog=program, description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('tree')
    parser.add_argument('--only', action='append', default=[])
    parser.add_argument('--out')
    parser.add_argument('--limit', type=float, default=90)
    return parser.parse_args()


def compare(files, makers, flags):
    """Runs the files on our side and on TensorFlow's, whose makers come in this order. The exit status."""
    if not files:
        sys.exit('no file matches')
    import tensorflow.compat.v1  # noqa: F401  Once, before the processes that run the files are forked.
    kept = open(flags.out, 'w') if flags.out else None
    total, worse = collections.Counter(), []
    makers = [OurServer, TensorFlowServer]
    running = [make() for make in makers]
    for shown, path in files:
        sides = []
        for index, make in enumerate(makers):
            outcomes, running[index] = outcomes_of(path, make, running[index], flags.limit)
            sides.append(outcomes)
        ours, theirs = sides
        count = collections.Counter()
        for test in sorted(set(ours) | set(theirs)):
            mine, other = (side.get(test, ('failed', 'not reached')) for side in (ours, theirs))
            if kept:
                kept.write(json.dumps(dict(file=shown, test=test, ours=mine, tensorflow=other)) + '\n')
                kept.flush()
            if 'skipped' in (mine[0], other[0]):
                continue
            key = (mine[0] == 'passed', other[0] == 'passed')
            count[key] += 1
            if key == (False, True):
                worse.append((shown, test, mine[1]))
        total += count
        print('%4d both  %3d theirs  %3d ours  %3d neither  %s' % (
            count[True, True], count[False, True], count[True, False], count[False, False], shown), flush=True)
    for server in running:
        server.stop()
    for shown, test, message in worse:
        print('\n%s %s\n%s' % (shown, test, message))
    print("%d passed on both, %d on TensorFlow's only, %d on ours only, %d on neither" % (
        total[True, True], total[False, True], total[True, False], total[False, False]))
    return 1 if worse else 0


def main():
    flags = parse('op_tests', __doc__)
    return compare(list(test_files(os.path.abspath(flags.tree), flags.only)), [OurServer, TensorFlowServer], flags)


if __name__ == '__main__':
    sys.exit(main())
