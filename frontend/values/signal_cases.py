"""Signals: tf.signal and what tf has of it."""
import tensorflow.compat.v1 as tf
from write_values import Case, c64, f32, i32, i64

X = f32([0.3, -1, 2, 0.5, 1, -0.25, 0.75, 1.5])
M = f32([[0.3, -1, 2, 0.5], [1, -0.25, 0.75, 1.5]])
Z = c64([1 + 2j, -0.5 + 0.25j, 3 - 1j, 0.5])
ZM = c64([[1 + 2j, -0.5 + 0.25j], [3 - 1j, 0.5]])
ZV = c64([[[1 + 2j, -0.5 + 0.25j], [3 - 1j, 0.5]], [[1, 2], [3j, 4]]])
V = f32([[[1, 2], [3, 4]], [[5, 6], [7, 9]]])

CASES = {
    'fft': Case(tf.signal.fft, [Z]),
    'ifft': Case(tf.signal.ifft, [Z]),
    'fft2d': Case(tf.signal.fft2d, [ZM]),
    'ifft2d': Case(tf.signal.ifft2d, [ZM]),
    'fft3d': Case(tf.signal.fft3d, [ZV]),
    'ifft3d': Case(tf.signal.ifft3d, [ZV]),
    'rfft': Case(tf.signal.rfft, [X], nodes=False),
    'rfft_length': Case(lambda x: tf.signal.rfft(x, [6]), [X], nodes=False, gradients=False),
    'irfft': Case(tf.signal.irfft, [Z], nodes=False),
    'rfft2d': Case(tf.signal.rfft2d, [M], nodes=False),
    'irfft2d': Case(tf.signal.irfft2d, [ZM], nodes=False),
    'rfft3d': Case(tf.signal.rfft3d, [V], nodes=False, gradients=False),
    'irfft3d': Case(tf.signal.irfft3d, [ZV], nodes=False, gradients=False),
    'fftshift': Case(tf.signal.fftshift, [M], nodes=False),
    'ifftshift': Case(lambda x: tf.signal.ifftshift(x, axes=1), [M], nodes=False),
    'dct1': Case(lambda x: tf.signal.dct(x, type=1), [M], nodes=False),
    'dct2': Case(tf.signal.dct, [M], nodes=False),
    'dct2_ortho': Case(lambda x: tf.signal.dct(x, n=6, norm='ortho'), [M], nodes=False),
    'dct3': Case(lambda x: tf.signal.dct(x, type=3), [M], nodes=False),
    'dct3_ortho': Case(lambda x: tf.signal.dct(x, type=3, norm='ortho'), [M], nodes=False),
    'dct4': Case(lambda x: tf.signal.dct(x, type=4), [M], nodes=False),
    'dct4_ortho': Case(lambda x: tf.signal.dct(x, type=4, norm='ortho'), [M], nodes=False),
    'idct': Case(tf.signal.idct, [M], nodes=False),
    'idct_ortho': Case(lambda x: tf.signal.idct(x, norm='ortho'), [M], nodes=False),
    'frame': Case(lambda x: tf.signal.frame(x, 4, 3), [X], nodes=False),
    'frame_pad': Case(lambda x: tf.signal.frame(x, 4, 3, pad_end=True, pad_value=9.0), [X], nodes=False),
    'overlap_and_add': Case(lambda x: tf.signal.overlap_and_add(x, 3), [M], nodes=False),
    'hann_window': Case(lambda: tf.signal.hann_window(5), [], nodes=False),
    'hann_window_even': Case(lambda: tf.signal.hann_window(6, periodic=True), [], nodes=False),
    'hamming_window': Case(lambda: tf.signal.hamming_window(6, periodic=False), [], nodes=False),
    'kaiser_window': Case(lambda: tf.signal.kaiser_window(6, 8.0), [], nodes=False),
    'kaiser_bessel_derived_window': Case(lambda: tf.signal.kaiser_bessel_derived_window(6, 8.0), [], nodes=False),
    'vorbis_window': Case(lambda: tf.signal.vorbis_window(6), [], nodes=False),
    'stft': Case(lambda x: tf.signal.stft(x, 4, 2), [X], nodes=False),
    'stft_length': Case(lambda x: tf.signal.stft(x, 4, 2, fft_length=8, window_fn=None, pad_end=True), [X], nodes=False),
    'inverse_stft': Case(lambda z: tf.signal.inverse_stft(z, 4, 2), [c64([[1 + 1j, 2, 3], [0.5, 1j, 2 - 1j]])], nodes=False),
    'inverse_stft_window_fn': Case(lambda: tf.signal.inverse_stft_window_fn(2)(4, tf.float32), [], nodes=False),
    'linear_to_mel_weight_matrix': Case(lambda: tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 125.0, 3800.0), [], nodes=False),
    'mfccs_from_log_mel_spectrograms': Case(tf.signal.mfccs_from_log_mel_spectrograms, [M], nodes=False),
    'mdct': Case(lambda x: tf.signal.mdct(x, 4), [X], nodes=False),
    'inverse_mdct': Case(lambda x: tf.signal.inverse_mdct(x), [f32([[1, 2], [3, 4], [5, 6]])], nodes=False),
}
