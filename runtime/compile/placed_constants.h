// PlacedConstants: the kernel of constants that may be dead in a step. NoWork: that of constants
// that only have to wait for something.
//
//   WB_ASSIGN_OR_RETURN(std::vector<Tensor> values, ConstantValues(node, device_of_output));
//   auto kernel = std::make_unique<PlacedConstants>(std::move(values));   // one for each output
//
// Ownership: keeps the values. Thread safety: as Kernel. Errors: INTERNAL for a node
// without them; those of copies.
#ifndef WARPBEAM_RUNTIME_COMPILE_PLACED_CONSTANTS_H_
#define WARPBEAM_RUNTIME_COMPILE_PLACED_CONSTANTS_H_

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "graph/graph.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// One for each output, in the memory of its device; null: the host's.
StatusOr<std::vector<Tensor>> ConstantValues(const Node& node,
                                             absl::FunctionRef<Device*(int output)> device);

class PlacedConstants final : public Kernel {
 public:
  // The values lie where their readers want them.
  explicit PlacedConstants(std::vector<Tensor> values) : values_(std::move(values)) {}
  const Tensor* values() const { return values_.data(); }
  Status Compute(KernelContext& ctx) override {
    for (int o = 0; o < ctx.num_outputs(); ++o) ctx.set_output(o, values_[o]);
    return OkStatus();
  }

 private:
  const std::vector<Tensor> values_;
};

class NoWork final : public Kernel {
 public:
  Status Compute(KernelContext& /*ctx*/) override { return OkStatus(); }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_PLACED_CONSTANTS_H_
