#include "ops/array/strided_slice_spec.h"

#include <algorithm>

namespace warpbeam {
namespace {

constexpr int kShrink = -1, kNewAxis = -2;

// One index expression per dimension of the input, before bounds are resolved.
struct Dense {
  struct Index {
    int64_t begin = 0, end = 0, stride = 1;
    bool no_begin = true, no_end = true, shrink = false;
  };
  std::vector<Index> dims;
  // What makes up the output's dimensions in order: a dimension's number, kShrink or kNewAxis.
  std::vector<int> gather;
  bool begin_known = true, end_known = true;
};

bool Bit(uint64_t mask, size_t i) { return i < 64 && ((mask >> i) & 1) != 0; }

StatusOr<Dense> MakeDense(const SliceMasks& masks, const std::optional<Dims>& begin,
                          const std::optional<Dims>& end, const Dims& strides, int rank) {
  const size_t count = strides.size();
  size_t ellipsis = count;
  int new_axes_after = 0;
  for (size_t i = 0; i < count; ++i) {
    if (ellipsis < count && Bit(masks.new_axis, i)) ++new_axes_after;
    if (Bit(masks.ellipsis, i)) {
      if (ellipsis < count) return InvalidArgument("Multiple ellipses in slice spec not allowed");
      ellipsis = i;
    }
  }
  Dense dense;
  dense.begin_known = begin.has_value();
  dense.end_known = end.has_value();
  dense.dims.resize(static_cast<size_t>(rank));
  // Without an ellipsis there is one at the end.
  const int total = static_cast<int>(count) + (ellipsis == count ? 1 : 0);
  int at = 0;
  for (int i = 0; i < total; ++i) {
    const size_t s = static_cast<size_t>(i);
    if (s == ellipsis) {
      const int next = std::min(rank - (total - i) + 1 + new_axes_after, rank);
      for (; at < next; ++at) dense.gather.push_back(at);
    } else if (Bit(masks.new_axis, s)) {
      dense.gather.push_back(kNewAxis);
    } else {
      if (at >= rank) {
        return InvalidArgument("Index out of range using input dim ", at, "; input has only ", rank,
                               " dims");
      }
      Dense::Index& d = dense.dims[static_cast<size_t>(at)];
      if (begin) d.begin = (*begin)[s];
      if (end) d.end = (*end)[s];
      d.stride = strides[s];
      d.no_begin = Bit(masks.begin, s);
      d.no_end = Bit(masks.end, s);
      d.shrink = Bit(masks.shrink_axis, s);
      dense.gather.push_back(d.shrink ? kShrink : at);
      ++at;
    }
  }
  return dense;
}

// Resolves one dimension of a known extent.
StatusOr<SliceSpec::Range> Resolve(const Dense& dense, size_t i, int64_t extent) {
  const Dense::Index& d = dense.dims[i];
  const int64_t low = d.stride > 0 ? 0 : -1;
  const int64_t high = d.stride > 0 ? extent : extent - 1;
  auto bound = [&](int64_t x) { return std::clamp(x < 0 ? x + extent : x, low, high); };
  SliceSpec::Range r{0, d.stride, -1};
  if (d.shrink) {
    if (!dense.begin_known) return SliceSpec::Range{0, 1, 1};
    r.begin = d.begin < 0 ? d.begin + extent : d.begin;
    if (r.begin < 0 || r.begin >= extent) {
      return InvalidArgument("slice index ", d.begin, " of dimension ", i, " out of bounds");
    }
    r.size = 1;
    return r;
  }
  if (!(dense.begin_known || d.no_begin) || !(dense.end_known || d.no_end)) return r;
  r.begin = d.no_begin ? (d.stride > 0 ? low : high) : bound(d.begin);
  const int64_t end = d.no_end ? (d.stride > 0 ? high : low) : bound(d.end);
  const int64_t length = end - r.begin;
  if (length == 0 || (length < 0) != (d.stride < 0)) {
    r.size = 0;
  } else {
    r.size = length / d.stride + (length % d.stride != 0 ? 1 : 0);
  }
  return r;
}

}  // namespace

StatusOr<SliceMasks> SliceMasks::FromAttrs(const AttrMap& attrs) {
  SliceMasks m;
  for (auto [name, mask] : {std::make_pair("begin_mask", &m.begin),
                            {"end_mask", &m.end},
                            {"ellipsis_mask", &m.ellipsis},
                            {"new_axis_mask", &m.new_axis},
                            {"shrink_axis_mask", &m.shrink_axis}}) {
    WB_ASSIGN_OR_RETURN(int64_t value, attrs.Get<int64_t>(name));
    *mask = static_cast<uint64_t>(value);
  }
  return m;
}

StatusOr<SliceSpec> ResolveSlice(const SliceMasks& masks, const std::optional<Dims>& begin,
                                 const std::optional<Dims>& end, const Dims& strides,
                                 const PartialShape& shape) {
  WB_ASSIGN_OR_RETURN(Dense dense, MakeDense(masks, begin, end, strides, shape.rank()));
  SliceSpec spec;
  for (size_t i = 0; i < dense.dims.size(); ++i) {
    const Dense::Index& d = dense.dims[i];
    const int64_t extent = shape.dim(static_cast<int>(i));
    if (d.stride == 0) return InvalidArgument("strides[", i, "] must be non-zero");
    if (d.shrink && d.stride < 0) {
      return InvalidArgument("only a positive stride is allowed on a single index, not ", d.stride);
    }
    SliceSpec::Range r{0, d.stride, d.shrink ? 1 : -1};
    if (extent >= 0) {
      WB_ASSIGN_OR_RETURN(r, Resolve(dense, i, extent));
    }
    const bool whole = r.stride == 1 && r.begin == 0 && r.size == extent && extent >= 0;
    spec.is_identity = spec.is_identity && whole;
    spec.is_rows = spec.is_rows && (i == 0 ? r.stride == 1 : whole);
    spec.ranges.push_back(r);
    spec.output_dim.push_back(-1);
  }
  std::vector<int64_t> final;
  for (int g : dense.gather) {
    if (g >= 0) {
      spec.output_dim[static_cast<size_t>(g)] = static_cast<int>(final.size());
      final.push_back(spec.ranges[static_cast<size_t>(g)].size);
    } else if (g == kNewAxis) {
      final.push_back(1);
    }
  }
  spec.is_rows = spec.is_rows && !spec.ranges.empty();
  spec.final = PartialShape(std::move(final));
  return spec;
}

StatusOr<SliceSpec> ResolveSlice(const SliceMasks& masks, const KernelContext& ctx, int first,
                                 const Shape& shape) {
  for (int i = 0; i < 3; ++i) {
    if (ctx.input(first + i).rank() != 1 ||
        ctx.input(first + i).num_elements() != ctx.input(first).num_elements()) {
      return InvalidArgument("'begin', 'end' and 'strides' must be vectors of one length");
    }
  }
  WB_ASSIGN_OR_RETURN(Dims begin, ReadIndices(ctx.input(first), "begin"));
  WB_ASSIGN_OR_RETURN(Dims end, ReadIndices(ctx.input(first + 1), "end"));
  WB_ASSIGN_OR_RETURN(Dims strides, ReadIndices(ctx.input(first + 2), "strides"));
  return ResolveSlice(masks, begin, end, strides, shape);
}

CopyDims SliceCopy(const SliceSpec& spec, const Shape& shape, int64_t* offset) {
  const auto big = RowMajorStrides(shape);
  CopyDims dims(spec.ranges.size());
  *offset = 0;
  int64_t small = 1;
  for (size_t i = spec.ranges.size(); i-- > 0;) {
    const SliceSpec::Range& r = spec.ranges[i];
    // For a single element the stride may be of any size.
    dims[i] = {r.size, r.size > 1 ? r.stride * big[i] : big[i], small};
    *offset += r.begin * big[i];
    small *= r.size;
  }
  return dims;
}

StatusOr<CopyDims> SliceAssignment(const SliceSpec& spec, const Shape& value, const Shape& shape,
                                   int64_t* offset) {
  WB_ASSIGN_OR_RETURN(Shape final, spec.final.AsShape());
  const int missing = final.rank() - value.rank();
  bool fits = missing >= 0;
  for (int i = 0; fits && i < value.rank(); ++i) {
    fits = value.dim(i) == 1 || value.dim(i) == final.dim(i + missing);
  }
  if (!fits) {
    return InvalidArgument("a value of shape ", value.ToString(),
                           " does not broadcast to the slice's shape ", final.ToString());
  }
  const auto strides = RowMajorStrides(value);
  CopyDims dims = SliceCopy(spec, shape, offset);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int v = spec.output_dim[i] < 0 ? -1 : spec.output_dim[i] - missing;
    const bool spread = v < 0 || value.dim(v) == 1;
    dims[i] = {dims[i].extent, spread ? 0 : strides[static_cast<size_t>(v)], dims[i].from};
  }
  return dims;
}

Status AssignSlice(const KernelContext& ctx, const SliceSpec& spec, const Tensor& value,
                   Tensor* y) {
  int64_t offset;
  WB_ASSIGN_OR_RETURN(CopyDims dims, SliceAssignment(spec, value.shape(), y->shape(), &offset));
  if (value.num_elements() == 0) return OkStatus();
  StridedCopy(ctx, y->dtype(), Advance(y->raw_data(), y->dtype(), offset), value.raw_data(), dims);
  return OkStatus();
}

}  // namespace warpbeam
