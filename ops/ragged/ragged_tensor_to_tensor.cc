// RaggedTensorToTensor: a dense tensor of a ragged tensor's values, padded with a default value and
// cut where rows are longer than asked for.
#include <algorithm>
#include <string>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/ragged/row_splits.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

enum class Partition { kFirstDimSize, kValueRowIds, kRowSplits };

StatusOr<std::vector<Partition>> ReadPartitions(const std::vector<std::string>& names) {
  std::vector<Partition> out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "FIRST_DIM_SIZE" && i == 0) {
      out.push_back(Partition::kFirstDimSize);
    } else if (names[i] == "VALUE_ROWIDS" && i > 0) {
      out.push_back(Partition::kValueRowIds);
    } else if (names[i] == "ROW_SPLITS") {
      out.push_back(Partition::kRowSplits);
    } else {
      return InvalidArgument(
          "'row_partition_types' must be ROW_SPLITS and VALUE_ROWIDS, of which the latter need "
          "FIRST_DIM_SIZE or ROW_SPLITS first, but type ",
          i, " is '", names[i], "'");
    }
  }
  if (out.empty() || (out.size() == 1 && out[0] == Partition::kFirstDimSize)) {
    return InvalidArgument("'row_partition_types' has no partition into rows");
  }
  return out;
}

// One ragged dimension: the row of each value, never decreasing.
struct Level {
  std::vector<int64_t> row_of;
  int64_t longest = 0;
};

void FindLongest(Level* level) {
  int64_t length = 0;
  for (size_t i = 0; i < level->row_of.size(); ++i) {
    length = i > 0 && level->row_of[i] == level->row_of[i - 1] ? length + 1 : 1;
    level->longest = std::max(level->longest, length);
  }
}

// `rows` says how many rows there are, and becomes the number of values.
StatusOr<Level> ReadRowIds(const Tensor& t, int64_t* rows) {
  if (t.rank() != 1) {
    return InvalidArgument("value row ids must be a vector, but have shape ", t.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const Dims ids, ReadIndices(t, "value row ids"));
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < (i == 0 ? 0 : ids[i - 1]) || ids[i] >= *rows) {
      return InvalidArgument("value row ids must not decrease and be in [0, ", *rows,
                             "), but number ", i, " is ", ids[i]);
    }
  }
  Level level;
  level.row_of.assign(ids.begin(), ids.end());
  *rows = static_cast<int64_t>(ids.size());
  FindLongest(&level);
  return level;
}

StatusOr<Level> ReadSplits(const Tensor& t, int64_t most_values, int64_t* rows) {
  WB_ASSIGN_OR_RETURN(const RowSplits splits, ReadRowSplits(t, "row splits"));
  if (*rows >= 0 && NumRows(splits) != *rows) {
    return InvalidArgument("row splits of ", NumRows(splits), " rows split ", *rows, " values");
  }
  if (splits.front() != 0 || splits.back() > most_values) {
    return InvalidArgument("row splits must begin with 0 and end at the number of values, ",
                           most_values, " or less, but go from ", splits.front(), " to ",
                           splits.back());
  }
  Level level;
  for (int64_t i = 0; i < NumRows(splits); ++i) {
    level.row_of.insert(level.row_of.end(), static_cast<size_t>(splits[i + 1] - splits[i]), i);
  }
  *rows = splits.back();
  FindLongest(&level);
  return level;
}

struct Ragged {
  int64_t rows = 0;  // of the outermost dimension
  std::vector<Level> levels;
};

StatusOr<Ragged> ReadRagged(const KernelContext& ctx, const std::vector<Partition>& partitions) {
  const int count = static_cast<int>(partitions.size());
  Ragged r;
  int64_t rows = -1;
  for (int i = 0; i < count; ++i) {
    const Tensor& t = ctx.input(3 + i);
    if (partitions[i] == Partition::kFirstDimSize) {
      WB_ASSIGN_OR_RETURN(rows, ReadIndex(t, "FIRST_DIM_SIZE"));
      if (rows < 0) return InvalidArgument("FIRST_DIM_SIZE must not be negative, but is ", rows);
      r.rows = rows;
    } else if (partitions[i] == Partition::kValueRowIds) {
      WB_ASSIGN_OR_RETURN(Level level, ReadRowIds(t, &rows));
      r.levels.push_back(std::move(level));
    } else {
      if (i == 0) r.rows = std::max<int64_t>(t.num_elements() - 1, 0);
      // What the next partition splits, or the values themselves.
      const Tensor& below = i + 1 < count ? ctx.input(4 + i) : ctx.input(1);
      int64_t most = below.rank() > 0 ? below.dim(0) : 0;
      if (i + 1 < count && partitions[i + 1] == Partition::kRowSplits) --most;
      if (i + 1 < count && partitions[i + 1] == Partition::kValueRowIds) {
        // Rows without values need no id: the splits alone say how many there are. Each takes at
        // least one element of the result.
        most = int64_t{1} << 31;
      }
      WB_ASSIGN_OR_RETURN(Level level, ReadSplits(t, most, &rows));
      r.levels.push_back(std::move(level));
    }
  }
  if (rows > ctx.input(1).dim(0)) {
    return InvalidArgument("the row partitions are of ", rows, " values, but there are ",
                           ctx.input(1).dim(0));
  }
  return r;
}

