"""TensorFlow's own server: prints "grpc://localhost:PORT" and serves until it is killed.

serve_tensorflow.py                                       on a port that is free
serve_tensorflow.py --cluster=... --job=JOB --task=TASK   a task of a cluster, "job|host:port;host:port,job|host:port"
"""
import argparse
import signal

import tensorflow as tf


def spec(text):
    jobs = (job.split('|') for job in text.split(','))
    return {name: addresses.split(';') for name, addresses in jobs}


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--port')
    parser.add_argument('--cluster')
    parser.add_argument('--job')
    parser.add_argument('--task', type=int)
    arguments = parser.parse_args()
    if arguments.cluster:
        server = tf.distribute.Server(spec(arguments.cluster), job_name=arguments.job, task_index=arguments.task)
    else:
        server = tf.distribute.Server.create_local_server()
    print(server.target, flush=True)
    signal.pause()
