#include "runtime/session/local_session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "graph/passes/loop_frames.h"
#include "graph/types/nearest_name.h"
#include "graph/types/shown_name.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/memory/pooled_allocator.h"
#include "runtime/record/file_root.h"
#include "runtime/session/device_graphs.h"
#include "runtime/session/device_tensor.h"

namespace warpbeam {
namespace {

void AppendKey(const std::string& part, std::string* key) {
  absl::StrAppend(key, part.size(), ":", part, ",");
}

// What may be meant by a name that no node has.
std::string MeantNode(const Graph& graph, absl::string_view name) {
  NearestName nearest(name);
  for (const Node& node : graph.nodes()) nearest.Offer(node.name());
  return nearest.Question();
}

absl::Status MakeDumpFolder(const std::string& folder) {
  if (folder.empty()) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && ::access(folder.c_str(), W_OK) != 0) {
    error = std::error_code(errno, std::generic_category());
  }
  if (!error) return absl::OkStatus();
  return FailedPrecondition("graphs cannot be dumped to the folder '", folder,
                            "': ", error.message());
}

}  // namespace

absl::StatusOr<OutputRef> ParseOutput(const Graph& graph, const std::string& text,
                                      const char* what) {
  const size_t colon = text.rfind(':');
  int index = 0;
  std::string name = text;
  if (colon != std::string::npos) {
    name = text.substr(0, colon);
    if (!absl::SimpleAtoi(text.substr(colon + 1), &index)) {
      return InvalidArgument("the ", what, " '", ShownName(text),
                             "' is not of the form node:output");
    }
  }
  const Node* node = graph.Find(name);
  if (node == nullptr) {
    return InvalidArgument("the ", what, " '", ShownName(text), "' names no node of the graph",
                           MeantNode(graph, name));
  }
  if (index < 0 || index >= node->num_outputs()) {
    return OutOfRange("the ", what, " '", ShownName(text), "' names output ", index, " of '",
                      ShownName(name), "' (", node->op_name(), "), which has ",
                      node->num_outputs());
  }
  return OutputRef{node->id(), index};
}

absl::StatusOr<std::shared_ptr<DeviceSet>> CreateDevices(const SessionOptions& options) {
  DeviceSetOptions devices;
  devices.job = options.job;
  devices.task = options.task;
  devices.cpu_devices = options.cpu_devices;
  devices.simulated_gpus = options.simulated_gpus;
  devices.simulated_gpu_memory = options.simulated_gpu_memory;
  devices.stress_seed = options.stress_seed;
  devices.fixed_cuts = options.deterministic;
  devices.own_threads = options.use_per_session_threads;
  devices.threads =
      options.intra_op_threads > 0 ? options.intra_op_threads : options.inter_op_threads;
  return DeviceSet::Create(devices);
}

absl::StatusOr<std::unique_ptr<Session>> Session::Create(const SessionOptions& options,
                                                         std::shared_ptr<Graph> graph) {
  return LocalSession::Create(options, std::move(graph));
}

absl::StatusOr<std::unique_ptr<LocalSession>> LocalSession::Create(const SessionOptions& options,
                                                                   std::shared_ptr<Graph> graph) {
  WB_RETURN_IF_ERROR(OpRegistry::GlobalStatus());
  if (options.host_memory_limit < 0) {
    return InvalidArgument("host_memory_limit must not be negative, got ",
                           options.host_memory_limit, "; 0 sets no limit");
  }
  if (options.host_memory_limit > 0) PoolAllocator::Process().set_limit(options.host_memory_limit);
  WB_RETURN_IF_ERROR(SetFileRoot(options.file_root));
  WB_RETURN_IF_ERROR(MakeDumpFolder(options.dump_directory));
  if (options.deterministic && options.devices != nullptr && !options.devices->has_fixed_cuts()) {
    return InvalidArgument(
        "a deterministic session needs devices that were made with `deterministic` set");
  }
  std::unique_ptr<LocalSession> session(new LocalSession(options));
  session->devices_ = options.devices;
  if (session->devices_ == nullptr) {
    WB_ASSIGN_OR_RETURN(session->devices_, CreateDevices(options));
  }
  session->graph_ = std::move(graph);
  session->resources_ =
      options.resources != nullptr ? options.resources : std::make_shared<ResourceStore>();
  PlacerOptions placing;
  placing.allow_soft_placement = options.allow_soft_placement;
  placing.strict = options.strict_placement;
  FunctionPlans::Setup setup;
  setup.ops = &session->graph_->ops();
  setup.devices = session->devices_;
  setup.resources = session->resources_;
  setup.placer = placing;
  setup.passes = options.passes;
  setup.deterministic = options.deterministic;
  setup.allow = options.allow.value_or(CapabilitySet::All());
  if (!options.cost_profile.empty()) {
    WB_ASSIGN_OR_RETURN(session->costs_, CostProfile::Read(options.cost_profile));
  }
  session->functions_ = std::make_shared<FunctionPlans>(session->graph_->functions(), setup);
  session->kernels_ = std::make_unique<KernelCache>();
  session->catalog_ =
      std::make_unique<CallableCatalog>(KernelRegistry::Global(), session->graph_->functions());
  session->placer_ =
      std::make_unique<Placer>(session->catalog_.get(), session->devices_->names(), placing);
  WB_RETURN_IF_ERROR(session->PlaceNew());
  return session;
}