// The result's extents: those asked for, else what the ragged tensor needs.
StatusOr<Shape> ResultShape(const Tensor& wanted, const Tensor& values, const Ragged& r) {
  std::vector<int64_t> dims = {r.rows};
  for (const Level& level : r.levels) dims.push_back(level.longest);
  dims.insert(dims.end(), values.shape().dims().begin() + 1, values.shape().dims().end());
  WB_ASSIGN_OR_RETURN(const Dims asked, ReadIndices(wanted, "shape"));
  if (wanted.rank() == 0) {
    if (asked[0] != -1) return InvalidArgument("a scalar 'shape' must be -1, but is ", asked[0]);
    return Shape::Make(dims);
  }
  if (wanted.rank() != 1 || asked.size() != dims.size()) {
    return InvalidArgument("'shape' must hold ", dims.size(),
                           " extents, one for each dimension of the ragged tensor, but has shape ",
                           wanted.shape().ToString());
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (asked[d] == -1) continue;
    if (asked[d] < 0) return InvalidArgument("extent ", d, " of 'shape' is ", asked[d]);
    if (d > r.levels.size() && asked[d] != dims[d]) {
      return InvalidArgument("extent ", d, " of 'shape' is ", asked[d], ", that of the values is ",
                             dims[d]);
    }
    dims[d] = asked[d];
  }
  return Shape::Make(dims);
}

// Where each value goes, in units of the innermost ragged dimension; -1 for what is cut off.
std::vector<int64_t> Places(const Ragged& r, const Shape& shape) {
  std::vector<int64_t> at(static_cast<size_t>(r.rows));
  for (int64_t i = 0; i < r.rows; ++i) at[i] = i < shape.dim(0) ? i : -1;
  for (size_t k = 0; k < r.levels.size(); ++k) {
    const std::vector<int64_t>& row_of = r.levels[k].row_of;
    const int64_t width = shape.dim(static_cast<int>(k) + 1);
    std::vector<int64_t> next(row_of.size());
    int64_t position = 0;
    for (size_t i = 0; i < row_of.size(); ++i) {
      position = i > 0 && row_of[i] == row_of[i - 1] ? position + 1 : 0;
      const int64_t row = at[row_of[i]];
      next[i] = row < 0 || position >= width ? -1 : row * width + position;
    }
    at = std::move(next);
  }
  return at;
}

// The default value spread to the shape of one value.
StatusOr<Tensor> SpreadDefault(const KernelContext& ctx, const Tensor& value, const Shape& inner) {
  const int skip = inner.rank() - value.rank();
  bool spreads = skip >= 0;
  for (int d = 0; spreads && d < value.rank(); ++d) {
    spreads = value.dim(d) == 1 || value.dim(d) == inner.dim(d + skip);
  }
  if (!spreads) {
    return InvalidArgument("'default_value', of shape ", value.shape().ToString(),
                           ", does not broadcast to the shape of one value, ", inner.ToString());
  }
  WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(value.dtype(), inner));
  const auto from = RowMajorStrides(value.shape()), to = RowMajorStrides(inner);
  CopyDims dims;
  for (int d = 0; d < inner.rank(); ++d) {
    const bool repeats = d < skip || value.dim(d - skip) == 1;
    dims.push_back({inner.dim(d), repeats ? 0 : from[d - skip], to[d]});
  }
  StridedCopy(ctx, value.dtype(), out.raw_data(), value.raw_data(), dims);
  return out;
}

class ToTensorKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ToTensorKernel>();
    WB_ASSIGN_OR_RETURN(const auto names,
                        init.attr<std::vector<std::string>>("row_partition_types"));
    WB_ASSIGN_OR_RETURN(kernel->partitions_, ReadPartitions(names));
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& values = ctx.input(1);
    if (static_cast<size_t>(ctx.num_inputs() - 3) != partitions_.size()) {
      return InvalidArgument("there are ", ctx.num_inputs() - 3, " row partitions for ",
                             partitions_.size(), " 'row_partition_types'");
    }
    if (values.rank() < 1) return InvalidArgument("'values' must not be a scalar");
    WB_ASSIGN_OR_RETURN(const Ragged r, ReadRagged(ctx, partitions_));
    WB_ASSIGN_OR_RETURN(const Shape shape, ResultShape(ctx.input(0), values, r));
    WB_ASSIGN_OR_RETURN(const Tensor fill,
                        SpreadDefault(ctx, ctx.input(2), values.shape().Remove(0)));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const DType dtype = y->dtype();
    const int64_t width = fill.num_elements();
    if (y->num_elements() == 0) return OkStatus();
    if (width == 1) {
      FillRange(ctx, dtype, y->raw_data(), fill.raw_data(), y->num_elements());
    } else {
      StridedCopy(ctx, dtype, y->raw_data(), fill.raw_data(),
                  {{y->num_elements() / width, 0, width}, {width, 1, 1}});
    }
    const std::vector<int64_t> places = Places(r, shape);
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0) continue;
      CopyElements(dtype, Advance(y->raw_data(), dtype, places[i] * width),
                   Advance(values.raw_data(), dtype, static_cast<int64_t>(i) * width), width);
    }
    return OkStatus();
  }

 private:
  std::vector<Partition> partitions_;
};

