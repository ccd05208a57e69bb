// MatrixDiag, MatrixDiagPart, MatrixSetDiag, in three versions each: diagonals
// of matrices made, taken and replaced. The first version knows the main
// diagonal alone.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/layout/diagonals.h"
#include "ops/array/moving_kernel.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

StatusOr<int64_t> ReadCount(const Tensor &t, const char *argument) {
  if (t.rank() != 0) {
    return InvalidArgument("'", argument, "' must be a scalar, not of shape ",
                           t.shape().ToString());
  }
  return ReadIndex(t, argument);
}

// Rows and columns of the matrix that holds diagonals `range` of which the
// longest has `longest` elements; -1 stands for what follows from that.
StatusOr<Diagonals> Complete(DiagonalRange range, int64_t longest, int64_t rows, int64_t cols,
                             DiagonalAlign align) {
  const int64_t least_rows = longest - std::min<int64_t>(range.upper, 0);
  const int64_t least_cols = longest + std::max<int64_t>(range.lower, 0);
  if (rows == -1 && cols == -1) {
    rows = cols = std::max(least_rows, least_cols);
  } else if (rows == -1) {
    rows = least_rows;
  } else if (cols == -1) {
    cols = least_cols;
  }
  if (rows < least_rows || cols < least_cols || (rows != least_rows && cols != least_cols)) {
    return InvalidArgument("a matrix of ", rows, " x ", cols, " does not hold diagonals ",
                           range.lower, " to ", range.upper, " of at most ", longest, " elements");
  }
  return Diagonals::Make(range.lower, range.upper, rows, cols, align);
}

// Inputs: diagonal, then k, num_rows, num_cols, padding_value but in the first
// version.
struct DiagArguments {
  DiagonalRange range;
  int64_t rows = -1, cols = -1;
};

StatusOr<std::vector<int64_t>> BatchOfDiagonal(Span<const int64_t> dims, DiagonalRange range) {
  const size_t own = range.lower == range.upper ? 1 : 2;
  if (dims.size() < own) {
    return InvalidArgument("diagonal must be at least ", own, "-dim, received shape: ",
                           PartialShape(std::vector<int64_t>(dims.begin(), dims.end())).ToString());
  }
  if (own == 2 && dims[dims.size() - 2] >= 0 &&
      dims[dims.size() - 2] != range.upper - range.lower + 1) {
    return InvalidArgument("there are ", dims[dims.size() - 2], " diagonals given for ",
                           range.lower, " to ", range.upper);
  }
  return std::vector<int64_t>(dims.begin(), dims.end() - static_cast<int64_t>(own));
}

Status MatrixDiagShape(ShapeContext &c) {
  const PartialShape &in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  DiagArguments arguments;
  if (c.num_inputs() > 1) {
    const std::optional<Tensor> k = c.ConstantInput(1);
    const std::optional<Tensor> rows = c.ConstantInput(2), cols = c.ConstantInput(3);
    if (!k || !rows || !cols) return OkStatus();
    WB_ASSIGN_OR_RETURN(arguments.range, ReadDiagonalRange(*k));
    WB_ASSIGN_OR_RETURN(arguments.rows, ReadCount(*rows, "num_rows"));
    WB_ASSIGN_OR_RETURN(arguments.cols, ReadCount(*cols, "num_cols"));
  }
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> dims, BatchOfDiagonal(in.dims(), arguments.range));
  const int64_t longest = in.dims().back();
  if (longest < 0) {
    dims.push_back(arguments.rows);
    dims.push_back(arguments.cols);
  } else {
    WB_ASSIGN_OR_RETURN(Diagonals band,
                        Complete(arguments.range, longest, arguments.rows, arguments.cols, {}));
    dims.push_back(band.rows);
    dims.push_back(band.cols);
  }
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

template <class Derived>
class Aligned {
 public:
  explicit Aligned(DiagonalAlign align) : align_(align) {}
  static StatusOr<Derived> Create(KernelInit &init) {
    return Derived(DiagonalAlign::FromAttrs(init.attrs));
  }

 protected:
  DiagonalAlign align_;
};

