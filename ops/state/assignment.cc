#include "ops/state/assignment.h"

#include <utility>

namespace warpbeam {

Status SwapValues(const Variable&, Tensor& current, Tensor& value) {
  std::swap(current, value);
  return OkStatus();
}

StatusOr<std::unique_ptr<ReferenceAssignment>> ReferenceAssignment::Create(const KernelInit& init) {
  auto made = std::make_unique<ReferenceAssignment>();
  WB_ASSIGN_OR_RETURN(made->validate_shape_, init.attr<bool>("validate_shape"));
  return made;
}

Status ReferenceAssignment::Run(KernelContext& ctx, Tensor value, PutValue put) {
  WB_ASSIGN_OR_RETURN(RefVariable * v, RefInput(ctx, 0));
  WB_RETURN_IF_ERROR(v->Update([&](Tensor& current) -> Status {
    const PartialShape expected =
        current.has_value() ? PartialShape(current.shape()) : v->declared_shape();
    if (validate_shape_ && !expected.IsCompatibleWith(value.shape())) {
      return InvalidArgument("assign requires shapes of both tensors to match: variable '",
                             v->name(), "' is ", expected.ToString(), ", the value ",
                             value.shape().ToString());
    }
    return put(*v, current, value);
  }));
  ctx.set_output_ref(0, v);
  return OkStatus();
}

StatusOr<std::unique_ptr<ResourceAssignment>> ResourceAssignment::Create(const KernelInit& init) {
  auto made = std::make_unique<ResourceAssignment>();
  WB_ASSIGN_OR_RETURN(made->dtype_, init.attr<DType>("dtype"));
  made->validate_shape_ = init.attrs.GetOr<bool>("validate_shape", false);
  return made;
}

Status ResourceAssignment::Run(KernelContext& ctx, Tensor value, PutValue put) {
  auto found = finder_.Find(ctx, 0);
  if (IsNotFound(found.status())) found = Make(ctx);
  WB_RETURN_IF_ERROR(found.status());
  Variable& v = **found;
  if (v.dtype() != dtype_) {
    return InvalidArgument("the variable '", v.name(), "' holds ", DTypeName(v.dtype()),
                           " and cannot take ", DTypeName(dtype_));
  }
  return v.Update([&](Tensor& current) -> Status {
    if (validate_shape_ && current.has_value() && current.shape() != value.shape()) {
      return InvalidArgument("the variable '", v.name(), "' is of shape ",
                             current.shape().ToString(), ", the value of ",
                             value.shape().ToString());
    }
    return put(v, current, value);
  });
}

StatusOr<std::shared_ptr<Variable>> ResourceAssignment::Make(KernelContext& ctx) const {
  WB_ASSIGN_OR_RETURN(const ResourceHandle* h, HandleInput(ctx, 0));
  return ctx.resources()->LookupOrCreate<Variable>(
      *h, [&]() -> StatusOr<std::shared_ptr<Variable>> {
        return std::make_shared<Variable>(h->name, dtype_);
      });
}

}  // namespace warpbeam
