"""TensorFlow's own server on a port that is free: prints "grpc://localhost:PORT" and serves until it is killed."""
import signal

import tensorflow as tf

if __name__ == '__main__':
    server = tf.distribute.Server.create_local_server()
    print(server.target, flush=True)
    signal.pause()