// The copy of each diagonal of all matrices: `one(first element of the matrix, first element of the
// packed diagonals, dims)`, of which `from` walks the matrices.
template <typename One>
Status ForEachDiagonal(const Diagonals &band, int64_t matrices, const One &one) {
  const int64_t size = band.rows * band.cols, packed_size = band.count() * band.longest;
  if (size == 0 || packed_size == 0) return OkStatus();
  for (int64_t d = band.lower; d <= band.upper; ++d) {
    const int64_t first = std::max<int64_t>(-d, 0) * band.cols + std::max<int64_t>(d, 0);
    const int64_t packed = band.RowOf(d) * band.longest + band.StartOf(d);
    WB_RETURN_IF_ERROR(
        one(first, packed,
            CopyDims{{matrices, size, packed_size}, {band.LengthOf(d), band.cols + 1, 1}}));
  }
  return OkStatus();
}

class MatrixDiag final : public Aligned<MatrixDiag> {
 public:
  using Aligned::Aligned;
  Status Run(KernelContext &ctx, StridedCopier &copier) const {
    const Tensor &x = ctx.input(0);
    DiagArguments arguments;
    if (ctx.num_inputs() > 1) {
      WB_ASSIGN_OR_RETURN(arguments.range, ReadDiagonalRange(ctx.input(1)));
      WB_ASSIGN_OR_RETURN(arguments.rows, ReadCount(ctx.input(2), "num_rows"));
      WB_ASSIGN_OR_RETURN(arguments.cols, ReadCount(ctx.input(3), "num_cols"));
      if (ctx.input(4).rank() != 0) return InvalidArgument("'padding_value' must be a scalar");
    }
    WB_ASSIGN_OR_RETURN(std::vector<int64_t> dims,
                        BatchOfDiagonal(x.shape().dims(), arguments.range));
    WB_ASSIGN_OR_RETURN(Diagonals band, Complete(arguments.range, x.dim(x.rank() - 1),
                                                 arguments.rows, arguments.cols, align_));
    dims.push_back(band.rows);
    dims.push_back(band.cols);
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (ctx.num_inputs() > 4) {
      WB_RETURN_IF_ERROR(
          copier.Fill(y->dtype(), y->raw_data(), ctx.input(4).raw_data(), y->num_elements()));
    } else {
      WB_RETURN_IF_ERROR(copier.Zero(y->dtype(), y->raw_data(), y->num_elements()));
    }
    return Place(copier, band, x, y);
  }

  // Writes packed diagonals into matrices.
  static Status Place(StridedCopier &copier, const Diagonals &band, const Tensor &packed,
                      Tensor *matrices) {
    const DType dtype = packed.dtype();
    return ForEachDiagonal(band, NumberOf(band, *matrices),
                           [&](int64_t first, int64_t start, CopyDims dims) {
                             for (CopyDim &d : dims) std::swap(d.from, d.to);
                             return copier.Copy(dtype, Advance(matrices->raw_data(), dtype, first),
                                                Advance(packed.raw_data(), dtype, start), dims);
                           });
  }
  static int64_t NumberOf(const Diagonals &band, const Tensor &matrices) {
    return matrices.num_elements() / std::max<int64_t>(band.rows * band.cols, 1);
  }
};

// The packed shape of the diagonals of matrices.
std::vector<int64_t> PackedDims(Span<const int64_t> matrix, const Diagonals &band) {
  std::vector<int64_t> dims(matrix.begin(), matrix.end() - 2);
  if (band.count() > 1) dims.push_back(band.count());
  dims.push_back(band.longest);
  return dims;
}

Status MatrixDiagPartShape(ShapeContext &c) {
  WB_ASSIGN_OR_RETURN(PartialShape in, c.WithRankAtLeast(0, 2));
  if (!in.has_rank()) return OkStatus();
  DiagonalRange range;
  if (c.num_inputs() > 1) {
    const std::optional<Tensor> k = c.ConstantInput(1);
    if (!k) return OkStatus();
    WB_ASSIGN_OR_RETURN(range, ReadDiagonalRange(*k));
  }
  const int64_t rows = in.dim(in.rank() - 2), cols = in.dim(in.rank() - 1);
  if (rows < 0 || cols < 0) {
    const int extra = range.lower == range.upper ? 1 : 0;
    std::vector<int64_t> dims(in.dims().begin(), in.dims().end() - extra);
    std::fill(dims.begin() + in.rank() - 2, dims.end(), -1);
    c.set_output(0, PartialShape(std::move(dims)));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Diagonals band, Diagonals::Make(range.lower, range.upper, rows, cols, {}));
  c.set_output(0, PartialShape(PackedDims(in.dims(), band)));
  return OkStatus();
}