Status ToTensorShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const auto names, c.attr<std::vector<std::string>>("row_partition_types"));
  WB_ASSIGN_OR_RETURN(const std::vector<Partition> partitions, ReadPartitions(names));
  const int levels =
      static_cast<int>(partitions.size()) - (partitions[0] == Partition::kFirstDimSize ? 1 : 0);
  WB_ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(1, 1));
  PartialShape out = PartialShape::Unknown();
  if (values.has_rank()) {
    out = PartialShape::UnknownOfRank(levels + values.rank());
    for (int d = 1; d < values.rank(); ++d) out.set_dim(levels + d, values.dim(d));
  }
  WB_ASSIGN_OR_RETURN(const PartialShape asked, c.ShapeFromInput(0));
  WB_ASSIGN_OR_RETURN(out, PartialShape::Merge(out, asked));
  c.set_output(0, std::move(out));
  return OkStatus();
}

AttrMap PartitionAttrs(const GradContext& c) {
  AttrMap attrs;
  attrs.Set("row_partition_types", c.attr_or<std::vector<std::string>>("row_partition_types", {}));
  return attrs;
}

// Numbering the values and making a dense tensor of the numbers says where each value went; what
// has no number is the default value.
Status ToTensorGradient(GradContext& c) {
  const OutputRef zero = c.Scalar<int32_t>(0), one = c.Scalar<int32_t>(1),
                  none = c.Scalar<int32_t>(-1);
  const OutputRef values = c.x(1), otherwise = c.x(2), dy = c.dy(0);
  const auto names = c.attr_or<std::vector<std::string>>("row_partition_types", {});
  const int partitions = static_cast<int>(names.size());
  const int levels = partitions - (partitions > 0 && names[0] == "FIRST_DIM_SIZE" ? 1 : 0);
  const OutputRef shape = c.Emit("Slice", {c.ShapeOf(dy), c.Ints({0}), c.Ints({1 + levels})});
  const OutputRef rows = c.Emit("GatherV2", {c.ShapeOf(values), zero, zero});
  const OutputRef numbers = c.Emit("Range", {zero, rows, one});
  const std::vector<OutputRef> numbered = c.EmitAll(
      "RaggedTensorToTensor", {shape, numbers, none, c.xs(3, 3 + partitions)}, PartitionAttrs(c));
  if (numbered.size() != 1) return c.status();
  const OutputRef kept = c.Emit("Where", {c.Emit("NotEqual", {numbered[0], none})});
  const OutputRef filled = c.Emit("Where", {c.Emit("Equal", {numbered[0], none})});
  c.set_dx(1, GradientValue::Slices(c.Emit("GatherNd", {dy, kept}),
                                    c.Emit("GatherNd", {numbered[0], kept}), c.ShapeOf(values)));
  // Each place filled has the default value, spread to the shape of one value.
  const OutputRef fill = c.Emit("GatherNd", {dy, filled});
  const OutputRef once = c.Emit("Sum", {fill, zero}, {{"keep_dims", true}});
  const std::vector<OutputRef> inner =
      c.EmitAll("BroadcastGradientArgs", {c.ShapeOf(once), c.ShapeOf(otherwise)});
  if (inner.size() != 2) return c.status();
  c.set_dx(2, c.ReshapeLike(c.Emit("Sum", {once, inner[1]}, {{"keep_dims", true}}), otherwise));
  return OkStatus();
}

WB_OP("RaggedTensorToTensor")
    .Input("shape: Tshape")
    .Input("values: T")
    .Input("default_value: T")
    .Input("row_partition_tensors: num_row_partition_tensors * Tindex")
    .Output("result: T")
    .Attr("T: type")
    .Attr("Tindex: {int64, int32}")
    .Attr("Tshape: {int64, int32}")
    .Attr("num_row_partition_tensors: int >= 1")
    .Attr("row_partition_types: list(string)")
    .Shape(ToTensorShape);
WB_KERNEL("RaggedTensorToTensor", ToTensorKernel)
    .Cpu({{"T", kPlainTypes | kQuantizedTypes | TypeSet{DType::kString}}, {"Tindex", kIndexTypes}});
WB_GRADIENT("RaggedTensorToTensor", ToTensorGradient);

}  // namespace
}  // namespace warpbeam
