// AddSparseToTensorsMap, AddManySparseToTensorsMap, TakeManySparseFromTensorsMap: sparse tensors
// put aside under numbers, which go through queues that know only dense tensors.
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/array/kernel_types.h"
#include "ops/sparse/sparse_batch.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace {

class SparseTensorsMap final : public Resource {
 public:
  explicit SparseTensorsMap(std::string name) : name_(std::move(name)) {}
  std::string DebugString() const override {
    return absl::StrCat("the sparse tensors map '", name_, "'");
  }

  int64_t Add(SparseParts tensor) {
    std::lock_guard<std::mutex> lock(mutex_);
    tensors_.emplace(next_, std::move(tensor));
    return next_++;
  }
  // All of them, or none when one is missing; a number may not come twice.
  StatusOr<std::vector<SparseParts>> Take(Span<const int64_t> handles) {
    std::vector<SparseParts> taken;
    std::lock_guard<std::mutex> lock(mutex_);
    for (const int64_t handle : handles) {
      const auto found = tensors_.find(handle);
      if (found == tensors_.end()) {
        for (size_t i = 0; i < taken.size(); ++i) tensors_[handles[i]] = std::move(taken[i]);
        return InvalidArgument("Unable to find SparseTensor: ", handle, " in map: ", name_);
      }
      taken.push_back(std::move(found->second));
      tensors_.erase(found);
    }
    return taken;
  }

 private:
  const std::string name_;
  std::mutex mutex_;
  int64_t next_ = 0;
  std::map<int64_t, SparseParts> tensors_;
};

class MapKernel : public Kernel {
 protected:
  Status Init(const KernelInit& init) {
    container_ = init.attrs.GetOr<std::string>("container", "");
    name_ = init.attrs.GetOr<std::string>("shared_name", "");
    if (name_.empty()) name_ = init.node_name;
    return OkStatus();
  }
  StatusOr<std::shared_ptr<SparseTensorsMap>> Map(const KernelContext& ctx) const {
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    return ctx.resources()->LookupOrCreate<SparseTensorsMap>(
        container_, name_, [this]() -> StatusOr<std::shared_ptr<SparseTensorsMap>> {
          return std::make_shared<SparseTensorsMap>(name_);
        });
  }

 private:
  std::string container_, name_;
};

template <class K>
struct Made : K {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<Made>();
    WB_RETURN_IF_ERROR(kernel->Init(init));
    return kernel;
  }
};

class AddKernel : public MapKernel {
 public:
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0));
    WB_RETURN_IF_ERROR(DenseShape(x).status());
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<SparseTensorsMap> map, Map(ctx));
    ctx.set_output(0,
                   Tensor::Scalar<int64_t>(map->Add({ctx.input(0), ctx.input(1), ctx.input(2)})));
    return OkStatus();
  }
};

class AddManyKernel : public MapKernel {
 public:
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadBatch(ctx));
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<SparseTensorsMap> map, Map(ctx));
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({x.dims[0]}));
    WB_ASSIGN_OR_RETURN(Tensor * handles, ctx.Allocate(0, shape));
    return ForEachMember(x, [&](int64_t member, SparseParts parts) {
      handles->data<int64_t>()[member] = map->Add(std::move(parts));
      return OkStatus();
    });
  }
};

class TakeManyKernel : public MapKernel {
 public:
  Status Compute(KernelContext& ctx) override {
    const Tensor& handles = ctx.input(0);
    if (handles.rank() != 1) {
      return InvalidArgument("sparse_handles should be a vector but received shape ",
                             handles.shape().ToString());
    }
    if (handles.num_elements() == 0) {
      return InvalidArgument("Must have at least 1 serialized SparseTensor, but there is none");
    }
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<SparseTensorsMap> map, Map(ctx));
    WB_ASSIGN_OR_RETURN(const std::vector<SparseParts> members, map->Take(handles.flat<int64_t>()));
    return JoinMembers(ctx, {handles.num_elements()}, members);
  }
};

Status AddShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  c.set_output(0, PartialShape(Shape()));
  return OkStatus();
}

Status AddManyShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(SparseInputShape(c, 0).status());
  c.set_output(0, PartialShape({-1}));
  return OkStatus();
}

Status TakeManyShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  SetSparseOutput(c, 0, -1, -1);
  return OkStatus();
}

WB_OP("AddSparseToTensorsMap")
    .Input("sparse_indices: int64")
    .Input("sparse_values: T")
    .Input("sparse_shape: int64")
    .Output("sparse_handle: int64")
    .Attr("T: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(AddShape);
WB_KERNEL("AddSparseToTensorsMap", Made<AddKernel>).Cpu();

WB_OP("AddManySparseToTensorsMap")
    .Input("sparse_indices: int64")
    .Input("sparse_values: T")
    .Input("sparse_shape: int64")
    .Output("sparse_handles: int64")
    .Attr("T: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(AddManyShape);
WB_KERNEL("AddManySparseToTensorsMap", Made<AddManyKernel>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}});

WB_OP("TakeManySparseFromTensorsMap")
    .Input("sparse_handles: int64")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(TakeManyShape);
WB_KERNEL("TakeManySparseFromTensorsMap", Made<TakeManyKernel>)
    .Cpu({{"dtype", kPlainTypes | kObjectTypes}});

}  // namespace
}  // namespace warpbeam
