"""Writes functional_effects.pbtxt, functional_second.pbtxt, functional_inside.pbtxt and prints what tf.gradients says of
them: python functional_graphs.py FOLDER (TensorFlow 2.21)."""
import sys

import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
v1.enable_control_flow_v2()


def write(graph, name):
    text = str(graph.as_graph_def())
    with open(f"{sys.argv[1]}/{name}.pbtxt", "w") as f:
        f.write(text)


def effects():
    """Every y is x times random numbers, so that x * dy/dx = y where both saw the same ones."""
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.5, -0.5], tf.float64, name="x")
        p = tf.constant(True, name="p")
        i = tf.constant(1, name="i")
        count = v1.get_variable("count", initializer=tf.constant(0, tf.int64), use_resource=True)
        tf.identity(count, name="count_now")

        def random():
            return tf.random.uniform([2], 0.5, 1.5, tf.float64)

        @tf.function
        def dropout(a):
            return a * tf.floor(random() + 0.25) * 2.0

        def counted(n, a):
            with tf.control_dependencies([count.assign_add(1)]):
                return n + 1, a * random()

        def branches(n, a):
            def odd():
                b, c = random(), random()
                return a * b * c
            a = tf.cond(tf.equal(n % 2, 1), odd, lambda: a * random() * 1.25)
            return n + 1, a

        def outer(n, a):
            _, a = tf.while_loop(lambda m, _: m < n + 1, branches, [0, a])
            return n + 1, a * random()

        tf.identity(dropout(x), name="y_call")
        tf.identity(tf.cond(p, lambda: x * random(), lambda: x * random() * random()), name="y_if")
        tf.identity(tf.switch_case(i, [lambda: x, lambda: x * random(), lambda: 2 * x * random()]),
                    name="y_case")
        tf.identity(tf.while_loop(lambda n, _: n < 5, counted, [0, x])[1], name="y_while")
        tf.identity(tf.while_loop(lambda n, _: n < 5, counted, [0, x], parallel_iterations=1)[1],
                    name="y_serial")
        tf.identity(tf.while_loop(lambda n, _: n < 4, branches, [0, x])[1], name="y_branches")
        tf.identity(tf.while_loop(lambda n, _: n < 3, outer, [0, x])[1], name="y_nested")
        write(graph, "functional_effects")


def second():
    with tf.Graph().as_default() as graph:
        x = tf.constant([0.7, -0.4], tf.float64, name="x")
        p = tf.constant(True, name="p")
        w = tf.constant(1.3, tf.float64, name="w")

        @tf.function
        def smooth(a):
            return tf.sin(a) * tf.tanh(a * w)

        def step(n, a):
            return n + 1, tf.sin(a) * a * w + 0.1 * a

        def branching(n, a):
            a = tf.cond(tf.equal(n % 2, 1), lambda: tf.tanh(a) * w, lambda: a * a + 0.5 * a)
            return n + 1, a

        def rows(n, a, rows):
            a = tf.sin(a) * w
            return n + 1, a, rows.write(n, a * a)

        def outer(n, a):
            return n + 1, tf.while_loop(lambda m, _: m < 2, step, [0, a])[1] * tf.tanh(a)

        array = tf.TensorArray(tf.float64, 3, element_shape=[2])
        ys = {
            "y_call": smooth(x),
            "y_if": tf.cond(p, lambda: tf.sin(x) * x * w, lambda: tf.tanh(x)),
            "y_while": tf.while_loop(lambda n, _: n < 3, step, [0, x])[1],
            "y_branches": tf.while_loop(lambda n, _: n < 4, branching, [0, x])[1],
            "y_rows": tf.while_loop(lambda n, *_: n < 3, rows, [0, x, array])[2].stack() * x,
            "y_nested": tf.while_loop(lambda n, _: n < 2, outer, [0, x])[1],
        }
        for name, y in ys.items():
            tf.reduce_sum(y, name=name)
        write(graph, "functional_second")
        figures = {}
        for name in ys:
            y = graph.get_tensor_by_name(name + ":0")
            dx, dw = tf.gradients(y, [x, w])
            dxx = None if dx is None else tf.gradients(dx, x)[0]
            figures[name] = [v for v in (y, dx, dw, dxx) if v is not None]
            if name in ("y_call", "y_if", "y_while"):
                figures[name].append(tf.gradients(dxx, x)[0])
        # TensorFlow changes nodes that have run already only in a session that is made anew.
        with v1.Session() as session:
            for name, values in figures.items():
                print(name, [v.tolist() for v in session.run(values)])


def inside():
    """A call, an If and a While inside of a v1 loop."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        x = tf.constant(0.7, tf.float64, name="x")
        w = tf.constant(1.3, tf.float64, name="w")

        @tf.function
        def smooth(a):
            return tf.sin(a) * tf.tanh(a)

        @tf.function
        def fewer(n, a):
            return n < 3

        @tf.function
        def step(n, a):
            return n + 1, tf.sin(a) * a + 0.1 * a

        @tf.function
        def noisy(a):
            return a * tf.random.uniform([], 0.5, 1.5, tf.float64)

        def rising(a):
            return tf.sin(a) * a

        def falling(a):
            return tf.exp(-a) * a

        types = [tf.int32, tf.float64]
        branches = [tf.function(f).get_concrete_function(tf.TensorSpec([], tf.float64))
                    for f in (rising, falling)]
        spec = [tf.TensorSpec([], t) for t in types]
        cond, body = (f.get_concrete_function(*spec) for f in (fewer, step))
        for f in branches + [cond, body]:
            f.add_to_graph(graph)

        def iteration(n, a):
            a = smooth(a) + a
            (a,) = tf.raw_ops.StatelessIf(cond=n < 1, input=[a], Tout=[tf.float64],
                                          then_branch=branches[0], else_branch=branches[1])
            _, a = tf.raw_ops.StatelessWhile(input=[0, a], cond=cond, body=body)
            a.set_shape([])
            return n + 1, a * w

        tf.identity(v1.while_loop(lambda n, _: n < 2, iteration, [0, x])[1], name="y")
        tf.identity(v1.while_loop(lambda n, _: n < 3, lambda n, a: (n + 1, noisy(a)), [0, x])[1],
                    name="y_noisy")
        write(graph, "functional_inside")


effects()
second()
inside()
