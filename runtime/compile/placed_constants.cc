#include "runtime/compile/placed_constants.h"

#include "runtime/compile/copy_kernel.h"

namespace warpbeam {

StatusOr<std::vector<Tensor>> ConstantValues(const Node& node,
                                             absl::FunctionRef<Device*(int output)> device) {
  std::vector<Tensor> values;
  if (node.op_name() == "Const") {
    WB_ASSIGN_OR_RETURN(Tensor value, node.attrs().Get<Tensor>("value"));
    values.push_back(std::move(value));
  } else {
    WB_ASSIGN_OR_RETURN(values, node.attrs().Get<std::vector<Tensor>>("values"));
  }
  if (static_cast<int>(values.size()) != node.num_outputs()) {
    return Internal(DescribeNode(node), " has ", values.size(), " values");
  }
  for (size_t o = 0; o < values.size(); ++o) {
    Device* const to = device(static_cast<int>(o));
    if (to == nullptr) continue;
    WB_ASSIGN_OR_RETURN(values[o], CopyNow(values[o], nullptr, to));
  }
  return values;
}

}  // namespace warpbeam
