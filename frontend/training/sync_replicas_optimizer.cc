#include "frontend/training/sync_replicas_optimizer.h"

#include <algorithm>
#include <utility>

#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/training/uninitialized_variables.h"
#include "frontend/variables/variable_builder.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr char kTokenQueue[] = "sync_token_q";

// The scope of what stands beside the global step, outside of all name scopes.
Scope BesideStep(const Scope& scope, const Variable& global_step) {
  return scope.WithPrefix("").Device(global_step.op().device());
}

Output AsStep(const Scope& scope, const Variable& step) { return Cast(scope, step, DType::kInt64); }

}  // namespace

SyncReplicasOptimizer::SyncReplicasOptimizer(Optimizer* optimizer, int replicas_to_aggregate,
                                             const SyncReplicasOptions& options)
    : Optimizer(options.scope_name),
      optimizer_(*optimizer),
      replicas_to_aggregate_(replicas_to_aggregate),
      total_num_replicas_(options.total.value_or(replicas_to_aggregate)),
      options_(options) {}

HandleList<GradientAndVariable> SyncReplicasOptimizer::ComputeGradients(
    ScopeRef scope, const Output& loss, const ComputeGradientsOptions& options) {
  return optimizer_.ComputeGradients(scope.scope(), loss, options);
}

Variable SyncReplicasOptimizer::GetSlot(const Variable& variable, const std::string& slot) const {
  return optimizer_.GetSlot(variable, slot);
}

std::vector<std::string> SyncReplicasOptimizer::GetSlotNames() const {
  return optimizer_.GetSlotNames();
}

Status SyncReplicasOptimizer::Check(const std::vector<GradientAndVariable>& gradients,
                                    const Variable& global_step) const {
  if (is_built()) {
    return FailedPrecondition(name(), ": ApplyGradients has been called; make another optimizer");
  }
  if (replicas_to_aggregate_ < 1 || total_num_replicas_ < 1) {
    return InvalidArgument(name(), ": replicas_to_aggregate and total_num_replicas must be at ",
                           "least 1, got ", replicas_to_aggregate_, " and ", total_num_replicas_);
  }
  if (!global_step.valid()) {
    return InvalidArgument(name(), ": gradients of earlier steps cannot be told from others ",
                           "without a global step; give one to Minimize or ApplyGradients");
  }
  if (gradients.empty()) return InvalidArgument(name(), ": there are no variables to optimize");
  return OkStatus();
}

void SyncReplicasOptimizer::MakeLocalStep(const Scope& scope) {
  // A device function may have a place for variables; this one is to be where operations are.
  const Operation anchor = NoOp(scope);
  VariableBuilder builder(scope.ColocateWith(anchor), "sync_rep_local_step", scope);
  builder.trainable(false).collections({GraphKeys::kLocalVariables});
  builder.use_resource(global_step_.is_resource());
  local_step_ = builder.FromValue(0, global_step_.dtype());
  if (!scope.ok()) return;
  local_step_init_op_ = BuildOp(scope, "Assign", {local_step_, global_step_});
}

Gradient SyncReplicasOptimizer::AggregateSlices(const Scope& scope, const IndexedSlices& slices,
                                                const std::string& shared_name, DType dtype) {
  const Output accumulator =
      BuildOutput(scope.Named("sparse_conditional_accumulator"), "SparseConditionalAccumulator", {},
                  OpAttrs()
                      .Set("dtype", dtype)
                      .Set("shape", PartialShape(Shape()))
                      .Set("shared_name", shared_name));
  const bool has_shape = slices.dense_shape.valid();
  const Output step = AsStep(scope, local_step_);
  const Output indices = Cast(scope, slices.indices, DType::kInt64);
  const Output shape =
      has_shape ? Cast(scope, slices.dense_shape, DType::kInt64)
                : Cast(scope, Tensor::Vector<float>(std::vector<float>()), DType::kInt64);
  brought_.push_back(BuildOp(scope, "SparseAccumulatorApplyGradient",
                             {accumulator, step, indices, slices.values, shape},
                             OpAttrs().Set("has_known_shape", has_shape)));
  const Operation taken =
      BuildOp(scope, "SparseAccumulatorTakeGradient", {accumulator, replicas_to_aggregate_},
              OpAttrs().Set("dtype", dtype));
  accumulators_.push_back({accumulator, /*is_sparse=*/true, scope.device()});
  return IndexedSlices{OutputOf(scope, taken, "values"), OutputOf(scope, taken, "indices"),
                       OutputOf(scope, taken, "shape")};
}

Gradient SyncReplicasOptimizer::Aggregate(const Scope& scope, const GradientAndVariable& entry) {
  const std::string shared_name = entry.variable.name() + ":0/grad_accum";
  if (entry.gradient.is_slices()) {
    const IndexedSlices& slices = entry.gradient.slices();
    return AggregateSlices(scope, slices, shared_name, slices.values.dtype());
  }
  const Output gradient = entry.gradient.dense();
  const OpAttrs dtype = OpAttrs().Set("dtype", gradient.dtype());
  const Output accumulator =
      BuildOutput(scope.Named("conditional_accumulator"), "ResourceConditionalAccumulator", {},
                  OpAttrs(dtype)
                      .Set("shape", PartialShape(entry.variable.shape()))
                      .Set("shared_name", shared_name));
  brought_.push_back(BuildOp(scope, "ResourceAccumulatorApplyGradient",
                             {accumulator, AsStep(scope, local_step_), gradient}, dtype));
  accumulators_.push_back({accumulator, /*is_sparse=*/false, scope.device()});
  return BuildOutput(scope, "ResourceAccumulatorTakeGradient",
                     {accumulator, replicas_to_aggregate_}, dtype);
}

