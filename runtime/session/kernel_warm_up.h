// KernelWarmUp: begins in the background what kernels' libraries do once in a process before they
// first compute, so that it goes on while the graph is placed, restored and compiled. (oneDNN
// generates 3 MB of code for matrix products: 40 ms.)
//
//   WB_KERNEL("MatMul", MatMulKernel).Cpu().WarmUp(WarmUpGemm);   // says what
//   warm_up.Begin(OpsInUse(graph, 0), graph.functions());         // when a session gets a graph
//
// What was begun is begun once in a process, whichever session had it first; a kernel that computes
// meanwhile waits for it as it would have done the work itself.
//
// Ownership: owns its threads; the destructor waits for them. Thread safety: one thread at a time.
#ifndef WARPBEAM_RUNTIME_SESSION_KERNEL_WARM_UP_H_
#define WARPBEAM_RUNTIME_SESSION_KERNEL_WARM_UP_H_

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/ops_in_use.h"

namespace warpbeam {

class KernelWarmUp {
 public:
  KernelWarmUp() = default;
  ~KernelWarmUp();
  KernelWarmUp(const KernelWarmUp&) = delete;
  KernelWarmUp& operator=(const KernelWarmUp&) = delete;

  // For a graph's ops (runtime/session/ops_in_use.h), and those of its functions.
  void Begin(const std::vector<const OpSchema*>& ops, const FunctionLibrary& functions);
  // For ops of these names, before there is a graph.
  void Begin(const std::vector<std::string>& ops);

 private:
  void Begin(const std::set<KernelWarmUpFunction>& wanted);

  std::vector<std::thread> threads_;
  size_t num_functions_ = 0;  // that were looked at
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_KERNEL_WARM_UP_H_
