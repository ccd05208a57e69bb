#include "ops/queue/named_resource.h"

namespace warpbeam {

StatusOr<ResourceHandle> ReadHandle(const KernelContext& ctx, int input) {
  if (RefVariable* reference = ctx.input_ref(input); reference != nullptr) {
    WB_ASSIGN_OR_RETURN(const Tensor names, reference->ReadInitialized());
    if (names.dtype() != DType::kString || names.num_elements() != 2) {
      return InvalidArgument("input ", input, " must be a handle of two strings, not ",
                             DTypeName(names.dtype()), names.shape().ToString());
    }
    ResourceHandle handle;
    handle.container = names.data<std::string>()[0];
    handle.name = names.data<std::string>()[1];
    return handle;
  }
  const Tensor& t = ctx.input(input);
  if (t.dtype() != DType::kResource || t.num_elements() != 1) {
    return InvalidArgument("input ", input, " must be one resource handle, not ",
                           DTypeName(t.dtype()), t.shape().ToString());
  }
  return *t.data<ResourceHandle>();
}

}  // namespace warpbeam