LocalSession::~LocalSession() {
  if (Close(10000).ok()) return;
  // A kernel is still running: what it may touch must stay. It is left behind on purpose.
  auto* kept = new std::vector<std::shared_ptr<void>>;
  for (auto& runner : AllRunners()) kept->push_back(std::move(runner));
  kept->insert(kept->end(), {devices_, resources_, functions_, graph_});
  kept->push_back(std::shared_ptr<KernelCache>(std::move(kernels_)));
}

absl::Status LocalSession::PlaceNew() {
  const int before = placer_->num_placed();
  WB_RETURN_IF_ERROR(CheckLoopFrames(*graph_));
  WB_RETURN_IF_ERROR(placer_->Place(*graph_));
  checks_.Add(*graph_, before);
  functions_->UpdateLibrary(graph_->functions());
  warm_up_.Begin(*graph_, before);
  if (options_.log_device_placement == nullptr) return absl::OkStatus();
  for (int id = before; id < graph_->num_nodes(); ++id) {
    options_.log_device_placement(PlacementLogLine(placer_->Explain(*graph_, id)));
  }
  return absl::OkStatus();
}

absl::Status LocalSession::Extend(const std::function<absl::Status(Graph&)>& change) {
  std::unique_lock<std::shared_mutex> lock(graph_mutex_);
  WB_RETURN_IF_ERROR(change(*graph_));
  return PlaceNew();
}

absl::StatusOr<PlanRequest> LocalSession::Resolve(const std::vector<std::string>& feeds,
                                                  const std::vector<std::string>& fetches,
                                                  const std::vector<std::string>& targets) {
  if (graph_->num_nodes() > placer_->num_placed()) {
    std::unique_lock<std::shared_mutex> lock(graph_mutex_);
    WB_RETURN_IF_ERROR(PlaceNew());
  }
  std::shared_lock<std::shared_mutex> lock(graph_mutex_);
  PlanRequest request;
  for (const std::string& feed : feeds) {
    WB_ASSIGN_OR_RETURN(OutputRef r, ParseOutput(*graph_, feed, "feed"));
    for (OutputRef other : request.feeds) {
      if (other == r) return InvalidArgument("'", feed, "' is fed twice");
    }
    request.feeds.push_back(r);
  }
  for (const std::string& fetch : fetches) {
    WB_ASSIGN_OR_RETURN(OutputRef r, ParseOutput(*graph_, fetch, "fetch"));
    if (std::find(request.feeds.begin(), request.feeds.end(), r) != request.feeds.end()) {
      return InvalidArgument("'", fetch, "' is both fed and fetched; leave out one of the two");
    }
    request.fetches.push_back(r);
  }
  for (const std::string& target : targets) {
    const Node* node = graph_->Find(target);
    if (node == nullptr) {
      return NotFound("the target '", ShownName(target), "' names no node of the graph",
                      MeantNode(*graph_, target));
    }
    request.targets.push_back(node->id());
  }
  if (fetches.empty() && targets.empty()) {
    return InvalidArgument("there is nothing to run: give at least one fetch or target");
  }
  return request;
}