// The diagonals of the matrices in input 0; `k_input` is -1 for the main one.
StatusOr<Diagonals> DiagonalsOf(const KernelContext &ctx, int k_input, DiagonalAlign align) {
  const Tensor &x = ctx.input(0);
  if (x.rank() < 2) {
    return InvalidArgument("input must be at least 2-dim, received shape: ", x.shape().ToString());
  }
  DiagonalRange range;
  if (k_input >= 0) {
    WB_ASSIGN_OR_RETURN(range, ReadDiagonalRange(ctx.input(k_input)));
  }
  return Diagonals::Make(range.lower, range.upper, x.dim(x.rank() - 2), x.dim(x.rank() - 1), align);
}

class MatrixDiagPart final : public Aligned<MatrixDiagPart> {
 public:
  using Aligned::Aligned;
  Status Run(KernelContext &ctx, StridedCopier &copier) const {
    const Tensor &x = ctx.input(0);
    const bool first_version = ctx.num_inputs() == 1;
    WB_ASSIGN_OR_RETURN(Diagonals band, DiagonalsOf(ctx, first_version ? -1 : 1, align_));
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(PackedDims(x.shape().dims(), band)));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (!first_version) {
      if (ctx.input(2).num_elements() != 1)
        return InvalidArgument("'padding_value' must be a scalar");
      WB_RETURN_IF_ERROR(
          copier.Fill(y->dtype(), y->raw_data(), ctx.input(2).raw_data(), y->num_elements()));
    }
    const DType dtype = x.dtype();
    return ForEachDiagonal(band, MatrixDiag::NumberOf(band, x),
                           [&](int64_t first, int64_t start, const CopyDims &dims) {
                             return copier.Copy(dtype, Advance(y->raw_data(), dtype, start),
                                                Advance(x.raw_data(), dtype, first), dims);
                           });
  }
};

Status MatrixSetDiagShape(ShapeContext &c) {
  WB_ASSIGN_OR_RETURN(PartialShape in, c.WithRankAtLeast(0, 2));
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  c.set_output(0, c.input(0));
  DiagonalRange range;
  if (c.num_inputs() > 2) {
    const std::optional<Tensor> k = c.ConstantInput(2);
    if (!k) return OkStatus();
    WB_ASSIGN_OR_RETURN(range, ReadDiagonalRange(*k));
  }
  if (!in.IsFullyDefined()) return OkStatus();
  WB_ASSIGN_OR_RETURN(
      Diagonals band,
      Diagonals::Make(range.lower, range.upper, in.dim(in.rank() - 2), in.dim(in.rank() - 1), {}));
  return PartialShape::Merge(c.input(1), PartialShape(PackedDims(in.dims(), band))).status();
}

