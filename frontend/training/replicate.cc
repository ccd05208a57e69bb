#include "frontend/training/replicate.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "frontend/training/gradient_buckets.h"
#include "frontend/variables/variable_builder.h"
#include "frontend/variables/variable_scope.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// Takes `variable` out of the collection.
void RemoveFromCollection(const Scope& scope, const char* key, const Variable& variable) {
  std::vector<CollectionItem>& items = scope.state().collections()[key];
  items.erase(std::remove_if(items.begin(), items.end(),
                             [&](const CollectionItem& item) {
                               const Variable* found = item.get<Variable>();
                               return found != nullptr && SameVariable(*found, variable);
                             }),
              items.end());
}

// A scope in which replica `index` is built.
Scope ReplicaScope(const Scope& scope, const std::string& device, int index) {
  const std::string name = absl::StrCat("replica_", index);
  const Scope inside = index == 0 ? scope.NameScope(name) : scope.VariableScope(name);
  return inside.NoDevice().Device(device);
}

std::vector<Variable> VariablesSince(const Scope& scope, size_t before) {
  const std::vector<Variable> all = GlobalVariables(scope);
  return std::vector<Variable>(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
}

std::vector<Variable> TrainableOf(const std::vector<Variable>& variables) {
  std::vector<Variable> trainable;
  for (const Variable& variable : variables) {
    if (variable.trainable()) trainable.push_back(variable);
  }
  return trainable;
}

}  // namespace

Replicas::Replicas(ScopeRef scope_ref, std::vector<std::string> devices,
                   const ReplicaFunction& model, const ReplicateOptions& options)
    : devices_(std::move(devices)), options_(options), variables_(devices_.size()) {
  const Scope scope = scope_ref.scope();
  if (devices_.empty()) {
    scope.Fail(InvalidArgument("a model cannot be replicated on no devices; name at least one"));
    return;
  }
  is_collective_ =
      options_.device.empty() && (options_.by_collectives || AreOfSeveralTasks(devices_));
  if (options_.device.empty()) options_.device = devices_[0];
  for (int r = 0; r < size() && scope.ok(); ++r) {
    const size_t before = GlobalVariables(scope).size();
    scopes_.push_back(ReplicaScope(scope, devices_[r], r));
    losses_.push_back(model(scopes_[r], r));
    variables_[r] = VariablesSince(scope, before);
    if (!scope.ok() || !CheckAgainstFirst(scope, r)) return;
    for (size_t v = 0; r > 0 && v < variables_[r].size(); ++v) {
      AddMirror(scope, variables_[r][v], variables_[0][v]);
    }
  }
}

bool Replicas::CheckAgainstFirst(const Scope& scope, int replica) const {
  const Output& loss = losses_[replica];
  if (!loss.valid() || !IsFloating(loss.dtype()) ||
      !loss.shape().IsCompatibleWith(PartialShape(Shape()))) {
    scope.Fail(InvalidArgument("replica ", replica, ": the loss must be a floating scalar",
                               loss.valid()
                                   ? absl::StrCat(", '", loss.name(), "' is ",
                                                  DTypeName(loss.dtype()), loss.shape().ToString())
                                   : ", the model gave none"));
    return false;
  }
  const std::vector<Variable>& first = variables_[0];
  const std::vector<Variable>& own = variables_[replica];
  const auto alike = [](const Variable& a, const Variable& b) {
    return a.shape() == b.shape() && a.dtype() == b.dtype() && a.trainable() == b.trainable();
  };
  const auto differ = std::mismatch(own.begin(), own.end(), first.begin(), first.end(), alike);
  if (differ.first == own.end() && differ.second == first.end()) return true;
  const auto name = [](const auto& at, const std::vector<Variable>& list) {
    return at == list.end() ? std::string("none") : "'" + at->name() + "'";
  };
  scope.Fail(InvalidArgument("replica ", replica, " of the model makes other variables than the ",
                             "first: ", name(differ.first, own), " where the first has ",
                             name(differ.second, first)));
  return false;
}

