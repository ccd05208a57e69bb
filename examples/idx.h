// Reads IDX files, the format in which the MNIST digits are handed round: a magic number that names
// the element type and the number of dimensions, the dimensions, then the values, gzip-compressed
// or not.
//
// Ownership: what is read is returned by value. Thread safety: free functions without state.
// Errors: a file that cannot be opened gives the system's own code (NOT_FOUND, PERMISSION_DENIED,
// ...); one that is not IDX, ends early, goes on after its last value or is damaged gives
// DATA_LOSS; one that announces more than the caller's limit gives RESOURCE_EXHAUSTED; element
// types other than unsigned bytes give UNIMPLEMENTED. Each names the file. No memory is taken on
// the word of a header alone.
//
//   StatusOr<Digits> digits =
//       ReadDigits("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz");
//   if (!digits.ok()) return digits.status();
//   const uint8_t* first = digits->images.values.data();  // images.dims[1] x images.dims[2] pixels

#ifndef WARPBEAM_EXAMPLES_IDX_H_
#define WARPBEAM_EXAMPLES_IDX_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace examples {

// A dense row-major array of unsigned bytes.
struct IdxArray {
  std::vector<int64_t> dims;
  std::vector<uint8_t> values;
};

// The most values that ReadIdx accepts when nothing else is said: four times MNIST's largest file.
constexpr int64_t kDefaultMaxIdxValues = int64_t{1} << 28;

StatusOr<IdxArray> ReadIdx(absl::string_view path, int64_t max_values = kDefaultMaxIdxValues);

// Images [n, rows, columns] and the label of each.
struct Digits {
  IdxArray images;
  std::vector<uint8_t> labels;

  int64_t size() const { return images.dims[0]; }
  int64_t pixels_per_image() const { return images.dims[1] * images.dims[2]; }
};

// Reads a pair of files; INVALID_ARGUMENT when they do not belong together (ranks other than 3 and
// 1, different counts).
StatusOr<Digits> ReadDigits(absl::string_view images_path, absl::string_view labels_path);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_IDX_H_
