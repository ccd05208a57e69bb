// FusedLauncher: what launches elementwise nodes of a GPU together, and knows which ones it can.
//
// The kernel that interprets a GpuProgram belongs to the ops whose functors it calls
// (ops/fused/fused_block.h). It registers itself here before main; a program that does not link it
// runs every node by itself.
//
//   const FusedLauncher* const launcher = RegisteredFusedLauncher();
//   if (launcher != nullptr) {
//     const DType types[] = {DType::kFloat, DType::kFloat};
//     const int function = launcher->FunctionOf("Add", AttrMap(), types, {types, 1});
//     if (function < 0) …                                                  // it has none
//   }
//
// Ownership: launchers are static. Thread safety: any thread, but for the registration. Errors: of
// the launch.
#ifndef WARPBEAM_RUNTIME_KERNEL_FUSED_LAUNCHER_H_
#define WARPBEAM_RUNTIME_KERNEL_FUSED_LAUNCHER_H_

#include "absl/strings/string_view.h"
#include "graph/types/attr_value.h"
#include "graph/types/span.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/gpu_program.h"

namespace warpbeam {

class FusedLauncher {
 public:
  virtual ~FusedLauncher() = default;
  // What an op is to GpuProgram::Step with inputs and outputs of these types, references and
  // handles among them; -1 where it can be no step.
  virtual int FunctionOf(absl::string_view op, const AttrMap& attrs, Span<const DType> inputs,
                         Span<const DType> outputs) const = 0;
  virtual Status Launch(GpuStream& stream, const GpuProgram& program) const = 0;
};

void RegisterFusedLauncher(const FusedLauncher* launcher);
// Null without.
const FusedLauncher* RegisteredFusedLauncher();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_FUSED_LAUNCHER_H_