class MatrixSetDiag final : public Aligned<MatrixSetDiag> {
 public:
  using Aligned::Aligned;
  Status Run(KernelContext &ctx, StridedCopier &copier) const {
    const Tensor &x = ctx.input(0);
    const Tensor &diagonal = ctx.input(1);
    WB_ASSIGN_OR_RETURN(Diagonals band, DiagonalsOf(ctx, ctx.num_inputs() > 2 ? 2 : -1, align_));
    WB_ASSIGN_OR_RETURN(Shape expected, Shape::Make(PackedDims(x.shape().dims(), band)));
    if (diagonal.shape() != expected) {
      const int own = band.count() == 1 ? 1 : 2;
      if (diagonal.rank() < own) {
        return InvalidArgument("diagonal must be at least ", own,
                               "-dim, received shape: ", diagonal.shape().ToString());
      }
      return InvalidArgument(
          "the first dimensions of diagonal don't match input.shape[:-2], or "
          "its last ones the diagonals' number and length: the diagonals of ",
          x.shape().ToString(), " are of shape ", expected.ToString(), ", not ",
          diagonal.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
    if (y->raw_data() != x.raw_data()) {
      WB_RETURN_IF_ERROR(
          copier.Copy(x.dtype(), y->raw_data(), x.raw_data(), {{x.num_elements(), 1, 1}}));
      WB_RETURN_IF_ERROR(copier.Then());
    }
    return MatrixDiag::Place(copier, band, diagonal, y);
  }
};

// "MatrixDiag" with the version of the forward node: "V2".
OutputRef EmitVersion(GradContext &c, absl::string_view forward, absl::string_view op,
                      std::vector<NodeInput> inputs) {
  const std::string &name = c.node().op_name();
  AttrMap attrs;
  const std::string align = c.attr_or<std::string>("align", "");
  if (!align.empty()) attrs.Set("align", align);
  const std::vector<OutputRef> made =
      c.EmitAll(absl::StrCat(op, name.substr(forward.size())), inputs, attrs);
  return made.empty() ? OutputRef() : made[0];
}

OutputRef EmitPart(GradContext &c, absl::string_view forward, int k_input) {
  std::vector<NodeInput> inputs = {c.dy(0)};
  if (k_input < c.num_inputs()) {
    inputs.push_back(c.x(k_input));
    inputs.push_back(c.ScalarLike(c.dy(0), 0));
  }
  return EmitVersion(c, forward, "MatrixDiagPart", std::move(inputs));
}

Status MatrixDiagGradient(GradContext &c) {
  c.set_dx(0, EmitPart(c, "MatrixDiag", 1));
  return OkStatus();
}

Status MatrixDiagPartGradient(GradContext &c) {
  std::vector<NodeInput> inputs = {c.ZerosLike(c.x(0)), c.dy(0)};
  if (c.num_inputs() > 1) inputs.push_back(c.x(1));
  c.set_dx(0, EmitVersion(c, "MatrixDiagPart", "MatrixSetDiag", std::move(inputs)));
  return OkStatus();
}

Status MatrixSetDiagGradient(GradContext &c) {
  std::vector<NodeInput> inputs = {c.dy(0), c.ZerosLike(c.x(1))};
  if (c.num_inputs() > 2) inputs.push_back(c.x(2));
  c.set_dx(0, EmitVersion(c, "MatrixSetDiag", "MatrixSetDiag", std::move(inputs)));
  c.set_dx(1, EmitPart(c, "MatrixSetDiag", 2));
  return OkStatus();
}

WB_OP("MatrixDiag").Input("diagonal: T").Output("output: T").Attr("T: type").Shape(MatrixDiagShape);
WB_KERNEL("MatrixDiag", MovingKernel<MatrixDiag>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}});
WB_GPU_KERNEL("MatrixDiag", MovingKernelOnGpu<MatrixDiag>);

WB_GRADIENT("MatrixDiag", MatrixDiagGradient);

WB_OP("MatrixDiagV2")
    .Input("diagonal: T")
    .Input("k: int32")
    .Input("num_rows: int32")
    .Input("num_cols: int32")
    .Input("padding_value: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(MatrixDiagShape);
WB_KERNEL("MatrixDiagV2", MovingKernel<MatrixDiag>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}})
    .HostMemory({"k", "num_rows", "num_cols", "padding_value"});
WB_GPU_KERNEL("MatrixDiagV2", MovingKernelOnGpu<MatrixDiag>);

WB_GRADIENT("MatrixDiagV2", MatrixDiagGradient);

WB_OP("MatrixDiagV3")
    .Input("diagonal: T")
    .Input("k: int32")
    .Input("num_rows: int32")
    .Input("num_cols: int32")
    .Input("padding_value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr(
        "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = "
        "'RIGHT_LEFT'")
    .Shape(MatrixDiagShape);
WB_KERNEL("MatrixDiagV3", MovingKernel<MatrixDiag>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}})
    .HostMemory({"k", "num_rows", "num_cols", "padding_value"});
WB_GPU_KERNEL("MatrixDiagV3", MovingKernelOnGpu<MatrixDiag>);

WB_GRADIENT("MatrixDiagV3", MatrixDiagGradient);

WB_OP("MatrixDiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .Shape(MatrixDiagPartShape);
WB_KERNEL("MatrixDiagPart", MovingKernel<MatrixDiagPart>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}});
WB_GPU_KERNEL("MatrixDiagPart", MovingKernelOnGpu<MatrixDiagPart>);

