// Borders that mirror a tensor, with (SYMMETRIC) or without (REFLECT) its edge: what MirrorPad and
// MirrorPadGrad share.
//
//   const auto [begin, end] = BordersOf(x.dim(axis), pads[axis], reflect);
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for borders wider than what they mirror.
#ifndef WARPBEAM_OPS_ARRAY_MIRROR_BORDERS_H_
#define WARPBEAM_OPS_ARRAY_MIRROR_BORDERS_H_

#include <string>
#include <utility>

#include "ops/array/paddings.h"
#include "ops/array/strided_copy.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

// One side of one dimension's border: `count` places, the one beside the tensor at position `to`;
// they mirror the places from position `from` on, which lie in the tensor.
struct Border {
  int64_t count, to, from;
};

// The borders of a dimension of inner extent `n`: beginning and end.
inline std::pair<Border, Border> BordersOf(int64_t n, Padding p, bool reflect) {
  const int64_t skip = reflect ? 1 : 0;
  return {{p.before, p.before - 1, p.before + skip},
          {p.after, p.before + n, p.before + n - 1 - skip}};
}

inline Status CheckBorder(int64_t n, Padding p, bool reflect) {
  const int64_t most = reflect ? n - 1 : n;
  if (p.before <= most && p.after <= most) return OkStatus();
  return InvalidArgument("paddings must not exceed ", reflect ? "the extent minus 1" : "the extent",
                         " (", most, "): ", p.before, ", ", p.after);
}

// Whether the attribute "mode" is REFLECT.
inline StatusOr<bool> Reflects(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(std::string mode, init.attr<std::string>("mode"));
  return mode == "REFLECT";
}

// The shape inside of `pads`, which are checked.
inline StatusOr<Shape> WithoutBorders(const Shape& padded, const Paddings& pads, bool reflect) {
  Dims extents;
  for (int i = 0; i < padded.rank(); ++i) {
    const Padding p = pads[static_cast<size_t>(i)];
    extents.push_back(padded.dim(i) - p.both());
    if (extents.back() < 0) {
      return InvalidArgument("paddings exceed the extent ", padded.dim(i), " of dimension ", i);
    }
    WB_RETURN_IF_ERROR(CheckBorder(extents.back(), p, reflect));
  }
  return Shape::Make(extents);
}

// All dimensions of a padded shape but `axis`, for going over its borders: the inner part of
// earlier dimensions, later ones with their borders.
inline CopyDims BorderSlab(const Shape& shape, const Paddings& pads, int axis, int64_t* offset) {
  const auto strides = RowMajorStrides(shape);
  CopyDims dims;
  *offset = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i == axis) continue;
    const Padding p = pads[static_cast<size_t>(i)];
    const int64_t stride = strides[static_cast<size_t>(i)];
    const bool inner = i < axis;
    dims.push_back({inner ? shape.dim(i) - p.both() : shape.dim(i), stride, stride});
    if (inner) *offset += p.before * stride;
  }
  return dims;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_MIRROR_BORDERS_H_
