#include "ops/state/testing/variable_op_check.h"

#include <memory>

#include "graph/op/op_registry.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/state/resource_store.h"
#include "runtime/state/variable.h"

namespace warpbeam {
namespace {

bool HasGpuKernel(const std::string& op) {
  for (const KernelDecl* decl : KernelRegistry::Global().All()) {
    if (decl->op == op && decl->gpu_factory != nullptr) return true;
  }
  return false;
}

// The outputs and the values of the variables.
StatusOr<std::vector<Tensor>> OnCpu(const VariableOp& op) {
  WB_ASSIGN_OR_RETURN(const OpSchema* schema, OpRegistry::Global().Get(op.op));
  const bool by_reference = !schema->inputs.empty() && schema->inputs[0].is_ref;
  ResourceStore store;
  std::vector<std::shared_ptr<RefVariable>> variables;
  OpRunner runner(op.op);
  runner.Resources(&store);
  for (const auto& [name, value] : op.attrs) runner.Attr(name, value);
  for (const Tensor& value : op.variables) {
    const std::string name = "variable" + std::to_string(variables.size());
    variables.push_back(std::make_shared<RefVariable>(name, value.dtype()));
    WB_ASSIGN_OR_RETURN(Tensor own, value.Clone());
    variables.back()->Assign(std::move(own));
    if (by_reference) {
      runner.RefInput(variables.back().get());
      continue;
    }
    WB_RETURN_IF_ERROR(store.Create<Variable>("", name, variables.back()));
    runner.Input(Tensor::Scalar<ResourceHandle>(MakeResourceHandle<Variable>("", "", name, "")));
  }
  for (const Tensor& argument : op.arguments) runner.Input(argument);
  WB_ASSIGN_OR_RETURN(std::vector<Tensor> values, runner.Run());
  for (const auto& variable : variables) values.push_back(variable->Read());
  return values;
}

StatusOr<std::vector<Tensor>> OnGpu(const VariableOp& op, GpuMode mode, bool hold) {
  GpuOpRunner runner(op.op, mode);
  for (const auto& [name, value] : op.attrs) runner.Attr(name, value);
  for (const Tensor& value : op.variables) runner.Variable(value);
  for (const Tensor& argument : op.arguments) runner.Input(argument);
  if (hold) runner.HoldVariables();
  return runner.RunAll();
}

Status Compare(const StatusOr<std::vector<Tensor>>& cpu, const StatusOr<std::vector<Tensor>>& gpu,
               const Tolerance& tolerance) {
  if (!cpu.ok() || !gpu.ok()) {
    if (cpu.status().code() == gpu.status().code()) return OkStatus();
    return Internal("the CPU says ", cpu.status().ToString(), ", the GPU ",
                    gpu.status().ToString());
  }
  if (cpu->size() != gpu->size()) {
    return Internal("the CPU gives ", cpu->size(), " values, the GPU ", gpu->size());
  }
  for (size_t i = 0; i < cpu->size(); ++i) {
    const Status same = CompareTensors((*gpu)[i], (*cpu)[i], tolerance);
    if (!same.ok()) return Internal("value ", i, ": ", same.message());
  }
  return OkStatus();
}

}  // namespace

Status GpuUpdatesAsCpu(const VariableOp& op, const Tolerance& tolerance) {
  if (!HasGpuKernel(op.op)) {
    return FailedPrecondition(op.op + " has no kernel of its own for GPUs");
  }
  const StatusOr<std::vector<Tensor>> cpu = OnCpu(op);
  for (const GpuMode mode : GpuModes()) {
    for (const bool hold : {false, true}) {
      const Status same = Compare(cpu, OnGpu(op, mode, hold), tolerance);
      if (same.ok()) continue;
      return Internal(op.op, ", mode ", static_cast<int>(mode), hold ? ", held: " : ": ",
                      same.message());
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
