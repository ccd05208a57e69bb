"""Strings: tf.strings and what tf has of it."""
import tensorflow.compat.v1 as tf
from write_values import Case, f32, i32, i64, strings

S = strings([b'Hello World', b' tf \n', b''])
U = strings(['h\u00e9llo'.encode(), b'\xf0\x9f\x98\x8a!'])
CASES = {
    'as_string': Case(tf.as_string, [i32([1, -20, 3])]),
    'as_string_float': Case(lambda x: tf.as_string(x, precision=2, width=8, fill='0'), [f32([1.234, -20.5])], gradients=False),
    'bytes_split': Case(lambda x: (lambda r: [r.values, r.row_splits])(tf.strings.bytes_split(x)), [strings([b'ab', b'', b'c'])],
                        nodes=False),
    'format': Case(lambda x: tf.strings.format('x is {}!', x), [i32([1, 2])], nodes=False),
    'join': Case(lambda a, b: tf.strings.join([a, b], separator='-'), [strings([b'a', b'b']), strings([b'c', b'd'])]),
    'length': Case(lambda x: tf.strings.length(x), [S]),
    'length_chars': Case(lambda x: tf.strings.length(x, unit='UTF8_CHAR'), [U]),
    'lower': Case(tf.strings.lower, [S]),
    'upper': Case(tf.strings.upper, [S]),
    'strip': Case(tf.strings.strip, [S]),
    'ngrams': Case(lambda x: tf.strings.ngrams(x, 2, separator=' '), [strings([b'a', b'b', b'c'])], nodes=False),
    'reduce_join': Case(lambda x: tf.reduce_join(x, 0, separator='+'), [strings([[b'a', b'b'], [b'c', b'd']])], nodes=False),
    'reduce_join_all': Case(lambda x: tf.reduce_join(x), [strings([[b'a', b'b'], [b'c', b'd']])], nodes=False),
    'regex_full_match': Case(lambda x: tf.strings.regex_full_match(x, 'H.*d'), [S], nodes=False),
    'regex_replace': Case(lambda x: tf.regex_replace(x, 'l+', 'L', replace_global=False), [S], nodes=False),
    'string_split': Case(tf.string_split, [strings([b'hello world', b'a b c'])], nodes=False),
    'string_split_comma': Case(lambda x: tf.string_split(x, ',', skip_empty=False), [strings([b'a,,b', b'c'])], nodes=False),
    'split': Case(lambda x: tf.strings.split(x), [strings([b'hello world', b' a b  c'])], nodes=False),
    'split_comma': Case(lambda x: tf.strings.split(x, sep=',', maxsplit=1), [strings([b'a,b,c', b'd'])], nodes=False),
    'substr': Case(lambda x: tf.substr(x, 1, 3), [strings([b'hello', b'world'])], nodes=False),
    'to_hash_bucket': Case(lambda x: tf.string_to_hash_bucket(x, 10), [S]),
    'to_hash_bucket_fast': Case(lambda x: tf.string_to_hash_bucket_fast(x, 10), [S]),
    'to_hash_bucket_strong': Case(lambda x: tf.string_to_hash_bucket_strong(x, 10, [1, 2]), [S]),
    'to_number': Case(lambda x: tf.string_to_number(x), [strings([b'1.5', b'-2'])]),
    'unicode_decode': Case(lambda x: (lambda r: [r.values, r.row_splits])(tf.strings.unicode_decode(x, 'UTF-8')), [U], nodes=False),
    'unicode_decode_with_offsets': Case(
        lambda x: (lambda r: [r[0].values, r[0].row_splits, r[1].values])(tf.strings.unicode_decode_with_offsets(x, 'UTF-8')),
        [U], nodes=False),
    'unicode_encode': Case(lambda x: tf.strings.unicode_encode(x, 'UTF-8'), [i32([[104, 233], [33, 128522]])], nodes=False),
    'unicode_script': Case(tf.strings.unicode_script, [i32([1, 31, 38, 233])]),
    'unicode_split': Case(lambda x: (lambda r: [r.values, r.row_splits])(tf.strings.unicode_split(x, 'UTF-8')), [U], nodes=False),
    'unicode_split_with_offsets': Case(
        lambda x: (lambda r: [r[0].values, r[0].row_splits, r[1].values])(tf.strings.unicode_split_with_offsets(x, 'UTF-8')),
        [U], nodes=False),
    'unicode_transcode': Case(lambda x: tf.strings.unicode_transcode(x, 'UTF-8', 'UTF-16-BE'), [U]),
    'unsorted_segment_join': Case(lambda x, i: tf.strings.unsorted_segment_join(x, i, 3, separator=':'),
                                  [strings([b'a', b'b', b'c']), i32([0, 2, 0])]),
    'encode_base64': Case(lambda x: tf.encode_base64(x), [S]),
    'decode_base64': Case(tf.decode_base64, [strings([b'SGVsbG8'])]),
    'decode_compressed': Case(lambda x: tf.decode_compressed(x), [S], nodes=False),
    'edit_distance': Case(
        lambda a, b: tf.edit_distance(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], a, [2, 2]),
                                      tf.SparseTensor([[0, 0], [1, 0], [1, 1]], b, [2, 2])),
        [strings([b'a', b'b', b'c']), strings([b'a', b'c', b'd'])], nodes=False, gradients=False),
    'fingerprint': Case(tf.fingerprint, [strings([b'a', b'bc'])], nodes=False),
}
