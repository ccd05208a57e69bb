#include "ops/launch/gpu_as_cpu.h"

#include "ops/launch/gpu_launch.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

bool HasGpuKernel(const std::string& op) {
  for (const KernelDecl* decl : KernelRegistry::Global().All()) {
    if (decl->op == op && decl->gpu_factory != nullptr) return true;
  }
  for (const auto* e = GpuElementwiseEntries(GpuSide::kSimulated); e != nullptr; e = e->next) {
    if (op == e->op) return true;
  }
  return false;
}

const char* Name(GpuMode mode) {
  switch (mode) {
    case GpuMode::kOnStream:
      return ", on the stream: ";
    case GpuMode::kEnqueues:
      return ", enqueued: ";
    case GpuMode::kReal:
      return ", on the machine's GPU: ";
  }
  return "";
}

template <class Runner>
void Fill(const OpCall& call, Runner& runner) {
  for (const auto& [name, value] : call.attrs) runner.Attr(name, value);
  for (const std::vector<Tensor>& argument : call.arguments) runner.InputList(argument);
}

Status Compare(const StatusOr<std::vector<Tensor>>& cpu, const StatusOr<std::vector<Tensor>>& gpu,
               const Tolerance& tolerance) {
  if (!cpu.ok() || !gpu.ok()) {
    if (cpu.status().code() == gpu.status().code()) return OkStatus();
    return Internal("the CPU says ", cpu.status().ToString(), ", the GPU ",
                    gpu.status().ToString());
  }
  if (cpu->size() != gpu->size()) {
    return Internal("the CPU gives ", cpu->size(), " outputs, the GPU ", gpu->size());
  }
  for (size_t i = 0; i < cpu->size(); ++i) {
    const Status same = CompareTensors((*gpu)[i], (*cpu)[i], tolerance);
    if (!same.ok()) return Internal("output ", i, ": ", same.message());
  }
  return OkStatus();
}

}  // namespace

Status GpuAsCpu(const OpCall& call, const Tolerance& tolerance) {
  if (!HasGpuKernel(call.op)) {
    return FailedPrecondition(call.op + " has no kernel of its own for GPUs");
  }
  OpRunner on_cpu(call.op);
  Fill(call, on_cpu);
  const StatusOr<std::vector<Tensor>> cpu = on_cpu.Run();
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner on_gpu(call.op, mode);
    Fill(call, on_gpu);
    const Status same = Compare(cpu, on_gpu.RunAll(), tolerance);
    if (!same.ok()) {
      return Internal(call.op, Name(mode), same.message());
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