void Replicas::AddMirror(const Scope& scope, const Variable& mirror, const Variable& first) {
  if (!scope.ok()) return;
  const Scope beside =
      scope.NoControlDependencies().WithPrefix(mirror.name()).ColocateWith(mirror.op());
  VariableData data;
  data.name = mirror.name();
  data.dtype = mirror.dtype();
  data.shape = mirror.shape();
  data.trainable = mirror.trainable();
  data.ref = mirror.ref();
  data.read = mirror.read();
  data.initial_value = first.read();
  data.initializer = BuildOp(beside.Named("mirror"), "Assign", {mirror, first.read()});
  data.location = mirror.location();
  for (const char* key : {GraphKeys::kGlobalVariables, GraphKeys::kTrainableVariables}) {
    RemoveFromCollection(scope, key, mirror);
  }
  mirrors_.push_back(VariableBuilder::FromNodes(scope, std::move(data)));
  AddToCollection(scope, GraphKeys::kLocalVariables, mirrors_.back());
}

Output Replicas::Loss(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const Scope inside = scope.OpenScope("loss").NoDevice().Device(options_.device);
  const double factor = options_.sums ? 1.0 : 1.0 / size();
  const Output sum = AddN(inside.Named("sum"), losses_);
  return scope(Multiply(inside.Named(inside.name_scope()), sum, factor));
}

HandleList<GradientAndVariable> Replicas::ComputeGradients(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return {};
  std::vector<Shape> shapes;
  for (const Variable& variable : TrainableOf(variables_[0])) shapes.push_back(variable.shape());
  // As optimizers gate theirs: a bucket may be there, and its variables be updated, while the rest
  // of the replica is still under way.
  GradientsOptions gated;
  gated.gate_gradients = true;
  std::vector<std::vector<Gradient>> gradients;
  for (int r = 0; r < size(); ++r) {
    gradients.push_back(
        shapes.empty() ? std::vector<Gradient>()
                       : Gradients(scopes_[r], {losses_[r]}, TrainableOf(variables_[r]), gated));
  }
  if (!scope.ok()) return {};
  const GradientBuckets buckets(devices_, is_collective_ ? "" : options_.device,
                                options_.bytes_per_bucket, options_.sums);
  const std::vector<std::vector<Gradient>> reduced =
      buckets.Reduce(scope.OpenScope("all_reduce"), gradients, shapes);
  std::vector<GradientAndVariable> result;
  for (int r = 0; r < size(); ++r) {
    const std::vector<Variable> variables = TrainableOf(variables_[r]);
    for (size_t v = 0; v < variables.size(); ++v) result.push_back({reduced[r][v], variables[v]});
  }
  return result;
}

Operation Replicas::ApplyGradients(ScopeRef scope_ref, Optimizer& optimizer,
                                   const std::vector<GradientAndVariable>& gradients,
                                   const Variable& global_step) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  const size_t before = GlobalVariables(scope).size();
  const Operation train = optimizer.ApplyGradients(scope, gradients, global_step);
  const std::vector<Variable> made = VariablesSince(scope, before);
  for (const std::string& slot : optimizer.GetSlotNames()) {
    for (int r = 1; r < size(); ++r) {
      for (size_t v = 0; v < variables_[r].size(); ++v) {
        const Variable mirror = optimizer.GetSlot(variables_[r][v], slot);
        if (!ContainsVariable(made, mirror)) continue;
        AddMirror(scope, mirror, optimizer.GetSlot(variables_[0][v], slot));
      }
    }
  }
  return train;
}

Operation Replicas::Minimize(ScopeRef scope_ref, Optimizer& optimizer,
                             const Variable& global_step) {
  const Scope scope = scope_ref.scope();
  return ApplyGradients(scope, optimizer, ComputeGradients(scope.Named("")), global_step);
}

Operation Replicas::Mirror(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  return VariablesInitializer(scope.Named(scope.OpNameOr("mirror")), mirrors_);
}

HandleList<OutputList> ShardBatch(ScopeRef scope_ref, const std::vector<Output>& batch, int count) {
  const Scope scope = scope_ref.scope();
  if (count < 1) {
    scope.Fail(InvalidArgument("a batch cannot be cut into ", count, " parts"));
    return {};
  }
  std::vector<OutputList> shards;
  const Scope inside = scope.OpenScope("shard_batch");
  for (const Output& tensor : batch) {
    const OutputList parts = Split(inside, tensor, count);
    if (!scope.ok()) return {};
    shards.resize(static_cast<size_t>(count));
    for (size_t i = 0; i < shards.size(); ++i) shards[i].push_back(scope(parts[i]));
  }
  return shards;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
