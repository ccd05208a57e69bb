"""Messages of the master and worker services, as TensorFlow's client and servers exchange them.

A proxy stands before each of two servers of one cluster. It passes every call on and notes request and response.
"""

import concurrent.futures
import multiprocessing
import socket

import grpc
import tensorflow as tf
from tensorflow.core.protobuf import meta_graph_pb2

v1 = tf.compat.v1

_SERVICES = {
    "tensorflow.MasterService":
        "CreateSession ExtendSession PartialRunSetup RunStep CloseSession ListDevices Reset MakeCallable RunCallable "
        "ReleaseCallable".split(),
    "tensorflow.WorkerService":
        "GetStatus CreateWorkerSession DeleteWorkerSession RegisterGraph DeregisterGraph RunGraph CleanupGraph "
        "CleanupAll RecvTensor RecvBuf Logging Tracing CompleteGroup CompleteInstance GetStepSequence "
        "MarkRecvFinished".split(),
}
_PER_METHOD = 2


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _start_proxy(port, target, log):
    channel = grpc.insecure_channel(target)

    def handler(service, method):
        call = channel.unary_unary("/%s/%s" % (service, method))

        def forward(request, context):
            try:
                response = call(request)
            except grpc.RpcError as error:
                context.abort(error.code(), error.details())
            log.setdefault(method, []).append((request, response))
            return response

        return grpc.unary_unary_rpc_method_handler(forward)

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(32))
    server.add_generic_rpc_handlers([
        grpc.method_handlers_generic_handler(service, {method: handler(service, method) for method in methods})
        for service, methods in _SERVICES.items()])
    server.add_insecure_port("localhost:%d" % port)
    server.start()
    return server


def _run_cluster(ports):
    """Two servers, told their own address and that of the proxy before the other one, and a client."""
    servers = []
    for i in range(2):
        tasks = ["localhost:%d" % port for port in ports[2:]]
        tasks[i] = "localhost:%d" % ports[i]
        servers.append(tf.distribute.Server({"worker": tasks}, "worker", i))
    _use_cluster("grpc://localhost:%d" % ports[2])


def _use_cluster(master):
    """Steps that make the two servers talk, from a client that uses most of the master service."""
    with tf.Graph().as_default() as graph:
        with tf.device("/job:worker/task:1"):
            variable = v1.get_variable("v", initializer=tf.constant([1.0, 2.0, 3.0]), use_resource=False)
        with tf.device("/job:worker/task:0"):
            x = v1.placeholder(tf.float32, [], name="x")
            y = tf.identity(variable * x, name="y")
        config = v1.ConfigProto(allow_soft_placement=True, device_count={"CPU": 1})
        session = v1.Session(master, config=config)
        session.list_devices()
        session.run(v1.global_variables_initializer())
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run([y, variable], {x: 2.0}, options, v1.RunMetadata())
        with graph.as_default():
            z = tf.add(y, 1.0, name="z")
        session.run(z, {x: 3.0})
        partial = session.partial_run_setup([y], [x])
        session.partial_run(partial, y, {x: 4.0})
        session.close()
    v1.Session.reset(master)


def record(pool):
    """Requests and responses of a few calls of each method that came up."""
    ports = _free_ports(4)
    log = {}
    proxies = [_start_proxy(ports[2 + i], "localhost:%d" % ports[i], log) for i in range(2)]
    # In a process of its own: some calls of the client hold Python's lock, without which no proxy can run.
    cluster = multiprocessing.get_context("spawn").Process(target=_run_cluster, args=(ports,))
    cluster.start()
    cluster.join(120)
    if cluster.exitcode != 0:
        cluster.kill()
        raise SystemExit("the cluster did not end well: " + str({method: len(calls) for method, calls in log.items()}))
    result = meta_graph_pb2.CollectionDef.AnyList()
    for method in sorted(log):
        for pair in log[method][:_PER_METHOD]:
            for kind, data in zip(("Request", "Response"), pair):
                pool.FindMessageTypeByName("tensorflow." + method + kind)
                result.value.add(type_url="type.googleapis.com/tensorflow." + method + kind, value=data)
    for proxy in proxies:
        proxy.stop(None)
    return result
