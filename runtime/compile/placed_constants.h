// PlacedConstants: the kernel of constants that have to wait for something, or may be dead in a
// step.
//
//   auto kernel = std::make_unique<PlacedConstants>(std::move(values));   // one for each output
//
// Ownership: keeps the values. Thread safety: as Kernel. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_PLACED_CONSTANTS_H_
#define WARPBEAM_RUNTIME_COMPILE_PLACED_CONSTANTS_H_

#include <utility>
#include <vector>

#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

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

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_PLACED_CONSTANTS_H_
