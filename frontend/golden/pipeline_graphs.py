"""Graphs of operators, brackets, datasets and gated gradients, for dump_python_graphs.py."""
import tensorflow.compat.v1 as tf


def operators():
    x = tf.placeholder(tf.float32, [4], name='x')
    y = tf.placeholder(tf.float32, [4], name='y')
    b = x < y
    c = x > y
    x <= 2
    x >= y
    5 < x
    x % 3
    2 % x
    b & c
    b | c
    b ^ c
    ~b
    b & True
    k = tf.constant(3, name='k')
    k & 1
    k | k
    k ^ k
    ~k
    with tf.name_scope('s'):
        -x
        w = tf.Variable([1., 2.], name='w')
        w < 1
        w % 2


def brackets():
    x = tf.placeholder(tf.float32, [4, 5, 6], name='x')
    i = tf.placeholder(tf.int32, [], name='i')
    j = tf.placeholder(tf.int64, [], name='j')
    x[0]
    x[1:3, :]
    x[..., -1]
    x[tf.newaxis, 2:]
    x[::2]
    x[...]
    x[:, tf.newaxis, ::-1]
    x[i]
    x[i:3]
    x[1, i]
    x[i:, 2]
    x[j]
    x[1:j]
    x[:i]
    x[::i]
    x[i, ..., tf.newaxis]
    x[1:2, :i]
    w = tf.Variable([1., 2.], name='w')
    w[0]


def datasets():
    data = tf.data.Dataset

    def numbers():
        return data.range(10)

    numbers().enumerate(5)
    data.zip((numbers(), numbers()))
    numbers().concatenate(numbers())
    numbers().interleave(data.from_tensors, cycle_length=2, block_length=3)
    numbers().interleave(data.from_tensors, cycle_length=2, num_parallel_calls=2)
    numbers().cache()
    numbers().map(tf.range).padded_batch(2, [None])
    numbers().window(3, shift=1, drop_remainder=True)
    numbers().window(3)
    numbers().shard(3, 1)
    numbers().take_while(lambda x: x < 3)
    numbers().unique()
    numbers().scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s))
    numbers().reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
    numbers().group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), window_size=4)
    numbers().bucket_by_sequence_length(lambda x: tf.cast(x, tf.int32), [3, 5], [2, 2, 2])
    numbers().ignore_errors()
    options = tf.data.Options()
    options.deterministic = True
    numbers().with_options(options)
    numbers().apply(tf.data.experimental.assert_cardinality(10))
    numbers().batch(2).rebatch(3)
    numbers().cardinality()
    data.choose_from_datasets([numbers(), numbers()], data.range(2))
    tf.data.TextLineDataset(['a', 'b'])
    tf.data.FixedLengthRecordDataset(['a'], 4, 1, 2)
    data.list_files('a*', shuffle=False)
    data.from_generator(lambda: iter([1]), tf.int32, [])
    tf.data.experimental.CsvDataset(['a'], [tf.float32, [1]])


def iterators():
    handle = tf.placeholder(tf.string, [], name='handle')
    tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    iterator.make_initializer(tf.data.Dataset.range(3))
    iterator.get_next()
    iterator.get_next()
