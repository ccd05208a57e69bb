// Callables and partial runs of a SessionCore.
#include <algorithm>
#include <utility>

#include "graph/types/shown_name.h"
#include "placement/partition.h"
#include "runtime/session/device_tensor.h"
#include "runtime/session/session_core.h"
#include "runtime/state/session_tensors.h"
#include "runtime/step/step_ids.h"

namespace warpbeam {

Status SessionCore::ResolveDevices(const Graph& graph,
                                   const std::map<std::string, std::string>& asked,
                                   const std::vector<std::string>& names,
                                   const std::vector<OutputRef>& outputs, const char* what,
                                   std::vector<Memory>* memories,
                                   std::vector<const Device*>* lies_on) {
  const DeviceSet& devices = *home().devices();
  memories->assign(names.size(), Memory::Host());
  lies_on->assign(names.size(), nullptr);
  for (const auto& [name, device] : asked) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      return InvalidArgument(what, "_devices names '", ShownName(name), "', which is no ", what,
                             " of the callable");
    }
    WB_ASSIGN_OR_RETURN(DeviceName wanted, DeviceName::Parse(device));
    int found = -1;
    for (int i = 0; i < devices.size() && found < 0; ++i) {
      if (wanted.Matches(devices.names()[i])) found = i;
    }
    if (found < 0) {
      return InvalidArgument("there is no device '", ShownName(device), "' for the ", what, " '",
                             ShownName(name), "'");
    }
    if (devices.device(found)->type() == DeviceType::kCpu) continue;
    const size_t index = static_cast<size_t>(at - names.begin());
    const OutputRef output = outputs[index];
    const DType dtype = BaseType(graph.node(output.node).output_type(output.index));
    if (IsHostOnly(dtype)) {
      return InvalidArgument("the ", what, " '", ShownName(name), "' cannot lie on '",
                             ShownName(device), "': a tensor of ", DTypeName(dtype),
                             " is always in host memory");
    }
    (*memories)[index] = Memory::Of(found);
    (*lies_on)[index] = devices.device(found);
  }
  return OkStatus();
}

Status SessionCore::Connect(const std::vector<std::pair<std::string, std::string>>& connections,
                            StepBounds* bounds, PlanMode* mode) {
  if (connections.empty()) return OkStatus();
  std::shared_lock<std::shared_mutex> lock(compiler_->graph_mutex());
  const std::shared_ptr<const Graph> given_graph = bounds->graph;
  absl::flat_hash_map<OutputRef, OutputRef> source_of;
  for (const auto& [from_name, to_name] : connections) {
    WB_ASSIGN_OR_RETURN(const OutputRef from,
                        ParseOutput(*given_graph, from_name, "connection's source"));
    WB_ASSIGN_OR_RETURN(const OutputRef to, ParseOutput(*given_graph, to_name, "connection's end"));
    const DType given = given_graph->node(from.node).output_type(from.index);
    const DType wanted = given_graph->node(to.node).output_type(to.index);
    if (BaseType(given) != BaseType(wanted)) {
      return InvalidArgument("'", ShownName(from_name), "' cannot be connected with '",
                             ShownName(to_name), "': they are ", DTypeName(given), " and ",
                             DTypeName(wanted));
    }
    const bool fed =
        std::find(bounds->feeds.begin(), bounds->feeds.end(), to) != bounds->feeds.end();
    if (fed || !source_of.emplace(to, from).second) {
      return InvalidArgument("'", ShownName(to_name), "' is fed or connected twice");
    }
    // What was inferred from the shape of `to` may be wrong now: as little as of what is fed.
    const PartialShape& shape = given_graph->node(from.node).output_shape(from.index);
    const auto merged =
        PartialShape::Merge(shape, given_graph->node(to.node).output_shape(to.index));
    if (!merged.ok() || !(*merged == shape)) mode->required_passes_only = true;
  }
  std::shared_ptr<Graph> graph = Graph::Overlay(given_graph);
  for (NodeId id = 0; id < graph->num_nodes(); ++id) {
    for (int i = 0; i < graph->node(id).num_inputs(); ++i) {
      const auto source = source_of.find(graph->node(id).input(i));
      if (source == source_of.end()) continue;
      WB_RETURN_IF_ERROR(graph->SetInput(id, i, source->second));
    }
    // A placeholder has nothing of its own to wait for.
    const std::vector<NodeId> before = graph->node(id).control_inputs();
    std::vector<NodeId> after = before;
    for (NodeId& control : after) {
      const auto source = source_of.find({control, 0});
      if (source != source_of.end() && graph->node(control).num_inputs() == 0) {
        control = source->second.node;
      }
    }
    if (after != before) WB_RETURN_IF_ERROR(graph->SetControlInputs(id, std::move(after)));
  }
  for (OutputRef& fetch : bounds->fetches) {
    const auto source = source_of.find(fetch);
    if (source != source_of.end()) fetch = source->second;
  }
  bounds->graph = std::move(graph);
  return OkStatus();
}

