#include "runtime/session/local_session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

#include "absl/strings/str_join.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/memory/pooled_allocator.h"
#include "runtime/memory/string_memory.h"
#include "runtime/record/file_root.h"
#include "runtime/session/device_graphs.h"
#include "runtime/session/device_tensor.h"
#include "runtime/session/lost_caller.h"
#include "runtime/state/session_tensors.h"
#include "runtime/step/step_ids.h"

namespace warpbeam {
namespace {

void AppendKey(const std::string& part, std::string* key) {
  absl::StrAppend(key, part.size(), ":", part, ",");
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

absl::StatusOr<std::shared_ptr<DeviceSet>> CreateDevices(const SessionOptions& options) {
  DeviceSetOptions devices;
  devices.job = options.job;
  devices.task = options.task;
  devices.cpu_devices = options.cpu_devices;
  devices.gpus = options.gpus;
  devices.simulated_gpus = options.simulated_gpus;
  devices.simulated_gpus_enqueue = options.simulated_gpus_enqueue;
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
  // A session that is there has all that it needs to close.
  std::shared_ptr<DeviceSet> devices = options.devices;
  if (devices == nullptr) {
    WB_ASSIGN_OR_RETURN(devices, CreateDevices(options));
  }
  std::shared_ptr<ResourceStore> resources =
      options.resources != nullptr ? options.resources : std::make_shared<ResourceStore>();
  WB_ASSIGN_OR_RETURN(auto compiler,
                      StepCompiler::Create(options, std::move(graph), devices, resources));
  std::unique_ptr<LocalSession> session(new LocalSession(options));
  session->devices_ = std::move(devices);
  session->resources_ = std::move(resources);
  session->compiler_ = std::move(compiler);
  return session;
}

LocalSession::~LocalSession() {
  // Who has closed it has waited as long as it was worth.
  if (Close(closed_ ? 0 : 10000).ok()) return;
  // A kernel is still running: what it may touch must stay, for as long as the process runs.
  static auto* const mutex = new std::mutex;
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  std::lock_guard<std::mutex> lock(*mutex);
  for (auto& runner : AllRunners()) kept->push_back(std::move(runner));
  kept->insert(kept->end(), {devices_, resources_, compiler_});
}

absl::Status LocalSession::CheckDequeues(const Plan& plan, const RunOptions& options) {
  if (plan.facts.dequeues_in_doubt.empty()) return absl::OkStatus();
  if (SharesResources() || TimeoutOf(options) > 0 || options.cancellation != nullptr) {
    return absl::OkStatus();
  }
  return compiler_->CheckDequeues(plan);
}

absl::StatusOr<std::shared_ptr<PlanRunner>> LocalSession::PlanFor(
    const NamedTensors& feeds, const std::vector<std::string>& fetches,
    const std::vector<std::string>& targets, bool in_caller, const Patience& patience) {
  thread_local std::string key;  // keeps its memory from step to step
  key.clear();
  for (const auto& feed : feeds) AppendKey(feed.first, &key);
  key += in_caller ? '!' : '|';
  for (const std::string& f : fetches) AppendKey(f, &key);
  key += '|';
  for (const std::string& t : targets) AppendKey(t, &key);
  if (auto runner = plans_.Find(key); runner != nullptr) return runner;
  const std::string wanted = key;  // compiling may run functions, and those sessions
  std::vector<std::string> names;
  names.reserve(feeds.size());
  for (const auto& feed : feeds) names.push_back(feed.first);
  const auto compile = [compiler = compiler_, names = std::move(names), fetches, targets,
                        in_caller]() -> absl::StatusOr<std::unique_ptr<Plan>> {
    WB_ASSIGN_OR_RETURN(const StepBounds bounds, compiler->Resolve(names, fetches, targets));
    PlanMode mode;
    mode.one_thread = in_caller;
    return compiler->Compile(bounds, mode);
  };
  return plans_.FindOrCompile(wanted, compile, patience);
}

absl::Status LocalSession::Prepare(const std::vector<std::string>& feeds,
                                   const std::vector<std::string>& fetches,
                                   const std::vector<std::string>& targets) {
  NamedTensors named;
  for (const std::string& feed : feeds) named.emplace_back(feed, Tensor());
  return PlanFor(named, fetches, targets, /*in_caller=*/false, {}).status();
}

absl::Status LocalSession::CheckOptions(const RunOptions& options) const {
  if (options.inter_op_thread_pool == 0 || options.inter_op_thread_pool == -1) {
    return absl::OkStatus();
  }
  return InvalidArgument("there is no inter_op_thread_pool ", options.inter_op_thread_pool,
                         "; 0 is the session's, -1 the caller's thread");
}

std::shared_ptr<StepContext> LocalSession::NewContext() {
  return std::allocate_shared<StepContext>(PooledAllocator<StepContext>(), NewStepId(),
                                           resources_.get(), compiler_->functions().get());
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

absl::Status LocalSession::RunPlan(const std::shared_ptr<PlanRunner>& shared,
                                   std::shared_ptr<StepContext> context, const RunOptions& options,
                                   const Patience& patience, absl::Span<const Tensor> feeds,
                                   std::vector<Tensor>* fetched, RunMetadata* metadata) {
  WB_RETURN_IF_ERROR(patience.Check());
  PlanRunner& runner = *shared;
  if (context->IsCancelled()) return context->cancel_reason();
  WB_RETURN_IF_ERROR(CheckDequeues(runner.plan(), options));
  std::vector<Tensor> named;  // where handles stand for tensors
  if (std::any_of(feeds.begin(), feeds.end(),
                  [](const Tensor& feed) { return feed.dtype() == DType::kResource; })) {
    for (const Tensor& feed : feeds) {
      WB_ASSIGN_OR_RETURN(Tensor fed, FedTensor(feed, *resources_));
      named.push_back(std::move(fed));
    }
    feeds = named;
  }
  for (const Tensor& feed : feeds) WB_RETURN_IF_ERROR(StringMemory::Count(feed));
  StepReport report;
  report.deadline = patience.deadline;
  if (metadata != nullptr) {
    report.trace = options.trace;
    if (options.cost_graph) report.trace = std::max(report.trace, TraceLevel::kSoftware);
    report.stats = &metadata->step_stats;
  }
  WB_RETURN_IF_ERROR(at_once_.Begin(runner.plan()));
  std::optional<LostCaller> lost;
  if (options.cancellation != nullptr && patience.timeout_ms <= 0) {
    lost.emplace(shared, devices_, context);
  }
  const absl::Status status =
      runner.Run(std::move(context), feeds, patience.timeout_ms, fetched, &report);
  lost.reset();
  at_once_.End(runner.plan());
  if (status.ok() && options.cancellation != nullptr && report.takings != nullptr) {
    options.cancellation->Keep(std::move(report.takings));
  }
  if (metadata != nullptr) {
    const Plan& plan = runner.plan();
    metadata->nodes_executed = report.items_run;
    metadata->bytes_copied = report.bytes_copied;
    metadata->host_to_device_copies = plan.facts.host_to_device_copies;
    metadata->device_to_host_copies = plan.facts.device_to_host_copies;
    metadata->peer_copies = plan.facts.peer_copies;
    // They look names up.
    std::shared_lock<std::shared_mutex> lock(compiler_->graph_mutex());
    if (options.cost_graph)
      metadata->cost_graph = CostGraphOf(*plan.facts.graph, metadata->step_stats);
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
  const Patience patience =
      Patience::For(TimeoutOf(options), context.get(), options.cancellation != nullptr);
  auto runner = PlanFor(feeds, fetches, targets, options.inter_op_thread_pool == -1, patience);
  if (!runner.ok()) {
    status = runner.status();
  } else {
    thread_local std::vector<Tensor> kept;  // its memory, from step to step
    std::vector<Tensor> values = std::move(kept);
    for (const auto& feed : feeds) {
      if (status.ok()) status = CheckMemory(feed.second, nullptr, feed.first);
      values.push_back(feed.second);
    }
    if (status.ok()) {
      status = RunPlan(*runner, context, options, patience, values, fetched, metadata);
    }
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
  std::vector<std::string> out;
  if (const int compiling = plans_.AwaitCompilations(deadline); compiling > 0) {
    out.push_back(absl::StrCat(compiling, compiling == 1 ? " compilation" : " compilations"));
  }
  std::vector<std::shared_ptr<PlanRunner>> runners = AllRunners();
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

}  // namespace warpbeam
