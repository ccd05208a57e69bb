"""The graphs of dump_python_graphs.py that are for several tasks."""
import tensorflow.compat.v1 as tf


def replica_devices():
    cluster = tf.train.ClusterSpec({'ps': ['a:1', 'b:1'], 'worker': ['c:1', 'd:1']})
    setter = tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:1')
    with tf.device('/gpu:3'), tf.device(setter):
        step = tf.Variable(0, name='global_step', trainable=False)
        w = tf.Variable(tf.truncated_normal([4, 2]), name='w')
        b = tf.get_variable('b', [2])
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.nn.xw_plus_b(x, w, b)
        with tf.device('/job:ps/task:1/cpu:0'):
            tf.identity(y, name='inside')
            tf.Variable(1.0, name='there')
        with tf.device('/job:other'):
            tf.Variable(1.0, name='elsewhere')
        with tf.device(None):
            tf.Variable(1.0, name='nowhere')
        gradients = [(tf.ones([4, 2]), w), (tf.ones([2]), b)]
        tf.train.AdamOptimizer(0.01).apply_gradients(gradients, step)
        tf.global_variables_initializer()
        tf.report_uninitialized_variables()


def sync_replicas():
    setter = tf.train.replica_device_setter(ps_tasks=2, worker_device='/job:worker/task:1')
    with tf.device(setter):
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable('layer/w', [3, 2])
        b = tf.get_variable('b', [2])
        tf.get_variable('unused', [2])
        rows = tf.constant([0.0, 1.0, 2.0, 3.0], shape=[2, 2], name='rows')
        ids = tf.constant([0, 2], name='ids')
        opt = tf.train.SyncReplicasOptimizer(
            tf.train.MomentumOptimizer(0.1, 0.9), replicas_to_aggregate=2, total_num_replicas=3,
            variable_averages=tf.train.ExponentialMovingAverage(0.9), variables_to_average=[b])
        gradients = [(tf.IndexedSlices(rows, ids), w), (tf.constant([1.0, 2.0], name='g'), b)]
        opt.apply_gradients(gradients, step)
        opt.get_init_tokens_op()
        opt.get_init_tokens_op(0)