StatusOr<std::shared_ptr<StepRunner>> SessionCore::CompileApart(StepBounds bounds,
                                                                const PlanMode& mode,
                                                                const RunOptions& options) {
  const std::shared_ptr<StepContext> context = NewContext();
  const Cancellation::Scope scope(options.cancellation, context.get());
  WB_RETURN_IF_ERROR(BeginStep(context.get()));
  const auto compile = [compiler = compiler_, bounds = std::move(bounds), mode] {
    return compiler->Compile(bounds, mode);
  };
  StatusOr<std::shared_ptr<StepRunner>> runner = plans_.Compile(
      compile, Patience::For(TimeoutOf(options), context.get(), options.cancellation != nullptr));
  EndStep(context.get());
  return runner;
}

StatusOr<Session::CallableHandle> SessionCore::MakeCallable(const CallableOptions& options) {
  WB_RETURN_IF_ERROR(CheckOptions(options.run));
  WB_ASSIGN_OR_RETURN(StepBounds bounds,
                      compiler_->Resolve(options.feeds, options.fetches, options.targets));
  auto callable = std::make_shared<Callable>();
  callable->options = options.run;
  callable->options.cancellation = nullptr;  // of making it
  WB_RETURN_IF_ERROR(ResolveDevices(*bounds.graph, options.feed_devices, options.feeds,
                                    bounds.feeds, "feed", &bounds.feed_memories,
                                    &callable->feed_devices));
  WB_RETURN_IF_ERROR(ResolveDevices(*bounds.graph, options.fetch_devices, options.fetches,
                                    bounds.fetches, "fetch", &bounds.fetch_memories,
                                    &callable->fetch_devices));
  PlanMode mode;
  mode.one_thread = options.run.inter_op_thread_pool == -1;
  mode.collective_graph_key = options.run.collective_graph_key;
  WB_RETURN_IF_ERROR(Connect(options.connections, &bounds, &mode));
  WB_ASSIGN_OR_RETURN(callable->runner, CompileApart(std::move(bounds), mode, options.run));
  std::lock_guard<std::mutex> closing(steps_mutex_);
  if (closed_) return Cancelled("the session has been closed");
  std::lock_guard<std::mutex> lock(callables_mutex_);
  const CallableHandle handle = next_callable_++;
  callables_.emplace(handle, std::move(callable));
  return handle;
}

Status SessionCore::RunCallable(CallableHandle handle, Span<const Tensor> feeds,
                                std::vector<Tensor>* fetched, RunMetadata* metadata,
                                Cancellation* cancellation) {
  std::shared_ptr<const Callable> callable;
  {
    std::lock_guard<std::mutex> lock(callables_mutex_);
    const auto found = callables_.find(handle);
    if (found != callables_.end()) callable = found->second;
    if (callable == nullptr && (handle < 1 || handle >= next_callable_)) {
      return InvalidArgument("there is no callable with the handle ", handle);
    }
  }
  const std::shared_ptr<StepContext> context = NewContext();
  const Cancellation::Scope scope(cancellation, context.get());
  WB_RETURN_IF_ERROR(BeginStep(context.get()));
  Status status;
  if (callable == nullptr) {
    status = InvalidArgument("the callable with the handle ", handle, " has been released");
  } else {
    for (size_t i = 0; status.ok() && i < std::min(feeds.size(), callable->feed_devices.size());
         ++i) {
      status = CheckMemory(feeds[i], callable->feed_devices[i], absl::StrCat("feed ", i));
    }
    if (status.ok()) {
      RunOptions options = callable->options;
      options.cancellation = cancellation;
      const Patience patience =
          Patience::For(TimeoutOf(options), context.get(), cancellation != nullptr);
      status = RunPlan(callable->runner, context, options, patience, feeds, fetched, metadata);
    }
  }
  EndStep(context.get());
  if (!status.ok() || fetched == nullptr) return status;
  for (size_t i = 0; i < fetched->size(); ++i) {
    const Device* device = callable->fetch_devices[i];
    if (device != nullptr) {
      (*fetched)[i] = HoldOnDevice(std::move((*fetched)[i]), device, home().devices());
    }
  }
  return OkStatus();
}

