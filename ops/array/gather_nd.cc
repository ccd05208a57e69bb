// GatherNd: slices of a tensor picked by index tuples.
#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/scatter_rows.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

absl::Status GatherNdShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  const PartialShape& params = c.input(0);
  const PartialShape& indices = c.input(1);
  if (!indices.has_rank() || !params.has_rank()) return absl::OkStatus();
  const int batch = indices.rank() - 1;
  const int64_t k = indices.dim(batch);
  if (k < 0) return absl::OkStatus();
  if (k > params.rank()) {
    return InvalidArgument("index tuples have ", k, " entries, more than the rank of params ",
                           params.ToString());
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().begin() + batch);
  dims.insert(dims.end(), params.dims().begin() + k, params.dims().end());
  c.set_output(0, PartialShape(std::move(dims)));
  return absl::OkStatus();
}

class GatherNdKernel final : public Kernel {
 public:
  explicit GatherNdKernel(BadIndex bad) : bad_(bad) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(BadIndex bad, BadIndexPolicy(init.attrs));
    return std::make_unique<GatherNdKernel>(bad);
  }

  absl::Status Compute(KernelContext& ctx) override {
    const Tensor& params = ctx.input(0);
    const Tensor& indices = ctx.input(1);
    if (params.rank() < 1 || indices.rank() < 1) {
      return InvalidArgument("params and indices must be at least vectors, not of shapes ",
                             params.shape().ToString(), " and ", indices.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(std::vector<int64_t> rows, FlattenIndices(indices, params.shape(), bad_));
    const int batch = indices.rank() - 1;
    const int k = static_cast<int>(indices.dim(batch));
    Dims dims(indices.shape().dims().begin(), indices.shape().dims().begin() + batch);
    dims.insert(dims.end(), params.shape().dims().begin() + k, params.shape().dims().end());
    WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const int64_t width = ElementsOf(params.shape(), k, params.rank());
    return DispatchElements(params.dtype(), [&](auto tag) -> absl::Status {
      using T = typename decltype(tag)::type;
      const T* from = static_cast<const T*>(params.raw_data());
      T* to = static_cast<T*>(y->raw_data());
      ctx.ParallelFor(static_cast<int64_t>(rows.size()),
                      4 + width * static_cast<int64_t>(sizeof(T)) / 8,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                          const int64_t row = rows[static_cast<size_t>(i)];
                          if (row < 0) {
                            std::fill_n(to + i * width, width, T());
                          } else {
                            std::copy_n(from + row * width, width, to + i * width);
                          }
                        }
                      });
      return absl::OkStatus();
    });
  }

 private:
  const BadIndex bad_;
};

WB_OP("GatherNd")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape(GatherNdShape);
WB_KERNEL("GatherNd", GatherNdKernel)
    .Cpu({{"Tparams", kMovableTypes | TypeSet{DType::kQInt32, DType::kQInt8, DType::kQUInt8}},
          {"Tindices", kIndexTypes | TypeSet{DType::kInt16}}})
    .Gpu({{"Tparams", kFloatingTypes | kComplexTypes | kIndexTypes}, {"Tindices", kIndexTypes}});

}  // namespace
}  // namespace warpbeam