absl::StatusOr<std::unique_ptr<Plan>> LocalSession::Compile(
    PlanRequest request, std::shared_ptr<const Graph> rewritten) {
  std::shared_lock<std::shared_mutex> lock(graph_mutex_);
  request.graph = rewritten != nullptr ? std::move(rewritten) : graph_;
  WB_RETURN_IF_ERROR(
      checks_.Check(*request.graph, request.feeds, request.fetches, request.targets));
  request.devices = devices_.get();
  request.device_of = [this](NodeId id) { return placer_->device_of(id); };
  request.bodies = [this](const FunctionRef& function, const std::string& device) {
    return functions_->Place(function, device);
  };
  request.kernels = kernels_.get();
  request.services = {resources_.get(), functions_.get(),
                      options_.allow.value_or(CapabilitySet::All())};
  if (request.passes != "none") request.passes = options_.passes;
  request.deterministic = options_.deterministic;
  request.costs = costs_.has_value() ? &*costs_ : nullptr;
  if (!options_.dump_directory.empty()) {
    request.dump = [this](const std::string& s, const std::string& t) { DumpStep(s, t); };
  }
  return CompilePlan(request);
}

absl::StatusOr<std::shared_ptr<PlanRunner>> LocalSession::PlanFor(
    const NamedTensors& feeds, const std::vector<std::string>& fetches,
    const std::vector<std::string>& targets, bool in_caller) {
  thread_local std::string key;  // keeps its memory from step to step
  key.clear();
  for (const auto& feed : feeds) AppendKey(feed.first, &key);
  key += in_caller ? '!' : '|';
  for (const std::string& f : fetches) AppendKey(f, &key);
  key += '|';
  for (const std::string& t : targets) AppendKey(t, &key);
  if (auto runner = plans_.Find(key); runner != nullptr) return runner;
  const std::string wanted = key;  // compiling may run functions, and those sessions
  return plans_.FindOrCompile(wanted, [&]() -> absl::StatusOr<std::unique_ptr<Plan>> {
    std::vector<std::string> names;
    names.reserve(feeds.size());
    for (const auto& feed : feeds) names.push_back(feed.first);
    WB_ASSIGN_OR_RETURN(PlanRequest request, Resolve(names, fetches, targets));
    request.one_thread = in_caller;
    return Compile(std::move(request));
  });
}

absl::Status LocalSession::Prepare(const std::vector<std::string>& feeds,
                                   const std::vector<std::string>& fetches,
                                   const std::vector<std::string>& targets) {
  NamedTensors named;
  for (const std::string& feed : feeds) named.emplace_back(feed, Tensor());
  return PlanFor(named, fetches, targets, /*in_caller=*/false).status();
}

absl::Status LocalSession::CheckOptions(const RunOptions& options) const {
  if (options.inter_op_thread_pool == 0 || options.inter_op_thread_pool == -1) {
    return absl::OkStatus();
  }
  return InvalidArgument("there is no inter_op_thread_pool ", options.inter_op_thread_pool,
                         "; 0 is the session's, -1 the caller's thread");
}

std::shared_ptr<StepContext> LocalSession::NewContext() {
  return std::allocate_shared<StepContext>(PooledAllocator<StepContext>(), next_step_.fetch_add(1),
                                           resources_.get(), functions_.get());
}

absl::Status LocalSession::BeginStep(StepContext* context) {
  std::lock_guard<std::mutex> lock(steps_mutex_);
  if (closed_) return Cancelled("the session has been closed");
  running_.push_back(context);
  return absl::OkStatus();
}

void LocalSession::Forget(StepContext* context) {
  const auto found = std::find(running_.begin(), running_.end(), context);
  if (found == running_.end()) return;
  *found = running_.back();
  running_.pop_back();
}

void LocalSession::EndStep(StepContext* context) {
  std::lock_guard<std::mutex> lock(steps_mutex_);
  Forget(context);
}

