// TensorSlice: a hyper-rectangle of a tensor, as checkpoints of partitioned variables name it.
//
// In text, "-:0,2" is all of the first dimension and two indices of the second from 0 on. A
// checkpoint op's shape_and_slice is the whole tensor's extents with a slice behind them, "4 3
// -:0,2", or empty for a whole tensor.
//
//   WB_ASSIGN_OR_RETURN(ShapeAndSlice part, ShapeAndSlice::Parse("4 3 -:0,2"));
//   part.full == Shape({4, 3});  part.shape == Shape({4, 2});
//
// Thread safety: values. Errors: INVALID_ARGUMENT for text that is no slice, INTERNAL (TensorFlow's
// code) for extents that leave the tensor.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_TENSOR_SLICE_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_TENSOR_SLICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/types/tensor.h"

namespace warpbeam {

class TensorSlice {
 public:
  static constexpr int64_t kWhole = -1;
  struct Extent {
    int64_t start = 0;
    int64_t length = kWhole;
    bool is_whole() const { return length == kWhole; }
  };

  TensorSlice() = default;
  explicit TensorSlice(std::vector<Extent> extents) : extents_(std::move(extents)) {}
  static TensorSlice Whole(int rank) { return TensorSlice(std::vector<Extent>(rank)); }
  static StatusOr<TensorSlice> Parse(absl::string_view text);

  int rank() const { return static_cast<int>(extents_.size()); }
  const std::vector<Extent>& extents() const { return extents_; }
  std::string ToString() const;

  // Whether it is all of a tensor of shape `full`.
  bool Covers(const Shape& full) const;
  // The shape of this part of a tensor of shape `full`.
  StatusOr<Shape> ShapeIn(const Shape& full) const;
  // The same with every extent written out.
  TensorSlice Within(const Shape& full) const;

  friend bool operator==(const TensorSlice& a, const TensorSlice& b) {
    return a.ToString() == b.ToString();
  }

 private:
  std::vector<Extent> extents_;
};

// What a checkpoint op's shape_and_slice says of one tensor.
struct ShapeAndSlice {
  bool is_given = false;  // empty text: the whole tensor, of whatever shape
  Shape full;
  TensorSlice slice;
  Shape shape;  // of the slice

  static StatusOr<ShapeAndSlice> Parse(absl::string_view text);
};

// How many elements two slices of a tensor of shape `full` share.
int64_t CountShared(const TensorSlice& a, const TensorSlice& b, const Shape& full);

// Copies the elements that both slices hold. `from` is the part `from_slice` of a tensor of shape
// `full`, `to` the part `to_slice`; both are of one dtype.
void CopyShared(const Shape& full, const TensorSlice& from_slice, const Tensor& from,
                const TensorSlice& to_slice, Tensor* to);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_TENSOR_SLICE_H_