Status SessionCore::ReleaseCallable(CallableHandle handle) {
  std::lock_guard<std::mutex> lock(callables_mutex_);
  if (handle < 1 || handle >= next_callable_) {
    return InvalidArgument("there is no callable with the handle ", handle);
  }
  const auto found = callables_.find(handle);
  if (found == callables_.end()) return OkStatus();
  plans_.Drop(found->second->runner);
  callables_.erase(found);
  return OkStatus();
}

StatusOr<std::string> SessionCore::PartialRunSetup(const std::vector<std::string>& feeds,
                                                   const std::vector<std::string>& fetches,
                                                   const std::vector<std::string>& targets) {
  WB_ASSIGN_OR_RETURN(StepBounds bounds, compiler_->Resolve(feeds, fetches, targets));
  PlanMode mode;
  mode.partial = true;
  const std::vector<OutputRef> fed = bounds.feeds, wanted = bounds.fetches;
  WB_ASSIGN_OR_RETURN(std::shared_ptr<StepRunner> runner,
                      CompileApart(std::move(bounds), mode, RunOptions()));
  WB_RETURN_IF_ERROR(CheckDequeues(*runner, RunOptions()));
  WB_RETURN_IF_ERROR(Foresee(*runner, {}).status());
  const int64_t id = NewStepId();
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Rendezvous> meeting, runner->NewMeeting(id));
  auto step = std::make_shared<PartialStep>(id, home().resources().get(), home().functions().get(),
                                            std::move(meeting));
  std::shared_ptr<warpbeam::PartialRun> run;
  {
    std::shared_lock<std::shared_mutex> lock(compiler_->graph_mutex());
    run = std::make_shared<warpbeam::PartialRun>(*compiler_->graph(), fed, wanted,
                                                 std::move(runner), step);
  }
  WB_RETURN_IF_ERROR(BeginStep(step.get()));
  const std::string handle = absl::StrCat("partial_run_", step->step_id());
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    partial_runs_[handle] = run;
  }
  run->Start();
  return handle;
}

Status SessionCore::PartialRun(const std::string& handle, const NamedTensors& feeds,
                               const std::vector<std::string>& fetches,
                               std::vector<Tensor>* fetched, Cancellation* cancellation) {
  std::shared_ptr<warpbeam::PartialRun> run;
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    if (closed_) return Cancelled("the session has been closed");
    const auto found = partial_runs_.find(handle);
    if (found == partial_runs_.end()) {
      return InvalidArgument(
          "Must run PartialRunSetup before performing partial runs: there is no partial run '",
          ShownName(handle), "', or it has ended");
    }
    run = found->second;
  }
  std::vector<OutputRef> fed, wanted;
  std::vector<Tensor> values;
  {
    std::shared_lock<std::shared_mutex> lock(compiler_->graph_mutex());
    for (const auto& feed : feeds) {
      WB_RETURN_IF_ERROR(CheckMemory(feed.second, nullptr, feed.first));
      WB_ASSIGN_OR_RETURN(OutputRef output, ParseOutput(*compiler_->graph(), feed.first, "feed"));
      WB_RETURN_IF_ERROR(run->CheckFeed(output, feed.first));
      fed.push_back(output);
      WB_ASSIGN_OR_RETURN(Tensor value, FedTensor(feed.second, *home().resources()));
      values.push_back(std::move(value));
    }
    for (const std::string& fetch : fetches) {
      WB_ASSIGN_OR_RETURN(OutputRef output, ParseOutput(*compiler_->graph(), fetch, "fetch"));
      WB_RETURN_IF_ERROR(run->CheckFetch(output, fetch));
      wanted.push_back(output);
    }
  }
  WB_RETURN_IF_ERROR(run->Take(fed, values, wanted));
  const Cancellation::Scope scope(cancellation, run->context());
  const Status status = run->Exchange(fed, values, wanted, options_.operation_timeout_ms, fetched);
  if (status.ok() && !run->IsComplete()) return status;
  if (!status.ok()) run->End(status);
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    partial_runs_.erase(handle);
    Forget(run->context());
  }
  plans_.Drop(run->runner());
  return status;
}

}  // namespace warpbeam
