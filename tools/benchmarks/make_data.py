#!/usr/bin/env python3
"""Writes the synthetic input that the pipelines' graphs read, in the formats that the examples use: a
TFRecord file of 55,000 digits, 50,000 CIFAR-10 records (in one file and in five), 1,000 PNG and 1,000
JPEG pictures. The numbers are random, from a fixed seed. Needs TensorFlow (checksums, encoders).

usage: make_data.py OUTPUT_FOLDER
"""
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


def int64_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def write_digits(path, random):
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(55000):
            ink = random.rand(784) * 255 * (random.rand(784) < 0.2)
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                'size': int64_feature(784),
                'label': int64_feature(i % 10),
                'image_raw': bytes_feature(ink.astype(np.uint8).tobytes())})).SerializeToString())


def write_pictures(folder, random):
    rows, columns = np.mgrid[0:256, 0:256]
    for i in range(1000):
        waves = random.rand(3) * 0.1
        planes = [127 + 100 * np.sin(columns * waves[0] + c) * np.cos(rows * waves[1]) for c in range(3)]
        picture = np.stack(planes, -1) + random.randn(256, 256, 3) * 8
        picture = np.clip(picture, 0, 255).astype(np.uint8)
        with open(os.path.join(folder, 'jpg', '%05d.jpg' % i), 'wb') as out:
            out.write(tf.io.encode_jpeg(picture, quality=90).numpy())
        with open(os.path.join(folder, 'png', '%05d.png' % i), 'wb') as out:
            out.write(tf.io.encode_png(picture[:32, :32]).numpy())


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = sys.argv[1]
    for name in ('png', 'jpg', 'cifar10'):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    random = np.random.RandomState(0)
    write_digits(os.path.join(folder, 'output.tfrecord'), random)
    cifar = random.randint(0, 256, (50000, 3073)).astype(np.uint8)
    cifar[:, 0] %= 10  # labels
    cifar.tofile(os.path.join(folder, 'cifar.bin'))
    for i, batch in enumerate(np.split(cifar, 5)):
        batch.tofile(os.path.join(folder, 'cifar10', 'data_batch_%d.bin' % (i + 1)))
    write_pictures(folder, random)


if __name__ == '__main__':
    main()
