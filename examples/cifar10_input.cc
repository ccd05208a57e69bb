#include "examples/cifar10_input.h"

#include <algorithm>
#include <vector>

#include "frontend/ops/array_ops.h"
#include "frontend/ops/io_ops.h"
#include "frontend/warpbeam.h"

namespace warpbeam {
namespace examples {
namespace {

namespace wb = warpbeam::frontend;

struct Cifar10Record {
  wb::Output uint8image;  // [height, width, depth]
  wb::Output label;       // int32 [1]
};

Cifar10Record ReadCifar10(const wb::Scope& scope, const wb::Output& filename_queue) {
  wb::Output reader = wb::ops::FixedLengthRecordReaderV2(scope, kCifar10RecordBytes);
  auto [key, value] = wb::ops::ReaderReadV2(scope, reader, filename_queue);
  wb::Output record_bytes = wb::DecodeRaw(scope, value, wb::DType::kUInt8);

  // The first byte is the label.
  wb::Output label =
      wb::Cast(scope, wb::ops::StridedSlice(scope, record_bytes, {0}, {kCifar10LabelBytes}, {1}),
               wb::DType::kInt32);
  // The others are the image, [depth, height, width].
  wb::Output depth_major = wb::Reshape(
      scope,
      wb::ops::StridedSlice(scope, record_bytes, {kCifar10LabelBytes}, {kCifar10RecordBytes}, {1}),
      {kCifar10Depth, kCifar10Size, kCifar10Size});
  wb::Output uint8image = wb::Transpose(scope, depth_major, {1, 2, 0});
  return {uint8image, label};
}

}  // namespace

Cifar10Batch DistortedInputs(const wb::Scope& scope, const Cifar10Files& files, int64_t batch_size,
                             int64_t height, int64_t width) {
  wb::Output filename_queue = wb::train::StringInputProducer(scope, files.paths);

  const wb::Scope augmentation = scope.NameScope("data_augmentation");
  const Cifar10Record read_input = ReadCifar10(augmentation, filename_queue);
  wb::Output image = wb::Cast(augmentation, read_input.uint8image, wb::DType::kFloat);

  // A part of the image, perhaps mirrored, brighter or darker, with more or less contrast.
  const int side_height = static_cast<int>(height), side_width = static_cast<int>(width);
  image = wb::RandomCrop(augmentation, image, {side_height, side_width, kCifar10Depth});
  image = wb::image::RandomFlipLeftRight(augmentation, image);
  image = wb::image::RandomBrightness(augmentation, image, /*max_delta=*/63);
  image = wb::image::RandomContrast(augmentation, image, /*lower=*/0.2, /*upper=*/1.8);
  // Mean 0, variance 1.
  image = wb::image::PerImageStandardization(augmentation, image);
  if (!scope.ok()) return Cifar10Batch();
  image.set_shape({height, width, kCifar10Depth});
  read_input.label.set_shape({1});

  // Enough examples in the queue that their order is random.
  const int64_t min_queue_examples = std::min<int64_t>(20000, files.examples * 4 / 10);
  std::vector<wb::Output> batch =
      wb::train::ShuffleBatch(scope, {image, read_input.label}, batch_size,
                              wb::train::BatchOptions()
                                  .num_threads(4)
                                  .capacity(min_queue_examples + 3 * batch_size)
                                  .min_after_dequeue(min_queue_examples));
  if (!scope.ok()) return Cifar10Batch();
  wb::summary::Image(scope, "images", batch[0]);
  return {batch[0], wb::Reshape(scope, batch[1], std::vector<int64_t>{batch_size})};
}

}  // namespace examples
}  // namespace warpbeam
