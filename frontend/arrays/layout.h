// Functions on shape, order and blocks of tensors, beside those of frontend/array.h (tf.tile,
// tf.pad, tf.strided_slice, tf.meshgrid, tf.sequence_mask, tf.space_to_batch…).
//
//   Output last = StridedSlice(scope, x, {-1}, {1}, {1}, StridedSliceOptions().end_mask(1));
//   Output padded = Pad(scope, x, paddings, PadMode::kReflect);      // {{1, 1}, {0, 2}}
//   std::vector<Output> grid = Meshgrid(scope, {rows, columns});
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; what only the step
// knows fails there.
#ifndef WARPBEAM_FRONTEND_ARRAYS_LAYOUT_H_
#define WARPBEAM_FRONTEND_ARRAYS_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

Output PlaceholderWithDefault(ScopeRef scope, const Input& x, const PartialShape& shape);
OutputList IdentityN(ScopeRef scope, const InputList& x);
// x, through which no gradient flows.
Output StopGradient(ScopeRef scope, const Input& x);
// x, which never changes from step to step.
Output GuaranteeConst(ScopeRef scope, const Input& x);
Output Bitcast(ScopeRef scope, const Input& x, DType dtype);

// A tensor of `value`.
Output Fill(ScopeRef scope, const Input& dims, const Input& value);
Output BroadcastTo(ScopeRef scope, const Input& x, const Input& shape);
// The shape that tensors of the two shapes broadcast to.
Output BroadcastDynamicShape(ScopeRef scope, const Input& shape_x, const Input& shape_y);
StatusOr<PartialShape> BroadcastStaticShape(const PartialShape& x, const PartialShape& y);
// x, with what `shape` says of its shape; the step fails where it has another one.
Output EnsureShape(ScopeRef scope, const Input& x, const PartialShape& shape);
// How many elements there are; the shapes of several tensors.
Output Size(ScopeRef scope, const Output& x, DType dtype = DType::kInt32);
OutputList ShapeN(ScopeRef scope, const InputList& x, DType dtype = DType::kInt32);

// Without the dimensions of one element, all or those of `axes`.
Output Squeeze(ScopeRef scope, const Input& x, const std::vector<int64_t>& axes = {});
Output Tile(ScopeRef scope, const Input& x, const Input& multiples);
// Each element `repeats` times (a number, or one for each along `axis`); without an axis, of x as
// one list.
Output Repeat(ScopeRef scope, const Output& x, const Input& repeats,
              std::optional<int> axis = std::nullopt);
enum class PadMode { kConstant, kReflect, kSymmetric };
// `paddings` are how many elements stand before and behind each dimension; by default zeros.
Output Pad(ScopeRef scope, const Input& x, const Input& paddings, PadMode mode = PadMode::kConstant,
           const std::optional<Input>& constant_value = std::nullopt);
Output Reverse(ScopeRef scope, const Input& x, const Input& axis);
// The first seq_lengths[i] elements of row i along `seq_axis` in reverse.
Output ReverseSequence(ScopeRef scope, const Input& x, const Input& seq_lengths, int seq_axis,
                       int batch_axis = 0);
Output Roll(ScopeRef scope, const Input& x, const Input& shift, const Input& axis);

Output Slice(ScopeRef scope, const Input& x, const Input& begin, const Input& size);
struct StridedSliceOptions {
  StridedSliceOptions& begin_mask(int value) { return begin = value, *this; }
  StridedSliceOptions& end_mask(int value) { return end = value, *this; }
  StridedSliceOptions& ellipsis_mask(int value) { return ellipsis = value, *this; }
  StridedSliceOptions& new_axis_mask(int value) { return new_axis = value, *this; }
  StridedSliceOptions& shrink_axis_mask(int value) { return shrink_axis = value, *this; }

  int begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
};
Output StridedSlice(ScopeRef scope, const Input& x, const Input& begin, const Input& end,
                    const Input& strides,
                    const StridedSliceOptions& options = StridedSliceOptions());

// The slices along `axis`, without that dimension. `count` is needed where the shape is not known.
OutputList Unstack(ScopeRef scope, const Output& x, int count = -1, int axis = 0);
// Tensors of one known shape, which are put side by side as each is ready.
Output ParallelStack(ScopeRef scope, const std::vector<Output>& values);

// Numbers from `start` below `limit`.
Output Range(ScopeRef scope, const Input& limit);
Output Range(ScopeRef scope, const Input& start, const Input& limit, const Input& delta = 1);
// `count` numbers from `start` to `stop`, both of which are among them.
Output LinSpace(ScopeRef scope, const Input& start, const Input& stop, const Input& count);
enum class Indexing { kXY, kIJ };
// Of lists, the tensors of each one's value at every point of the grid. With kXY the first two
// dimensions change places.
OutputList Meshgrid(ScopeRef scope, const std::vector<Output>& lists,
                    Indexing indexing = Indexing::kXY);
struct OneHotOptions {
  OneHotOptions& on_value(Input value) { return on = std::move(value), *this; }
  OneHotOptions& off_value(Input value) { return off = std::move(value), *this; }
  // Where the new dimension is; -1: the last.
  OneHotOptions& axis(int value) { return new_axis = value, *this; }
  OneHotOptions& dtype(DType value) { return wanted = value, *this; }

  std::optional<Input> on, off;  // 1 and 0
  int new_axis = -1;
  DType wanted = DType::kInvalid;  // that of the values; float where these are numbers
};
// OneHot of frontend/array.h with a `depth` that may be a tensor and values of its own.
Output OneHot(ScopeRef scope, const Input& indices, const Input& depth,
              const OneHotOptions& options);
// Whether column j is among the first lengths[i]; by default as many columns as the greatest
// length.
Output SequenceMask(ScopeRef scope, const Output& lengths,
                    const std::optional<Input>& maxlen = std::nullopt, DType dtype = DType::kBool);

Output SpaceToBatch(ScopeRef scope, const Input& x, const Input& paddings, int64_t block_size);
Output SpaceToBatchND(ScopeRef scope, const Input& x, const Input& block_shape,
                      const Input& paddings);
Output BatchToSpace(ScopeRef scope, const Input& x, const Input& crops, int64_t block_size);
Output BatchToSpaceND(ScopeRef scope, const Input& x, const Input& block_shape, const Input& crops);
Output SpaceToDepth(ScopeRef scope, const Input& x, int64_t block_size,
                    const std::string& data_format = "NHWC");
Output DepthToSpace(ScopeRef scope, const Input& x, int64_t block_size,
                    const std::string& data_format = "NHWC");
struct PaddingsAndCrops {
  Output paddings;
  Output crops;
};
// What makes blocks of `block_shape` fit `input_shape`, with at least `base_paddings` (none by
// default).
PaddingsAndCrops RequiredSpaceToBatchPaddings(
    ScopeRef scope, const std::vector<int32_t>& input_shape,
    const std::vector<int32_t>& block_shape,
    const std::vector<std::vector<int32_t>>& base_paddings = {});

// Windows of volumes [batch, depth, rows, columns, channels], each as the channels of one element;
// those of images are in frontend/image/geometry.h.
Output ExtractVolumePatches(ScopeRef scope, const Input& x, const std::vector<int64_t>& sizes,
                            const std::vector<int64_t>& strides, const std::string& padding);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_ARRAYS_LAYOUT_H_
