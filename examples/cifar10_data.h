// The CIFAR-10 images in their binary format, or images that stand in for them.
//
//   StatusOr<Cifar10Files> files = FindOrMakeCifar10("/tmp/cifar10_data");
//
// A file is a row of records: a byte with the label, then 32 times 32 red, green and blue values.
// Where a folder (or "cifar-10-batches-bin" in it, as the archive of CIFAR-10 makes it) has
// data_batch_1.bin, the files data_batch_*.bin there are taken. Otherwise five files are made that
// a small network can learn to tell apart: a colour and a pattern of stripes for each of the ten
// labels, with noise. They are the same each time.
//
// Ownership: values. Thread safety: free functions; several programs may make the same files at
// once. Errors: DATA_LOSS for a file that holds no whole number of records or a label above 9,
// naming it; what the system says where a folder cannot be written.
#ifndef WARPBEAM_EXAMPLES_CIFAR10_DATA_H_
#define WARPBEAM_EXAMPLES_CIFAR10_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {
namespace examples {

constexpr int kCifar10LabelBytes = 1;
constexpr int kCifar10Size = 32;  // height and width
constexpr int kCifar10Depth = 3;
constexpr int kCifar10ImageBytes = kCifar10Size * kCifar10Size * kCifar10Depth;
constexpr int kCifar10RecordBytes = kCifar10LabelBytes + kCifar10ImageBytes;

struct Cifar10Files {
  std::vector<std::string> paths;
  int64_t examples = 0;
  bool made = false;  // by an earlier call or this one
};

StatusOr<Cifar10Files> FindOrMakeCifar10(const std::string& folder);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_CIFAR10_DATA_H_
