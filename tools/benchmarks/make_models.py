#!/usr/bin/env python3
"""Writes the SavedModel whose loading is measured: Keras' ResNet-50 with random weights, as TensorFlow 2 saves it
for serving. Needs TensorFlow and Keras; takes a minute.

usage: make_models.py OUTPUT_FOLDER
"""
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
import tensorflow as tf  # noqa: E402


def write_resnet(folder):
    tf.keras.utils.set_random_seed(7)
    model = tf.keras.applications.ResNet50(weights=None)

    @tf.function(input_signature=[tf.TensorSpec([None, 224, 224, 3], tf.float32, name='x')])
    def serve(x):
        return {'y': model(x, training=False)}

    # Keras' variables wrap TensorFlow's, which are what a module saves.
    module = tf.Module()
    module.weights = [variable.value for variable in model.variables]
    tf.saved_model.save(module, folder, signatures={'serving_default': serve})


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    write_resnet(os.path.join(sys.argv[1], 'resnet50'))


if __name__ == '__main__':
    main()
