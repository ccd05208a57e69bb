"""tf.image: colours, files, boxes, turns and sizes, measures of likeness."""
import numpy as np
import tensorflow.compat.v1 as tf
from write_values import Case, f32, i32

IM = tf.image


def unit(*shape):
    """Numbers from 0 to 1 without ties."""
    count = int(np.prod(shape))
    return f32((np.arange(count) * 37 % 101 + 1) / 103).reshape(shape)


RGB = unit(2, 4, 5, 3)
BYTES = (unit(6, 4, 3) * 255).astype(np.uint8)
ONE = unit(5, 7, 3)
BOXES = f32([[0, 0, 0.5, 0.5], [0, 0.05, 0.5, 0.55], [0.4, 0.4, 1, 1], [0.45, 0.4, 1, 0.95]])
SCORES = f32([0.6, 0.9, 0.75, 0.5])
WIDE = [unit(1, 13, 12, 2), f32(np.clip(unit(1, 13, 12, 2) + 0.1 * np.sin(np.arange(312)).reshape(1, 13, 12, 2), 0, 1))]


def big(seed):
    """Smooth, so that structures are alike at every scale."""
    y, x = np.mgrid[0:27, 0:25]
    return f32((np.sin(x / 9 + seed) + np.cos(y / 7 - seed) + 2) / 4)[None, :, :, None]


CASES = {
    'rgb_to_grayscale': Case(IM.rgb_to_grayscale, [RGB], nodes=False),
    'rgb_to_grayscale_bytes': Case(IM.rgb_to_grayscale, [BYTES], nodes=False),
    'grayscale_to_rgb': Case(IM.grayscale_to_rgb, [unit(2, 3, 1)], nodes=False),
    'rgb_to_hsv': Case(IM.rgb_to_hsv, [RGB], gradients=False),
    'hsv_to_rgb': Case(IM.hsv_to_rgb, [RGB], gradients=False),
    'rgb_to_yiq': Case(IM.rgb_to_yiq, [RGB], nodes=False),
    'yiq_to_rgb': Case(IM.yiq_to_rgb, [ONE], nodes=False),
    'rgb_to_yuv': Case(IM.rgb_to_yuv, [RGB], nodes=False),
    'yuv_to_rgb': Case(IM.yuv_to_rgb, [ONE], nodes=False),
    'adjust_gamma': Case(lambda x: IM.adjust_gamma(x, 2.2, 0.9), [RGB], nodes=False),
    'adjust_gamma_bytes': Case(lambda x: IM.adjust_gamma(x, 0.5), [BYTES], nodes=False),
    'png': Case(lambda x: IM.decode_png(IM.encode_png(x), 3), [BYTES]),
    'is_jpeg': Case(lambda x: IM.is_jpeg(IM.encode_png(x)), [BYTES]),
    'jpeg_shape': Case(lambda x: IM.extract_jpeg_shape(IM.encode_jpeg(x)), [BYTES]),
    'crop_and_resize': Case(lambda x, b: IM.crop_and_resize(x, b, [0, 1, 1, 0], [3, 2]), [RGB, BOXES], nodes=False),
    'extract_glimpse': Case(lambda x, o: IM.extract_glimpse(x, [2, 3], o), [RGB, f32([[0, 0.1], [0.2, -0.1]])],
                            gradients=False, nodes=False),
    'draw_bounding_boxes': Case(lambda x, b: IM.draw_bounding_boxes(x, b), [RGB, np.stack([BOXES, BOXES])], gradients=False),
    'non_max_suppression': Case(lambda b, s: IM.non_max_suppression(b, s, 3), [BOXES, SCORES]),
    'non_max_suppression_with_scores': Case(
        lambda b, s: list(IM.non_max_suppression_with_scores(b, s, 4, soft_nms_sigma=0.5)), [BOXES, SCORES], gradients=False),
    'non_max_suppression_padded': Case(
        lambda b, s: list(IM.non_max_suppression_padded(b, s, 3, pad_to_max_output_size=True)), [BOXES, SCORES],
        nodes=False),
    'non_max_suppression_overlaps': Case(
        lambda o, s: IM.non_max_suppression_overlaps(o, s, 3), [f32([[1, 0.6, 0, 0], [0.6, 1, 0, 0], [0, 0, 1, 0.4], [0, 0, 0.4, 1]]),
                                                                SCORES]),
    'combined_non_max_suppression': Case(
        lambda b, s: list(IM.combined_non_max_suppression(b, s, 2, 3)), [BOXES[None, :, None], SCORES[None, :, None]],
        gradients=False, nodes=False),
    'rot90': Case(lambda x: IM.rot90(x), [ONE], nodes=False),
    'rot90_thrice': Case(lambda x: IM.rot90(x, 3), [RGB], nodes=False),
    'rot90_twice': Case(lambda x, k: IM.rot90(x, k), [RGB, i32(-2)], nodes=False),
    'central_crop': Case(lambda x: IM.central_crop(x, 0.5), [ONE], nodes=False),
    'central_crop_batch': Case(lambda x: IM.central_crop(x, 0.7), [RGB], nodes=False),
    'resize_image_with_pad': Case(lambda x: IM.resize_image_with_pad(x, 6, 9), [ONE], nodes=False),
    'resize_image_with_pad_narrow': Case(lambda x: IM.resize_image_with_pad(x, 8, 3), [RGB], nodes=False),
    'resize_bilinear': Case(lambda x: IM.resize_bilinear(x, [3, 7], half_pixel_centers=True), [RGB]),
    'resize_nearest_neighbor': Case(lambda x: IM.resize_nearest_neighbor(x, [3, 7]), [RGB]),
    'resize_bicubic': Case(lambda x: IM.resize_bicubic(x, [3, 7], align_corners=True), [RGB]),
    'resize_area': Case(lambda x: IM.resize_area(x, [2, 3]), [RGB], gradients=False),
    'extract_image_patches': Case(
        lambda x: IM.extract_image_patches(x, [1, 2, 2, 1], [1, 1, 2, 1], [1, 2, 1, 1], 'VALID'), [RGB]),
    'psnr': Case(lambda a, b: IM.psnr(a, b, 1.0), WIDE, nodes=False),
    'psnr_bytes': Case(lambda a, b: IM.psnr(a, b, 255), [BYTES, BYTES[::-1]], nodes=False),
    'ssim': Case(lambda a, b: IM.ssim(a, b, 1.0), WIDE, nodes=False),
    'ssim_small': Case(lambda a, b: IM.ssim(a, b, 1.0, 3, 0.8, 0.02, 0.05), [ONE, ONE * ONE], nodes=False),
    'ssim_multiscale': Case(lambda a, b: IM.ssim_multiscale(a, b, 1.0, [0.3, 0.7]), [big(0), big(0.3)], gradients=False, nodes=False),
    'total_variation': Case(IM.total_variation, [RGB], nodes=False),
    'total_variation_single': Case(IM.total_variation, [ONE], nodes=False),
    'image_gradients': Case(lambda x: list(IM.image_gradients(x)), [RGB], nodes=False),
    'sobel_edges': Case(IM.sobel_edges, [RGB], nodes=False),
}