WB_GRADIENT("MatrixDiagPart", MatrixDiagPartGradient);

WB_OP("MatrixDiagPartV2")
    .Input("input: T")
    .Input("k: int32")
    .Input("padding_value: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .Shape(MatrixDiagPartShape);
WB_KERNEL("MatrixDiagPartV2", MovingKernel<MatrixDiagPart>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}})
    .HostMemory({"k", "padding_value"});
WB_GPU_KERNEL("MatrixDiagPartV2", MovingKernelOnGpu<MatrixDiagPart>);

WB_GRADIENT("MatrixDiagPartV2", MatrixDiagPartGradient);

WB_OP("MatrixDiagPartV3")
    .Input("input: T")
    .Input("k: int32")
    .Input("padding_value: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .Attr(
        "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = "
        "'RIGHT_LEFT'")
    .Shape(MatrixDiagPartShape);
WB_KERNEL("MatrixDiagPartV3", MovingKernel<MatrixDiagPart>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}})
    .HostMemory({"k", "padding_value"});
WB_GPU_KERNEL("MatrixDiagPartV3", MovingKernelOnGpu<MatrixDiagPart>);

WB_GRADIENT("MatrixDiagPartV3", MatrixDiagPartGradient);

WB_OP("MatrixSetDiag")
    .Input("input: T")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .Shape(MatrixSetDiagShape);
WB_KERNEL("MatrixSetDiag", MovingKernel<MatrixSetDiag>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}});
WB_GPU_KERNEL("MatrixSetDiag", MovingKernelOnGpu<MatrixSetDiag>);

WB_GRADIENT("MatrixSetDiag", MatrixSetDiagGradient);

WB_OP("MatrixSetDiagV2")
    .Input("input: T")
    .Input("diagonal: T")
    .Input("k: int32")
    .Output("output: T")
    .Attr("T: type")
    .Shape(MatrixSetDiagShape);
WB_KERNEL("MatrixSetDiagV2", MovingKernel<MatrixSetDiag>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}})
    .HostMemory({"k"});
WB_GPU_KERNEL("MatrixSetDiagV2", MovingKernelOnGpu<MatrixSetDiag>);

WB_GRADIENT("MatrixSetDiagV2", MatrixSetDiagGradient);

WB_OP("MatrixSetDiagV3")
    .Input("input: T")
    .Input("diagonal: T")
    .Input("k: int32")
    .Output("output: T")
    .Attr("T: type")
    .Attr(
        "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = "
        "'RIGHT_LEFT'")
    .Shape(MatrixSetDiagShape);
WB_KERNEL("MatrixSetDiagV3", MovingKernel<MatrixSetDiag>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes | TypeSet{DType::kBool}}})
    .HostMemory({"k"});
WB_GPU_KERNEL("MatrixSetDiagV3", MovingKernelOnGpu<MatrixSetDiag>);

WB_GRADIENT("MatrixSetDiagV3", MatrixSetDiagGradient);

// Their names before MatrixDiag, MatrixDiagPart and MatrixSetDiag.
WB_OP("BatchMatrixDiag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .Deprecated(14, "use MatrixDiag")
    .Shape(MatrixDiagShape);
WB_KERNEL("BatchMatrixDiag", MovingKernel<MatrixDiag>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_GPU_KERNEL("BatchMatrixDiag", MovingKernelOnGpu<MatrixDiag>);

WB_OP("BatchMatrixDiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr("T: type")
    .Deprecated(14, "use MatrixDiagPart")
    .Shape(MatrixDiagPartShape);
WB_KERNEL("BatchMatrixDiagPart", MovingKernel<MatrixDiagPart>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_GPU_KERNEL("BatchMatrixDiagPart", MovingKernelOnGpu<MatrixDiagPart>);

WB_OP("BatchMatrixSetDiag")
    .Input("input: T")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: type")
    .Deprecated(14, "use MatrixSetDiag")
    .Shape(MatrixSetDiagShape);
WB_KERNEL("BatchMatrixSetDiag", MovingKernel<MatrixSetDiag>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kFloatingTypes}});
WB_GPU_KERNEL("BatchMatrixSetDiag", MovingKernelOnGpu<MatrixSetDiag>);

}  // namespace
}  // namespace warpbeam