absl::Status LocalSession::RunPlan(PlanRunner& runner, std::shared_ptr<StepContext> context,
                                   const RunOptions& options, absl::Span<const Tensor> feeds,
                                   std::vector<Tensor>* fetched, RunMetadata* metadata) {
  if (context->IsCancelled()) return context->cancel_reason();
  StepReport report;
  if (metadata != nullptr) {
    report.trace = options.trace;
    if (options.cost_graph) report.trace = std::max(report.trace, TraceLevel::kSoftware);
    report.stats = &metadata->step_stats;
  }
  WB_RETURN_IF_ERROR(at_once_.Begin(runner.plan()));
  const absl::Status status =
      runner.Run(std::move(context), feeds, TimeoutOf(options), fetched, &report);
  at_once_.End(runner.plan());
  if (metadata != nullptr) {
    const Plan& plan = runner.plan();
    metadata->nodes_executed = report.items_run;
    metadata->bytes_copied = report.bytes_copied;
    metadata->host_to_device_copies = plan.host_to_device_copies;
    metadata->device_to_host_copies = plan.device_to_host_copies;
    metadata->peer_copies = plan.peer_copies;
    if (options.cost_graph) metadata->cost_graph = CostGraphOf(*plan.graph, metadata->step_stats);
    if (options.partition_graphs) metadata->partition_graphs = DeviceGraphsOf(plan);
  }
  return status;
}

absl::Status LocalSession::Run(const RunOptions& options, const NamedTensors& feeds,
                               const std::vector<std::string>& fetches,
                               const std::vector<std::string>& targets,
                               std::vector<Tensor>* fetched, RunMetadata* metadata) {
  WB_RETURN_IF_ERROR(CheckOptions(options));
  const std::shared_ptr<StepContext> context = NewContext();
  const Cancellation::Scope scope(options.cancellation, context.get());
  WB_RETURN_IF_ERROR(BeginStep(context.get()));
  absl::Status status;
  auto runner = PlanFor(feeds, fetches, targets, options.inter_op_thread_pool == -1);
  if (!runner.ok()) {
    status = runner.status();
  } else {
    thread_local std::vector<Tensor> kept;  // its memory, from step to step
    std::vector<Tensor> values = std::move(kept);
    for (const auto& feed : feeds) {
      if (status.ok()) status = CheckMemory(feed.second, nullptr, feed.first);
      values.push_back(feed.second);
    }
    if (status.ok()) status = RunPlan(**runner, context, options, values, fetched, metadata);
    values.clear();
    kept = std::move(values);
  }
  EndStep(context.get());
  return status;
}

std::vector<std::shared_ptr<PlanRunner>> LocalSession::AllRunners() {
  std::vector<std::shared_ptr<PlanRunner>> runners;
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    for (const auto& [handle, run] : partial_runs_) runners.push_back(run->runner());
  }
  for (auto& runner : plans_.All()) runners.push_back(std::move(runner));
  std::lock_guard<std::mutex> lock(callables_mutex_);
  for (const auto& [handle, callable] : callables_) runners.push_back(callable->runner);
  return runners;
}

absl::Status LocalSession::Close(int64_t timeout_ms) {
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    if (drained_) return absl::OkStatus();
    closed_ = true;
    for (StepContext* step : running_) step->Cancel(Cancelled("the session has been closed"));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  std::vector<std::shared_ptr<PlanRunner>> runners = AllRunners();
  std::vector<std::string> out;
  for (const auto& runner : runners) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (runner->Drain(std::max<int64_t>(0, left.count()))) continue;
    for (std::string& item : runner->Running()) out.push_back(std::move(item));
  }
  if (!out.empty()) {
    return DeadlineExceeded("the session did not close within ", timeout_ms,
                            " ms; still out: ", absl::StrJoin(out, "; "));
  }
  plans_.Clear();
  {
    std::lock_guard<std::mutex> lock(callables_mutex_);
    callables_.clear();
  }
  runners.clear();
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    partial_runs_.clear();
    running_.clear();
    drained_ = true;
  }
  if (options_.resources == nullptr) resources_->Clear();
  PoolAllocator::Process().Trim();
  return absl::OkStatus();
}

std::vector<std::string> LocalSession::DeviceNames() const {
  std::vector<std::string> names;
  for (const DeviceName& name : devices_->names()) names.push_back(name.ToString());
  return names;
}

absl::StatusOr<PlacementReport> LocalSession::Placement() {
  std::unique_lock<std::shared_mutex> lock(graph_mutex_);
  WB_RETURN_IF_ERROR(PlaceNew());
  return placer_->Report(*graph_);
}

void LocalSession::DumpStep(const std::string& step, const std::string& text) {
  std::ofstream file(
      absl::StrCat(options_.dump_directory, "/", dump_count_.fetch_add(1), "_", step, ".txt"));
  file << text;
}

}  // namespace warpbeam
