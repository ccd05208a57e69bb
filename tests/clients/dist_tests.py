"""Runs TensorFlow's own tests of its distributed runtime, with its server classes on our tasks and on TensorFlow's.

    tests/clients/run dist_tests TREE [--only=TEXT]... [--out=FILE] [--limit=SECONDS]

TREE is a checkout of TensorFlow's sources, of which only the tests named in FILES are read; they run unmodified, with the
installed TensorFlow. On our side each `tf.distribute.Server` that a test makes is a `warpbeam serve` of its own; on
TensorFlow's, which is the measure, it is what it always is. Prints what op_tests prints.
"""
import json
import os
import subprocess
import sys
import threading
import types

import op_tests

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', 'tools'))
import loopback  # noqa: E402

FILES = (
    'training/server_lib_test.py',
    'training/server_lib_multiple_containers_test.py',
    'training/server_lib_same_variables_clear_container_test.py',
    'training/server_lib_same_variables_clear_test.py',
    'training/server_lib_same_variables_no_clear_test.py',
    'training/server_lib_sparse_job_test.py',
    'training/localhost_cluster_performance_test.py',
    'training/sync_replicas_optimizer_test.py',
    'training/session_manager_test.py',
    'training/supervisor_test.py',
    'training/monitored_session_test.py',
    'client/session_clusterspec_prop_test.py',
    'client/session_list_devices_test.py',
    'client/session_partial_run_test.py',
    'data/kernel_tests/iterator_cluster_test.py',
    'kernel_tests/control_flow/functional_ops_test.py',
)


class Task:
    """A `warpbeam serve` for what a ServerDef says."""

    def __init__(self, serialized):
        from tensorflow.core.protobuf import tensorflow_server_pb2
        definition = tensorflow_server_pb2.ServerDef.FromString(serialized)
        cluster = {job.name: {str(task): address for task, address in job.tasks.items()}
                   for job in definition.cluster.job}
        own = cluster.get(definition.job_name, {})
        number = str(definition.task_index)
        if own.get(number, '').endswith(':0'):  # TensorFlow's word for any that is free
            own[number] = own[number][:-1] + str(loopback.free_ports(1)[0])
        config = definition.default_session_config
        flags = ['--cluster=' + json.dumps(cluster), '--job=' + definition.job_name, '--task=' + number]
        if config.device_count.get('CPU', 0):
            flags.append('--cpu_devices=%d' % config.device_count['CPU'])
        if config.inter_op_parallelism_threads > 0:
            flags.append('--inter=%d' % config.inter_op_parallelism_threads)
        self._child = subprocess.Popen([os.environ['WB_SERVER'], 'serve'] + flags, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        line = self._child.stdout.readline()
        if 'grpc://' not in line:
            raise_error(self._child.communicate()[1])
        self.target = 'grpc://' + line.split('grpc://')[1].split()[0]
        threading.Thread(target=self._child.stderr.read, daemon=True).start()

    def stop(self):
        self._child.kill()
        self._child.wait()


def raise_error(said):
    """What TF_NewServer raises: 'warpbeam serve: INVALID_ARGUMENT: …' by its code."""
    from tensorflow.python.framework import errors
    for name in ('INVALID_ARGUMENT', 'UNAVAILABLE', 'UNKNOWN', 'NOT_FOUND', 'ALREADY_EXISTS'):
        if name in said:
            raise errors.exception_type_from_error_code(getattr(errors, name))(None, None, said)
    raise RuntimeError(said)


def lend_modules():
    """Before TensorFlow is imported: what the tests import and an installed TensorFlow has elsewhere, or not at all."""
    sys.modules['portpicker'] = types.ModuleType('portpicker')
    sys.modules['portpicker'].pick_unused_port = lambda: loopback.free_ports(1)[0]
    sys.modules['portpicker'].NoFreePortFoundError = OSError
    from tensorflow.compiler.xla.tsl.protobuf import rpc_options_pb2
    for name in ('xla', 'xla.tsl', 'xla.tsl.protobuf'):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules['xla.tsl.protobuf'].rpc_options_pb2 = rpc_options_pb2
    sys.modules['xla.tsl.protobuf.rpc_options_pb2'] = rpc_options_pb2


class OurTasks:
    """What `server_lib` asks of TensorFlow's library, answered with processes of ours."""

    def __init__(self):
        self._tasks = []

    def alive(self):
        return True

    def stop(self):
        pass

    def enter(self):
        from tensorflow.python.client import pywrap_tf_session
        from tensorflow.python.training import server_lib
        library, side = pywrap_tf_session, self

        class Library:
            def __getattr__(self, name):
                return getattr(library, name)

            def TF_NewServer(self, definition):
                side._tasks.append(Task(definition))
                return side._tasks[-1]

            def TF_ServerStart(self, task):
                pass

            def TF_ServerTarget(self, task):
                return task.target

            def TF_ServerStop(self, task):
                task.stop()

            def TF_ServerJoin(self, task):
                task._child.wait()

        server_lib.c_api = Library()

    def before_test(self):
        pass

    def leave(self):
        for task in self._tasks:
            task.stop()


class TensorFlowTasks:
    """TensorFlow's servers, in the process of the test."""

    def alive(self):
        return True

    def stop(self):
        pass

    enter = before_test = leave = stop


def main():
    flags = op_tests.parse('dist_tests', __doc__)
    root = os.path.join(os.path.abspath(flags.tree), 'tensorflow', 'python')
    files = [(name, os.path.join(root, name)) for name in FILES
             if not flags.only or any(text in name for text in flags.only)]
    missing = [path for _, path in files if not os.path.exists(path)]
    if missing:
        sys.exit('dist_tests: there is no %s' % missing[0])
    lend_modules()
    return op_tests.compare(files, [OurTasks, TensorFlowTasks], flags)


if __name__ == '__main__':
    sys.exit(main())