Operation SyncReplicasOptimizer::PutTokens(const Scope& scope, int count) const {
  const Output tokens =
      BuildOutput(scope, "Fill", {Tensor::Vector<int32_t>({count}), global_step_});
  return BuildOp(scope.Named(absl::StrCat(kTokenQueue, "_EnqueueMany")), "QueueEnqueueManyV2",
                 {token_queue_, InputList({tokens})});
}

void SyncReplicasOptimizer::MakeTokens(const Scope& scope, const Operation& update) {
  const DType dtype = global_step_.dtype();
  token_queue_ = BuildOutput(scope.Device("/device:CPU:*").Named(kTokenQueue), "FIFOQueueV2", {},
                             OpAttrs()
                                 .Set("component_types", std::vector<DType>{dtype})
                                 .Set("shapes", std::vector<PartialShape>{PartialShape(Shape())})
                                 .Set("capacity", int64_t{-1})
                                 .Set("shared_name", std::string(kTokenQueue)));
  const Scope brought = scope.ControlDependencies(brought_);
  const Output token =
      BuildOutput(brought.Named(absl::StrCat(kTokenQueue, "_Dequeue")), "QueueDequeueV2",
                  {token_queue_}, OpAttrs().Set("component_types", std::vector<DType>{dtype}));
  train_op_ = BuildOp(scope, "Assign", {local_step_, token});
  // Tokens are those of the step that the update has begun.
  Operation done = PutTokens(scope.ControlDependencies({update}), tokens_per_step());
  if (options_.variable_averages != nullptr) {
    done = options_.variable_averages->Apply(scope.ControlDependencies({done}),
                                             options_.variables_to_average);
  }
  chief_queue_runner_ = MakeQueueRunner(scope, token_queue_, {done});
}

void SyncReplicasOptimizer::MakeChiefInit(const Scope& scope) {
  std::vector<Operation> all = {local_step_init_op_};
  for (const SharedAccumulator& accumulator : accumulators_) {
    const Scope beside = scope.Device(accumulator.device);
    all.push_back(BuildOp(
        beside.Named("SetGlobalStep"),
        accumulator.is_sparse ? "AccumulatorSetGlobalStep" : "ResourceAccumulatorSetGlobalStep",
        {accumulator.handle, AsStep(beside, global_step_)}));
  }
  chief_init_op_ = Group(scope, all);
}

Operation SyncReplicasOptimizer::ApplyGradients(ScopeRef scope_ref,
                                                const std::vector<GradientAndVariable>& gradients,
                                                const Variable& global_step) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  if (Status wrong = Check(gradients, global_step); !wrong.ok()) {
    scope.Fail(wrong);
    return Operation();
  }
  global_step_ = global_step;
  const Scope outside = scope.Named("");
  MakeLocalStep(outside);
  ready_for_local_init_op_ = ReportUninitializedVariables(outside, GlobalVariables(scope));
  const Scope inside = scope.OpenScope(name());
  std::vector<GradientAndVariable> aggregated;
  for (const GradientAndVariable& entry : gradients) {
    const Scope beside = inside.Device(entry.variable.op().device());
    aggregated.push_back(entry);
    if (entry.gradient.has_value()) aggregated.back().gradient = Aggregate(beside, entry);
  }
  const Scope beside_step = BesideStep(inside, global_step);
  const Operation update = optimizer_.ApplyGradients(beside_step, aggregated, global_step);
  if (!scope.ok()) return Operation();
  MakeTokens(beside_step, update);
  MakeChiefInit(inside);
  if (!scope.ok()) train_op_ = Operation();
  return train_op_;
}

bool SyncReplicasOptimizer::CheckBuilt(const Scope& scope, const char* what) const {
  if (!is_built()) {
    scope.Fail(FailedPrecondition(name(), ": call ApplyGradients before ", what));
  }
  return scope.ok();
}

Operation SyncReplicasOptimizer::LeaveOp(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  if (!CheckBuilt(scope, "LeaveOp")) return Operation();
  return PutTokens(BesideStep(scope, global_step_), tokens_per_step());
}

Operation SyncReplicasOptimizer::InitTokensOp(ScopeRef scope_ref, std::optional<int> num_tokens) {
  const Scope scope = scope_ref.scope();
  if (!CheckBuilt(scope, "InitTokensOp")) return Operation();
  const int needed = replicas_to_aggregate_ - total_num_replicas_;
  const int count = num_tokens.value_or(replicas_to_aggregate_);
  if (count < std::max(needed, 0)) {
    scope.Fail(InvalidArgument(name(), ": too few tokens to finish the first step, got ", count,
                               "; at least ", std::max(needed, 0), " are needed"));
    return Operation();
  }
  if (count == 0) return NoOp(scope.Named("no_init_tokens"));
  return PutTokens(BesideStep(scope, global_step_), count);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
