#include "runtime/session/session_core.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

#include "absl/strings/str_join.h"
#include "runtime/kernel/product/tensor_float_32.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/memory/pooled_allocator.h"
#include "runtime/memory/string_memory.h"
#include "runtime/record/file_root.h"
#include "runtime/record/plan_file.h"
#include "runtime/session/device_graphs.h"
#include "runtime/session/device_tensor.h"
#include "runtime/session/lost_caller.h"
#include "runtime/state/session_tensors.h"
#include "runtime/step/step_ids.h"

namespace warpbeam {
namespace {

PlanMode ModeOf(const RunOptions& options) {
  PlanMode mode;
  mode.one_thread = options.inter_op_thread_pool == -1;
  mode.collective_graph_key = options.collective_graph_key;
  return mode;
}

// As totals of the step, "peak bytes of /job:…/device:CPU:0".
void AddMemory(const std::vector<DeviceMemory>& memory, CostGraph* cost) {
  for (const DeviceMemory& of : memory) {
    if (of.peak_bytes >= 0) {
      cost->totals.emplace_back("peak bytes of " + of.device, of.peak_bytes);
    }
    if (of.predicted_peak_bytes >= 0) {
      cost->totals.emplace_back("predicted peak bytes of " + of.device, of.predicted_peak_bytes);
    }
  }
}

void AppendKey(const std::string& part, std::string* key) {
  absl::StrAppend(key, part.size(), ":", part, ",");
}

Status MakeDumpFolder(const std::string& folder) {
  if (folder.empty()) return OkStatus();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && ::access(folder.c_str(), W_OK) != 0) {
    error = std::error_code(errno, std::generic_category());
  }
  if (!error) return OkStatus();
  return FailedPrecondition("graphs cannot be dumped to the folder '", folder,
                            "': ", error.message());
}

}  // namespace

StatusOr<std::shared_ptr<DeviceSet>> CreateDevices(const SessionOptions& options) {
  if (options.tensor_float_32.has_value()) SetTensorFloat32(*options.tensor_float_32);
  if (!options.gpu_plan_file.empty()) {
    WB_RETURN_IF_ERROR(PlanFile::SetOfProcess(options.gpu_plan_file));
  }
  DeviceSetOptions devices;
  devices.job = options.job;
  devices.task = options.task;
  devices.cpu_devices = options.cpu_devices;
  devices.gpus = options.gpus;
  devices.gpu_memory_fraction = options.gpu_memory_fraction;
  devices.visible_gpus = options.visible_gpus;
  devices.gpu_parts = options.gpu_parts;
  devices.equal_gpu_parts = options.equal_gpu_parts;
  devices.simulated_gpus = options.simulated_gpus;
  devices.simulated_gpus_enqueue = options.simulated_gpus_enqueue;
  devices.simulated_gpu_kernels = options.simulated_gpu_kernels;
  devices.simulated_gpu_memory = options.simulated_gpu_memory;
  devices.blocking_launches = options.cuda_blocking;
  devices.stress_seed = options.stress_seed;
  devices.fixed_cuts = options.deterministic;
  devices.own_threads = options.use_per_session_threads;
  devices.lends_threads = options.lend_idle_threads;
  devices.threads =
      options.intra_op_threads > 0 ? options.intra_op_threads : options.inter_op_threads;
  return DeviceSet::Create(devices);
}

StatusOr<std::unique_ptr<Session>> Session::Create(const SessionOptions& options,
                                                   std::shared_ptr<Graph> graph) {
  return SessionCore::Create(options, std::move(graph),
                             [&](const Graph& of_session, LocalTask::Dump dump) {
                               return NewLocalTarget(options, of_session, std::move(dump));
                             });
}

StatusOr<std::unique_ptr<SessionCore>> SessionCore::Create(
    const SessionOptions& options, std::shared_ptr<Graph> graph,
    const StepCompiler::NewTarget& new_target) {
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
  WB_ASSIGN_OR_RETURN(auto compiler, StepCompiler::Create(options, std::move(graph), new_target));
  std::unique_ptr<SessionCore> session(new SessionCore(options));
  session->compiler_ = std::move(compiler);
  return session;
}

SessionCore::~SessionCore() {
  // Who has closed it has waited as long as it was worth.
  if (Close(closed_ ? 0 : 10000).ok()) return;
  // A kernel is still running: what it may touch must stay, for as long as the process runs.
  static auto* const mutex = new std::mutex;
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  std::lock_guard<std::mutex> lock(*mutex);
  for (auto& runner : AllRunners()) kept->push_back(std::move(runner));
  kept->push_back(compiler_);
}

Status SessionCore::CheckDequeues(const StepRunner& runner, const RunOptions& options) {
  if (runner.dequeues_in_doubt().empty()) return OkStatus();
  if (SharesResources() || TimeoutOf(options) > 0 || options.cancellation != nullptr) {
    return OkStatus();
  }
  return compiler_->CheckDequeues(runner);
}

StatusOr<std::shared_ptr<StepRunner>> SessionCore::PlanFor(const NamedTensors& feeds,
                                                           const std::vector<std::string>& fetches,
                                                           const std::vector<std::string>& targets,
                                                           const PlanMode& mode,
                                                           const Patience& patience) {
  thread_local std::string key;  // keeps its memory from step to step
  key.clear();
  for (const auto& feed : feeds) AppendKey(feed.first, &key);
  key += mode.one_thread ? '!' : '|';
  if (mode.collective_graph_key != 0) absl::StrAppend(&key, mode.collective_graph_key, "|");
  for (const std::string& f : fetches) AppendKey(f, &key);
  key += '|';
  for (const std::string& t : targets) AppendKey(t, &key);
  if (auto runner = plans_.Find(key); runner != nullptr) return runner;
  const std::string wanted = key;  // compiling may run functions, and those sessions
  std::vector<std::string> names;
  names.reserve(feeds.size());
  for (const auto& feed : feeds) names.push_back(feed.first);
  const auto compile = [compiler = compiler_, names = std::move(names), fetches, targets,
                        mode]() -> StatusOr<std::unique_ptr<StepRunner>> {
    WB_ASSIGN_OR_RETURN(const StepBounds bounds, compiler->Resolve(names, fetches, targets));
    return compiler->Compile(bounds, mode);
  };
  return plans_.FindOrCompile(wanted, compile, patience);
}

Status SessionCore::Prepare(const std::vector<std::string>& feeds,
                            const std::vector<std::string>& fetches,
                            const std::vector<std::string>& targets) {
  NamedTensors named;
  for (const std::string& feed : feeds) named.emplace_back(feed, Tensor());
  return PlanFor(named, fetches, targets, PlanMode(), {}).status();
}

Status SessionCore::CheckOptions(const RunOptions& options) const {
  if (options.inter_op_thread_pool == 0 || options.inter_op_thread_pool == -1) {
    return OkStatus();
  }
  return InvalidArgument("there is no inter_op_thread_pool ", options.inter_op_thread_pool,
                         "; 0 is the session's, -1 the caller's thread");
}

Status SessionCore::BeginStep(StepContext* context) {
  std::lock_guard<std::mutex> lock(steps_mutex_);
  if (closed_) return Cancelled("the session has been closed");
  running_.push_back(context);
  return OkStatus();
}

void SessionCore::Forget(StepContext* context) {
  const auto found = std::find(running_.begin(), running_.end(), context);
  if (found == running_.end()) return;
  *found = running_.back();
  running_.pop_back();
}

void SessionCore::EndStep(StepContext* context) {
  std::lock_guard<std::mutex> lock(steps_mutex_);
  Forget(context);
}

Status SessionCore::RunPlan(const std::shared_ptr<StepRunner>& shared,
                            std::shared_ptr<StepContext> context, const RunOptions& options,
                            const Patience& patience, Span<const Tensor> feeds,
                            std::vector<Tensor>* fetched, RunMetadata* metadata) {
  WB_RETURN_IF_ERROR(patience.Check());
  StepRunner& runner = *shared;
  const PlanFacts& facts = runner.facts();
  if (context->IsCancelled()) return context->cancel_reason();
  WB_RETURN_IF_ERROR(CheckDequeues(runner, options));
  std::vector<Tensor> named;  // where handles stand for tensors
  if (std::any_of(feeds.begin(), feeds.end(),
                  [](const Tensor& feed) { return feed.dtype() == DType::kResource; })) {
    for (const Tensor& feed : feeds) {
      WB_ASSIGN_OR_RETURN(Tensor fed, FedTensor(feed, *home().resources()));
      named.push_back(std::move(fed));
    }
    feeds = named;
  }
  for (const Tensor& feed : feeds) WB_RETURN_IF_ERROR(StringMemory::Count(feed));
  WB_ASSIGN_OR_RETURN(const StepRunner::Forecast forecast, Foresee(runner, feeds));
  const bool tells_memory = metadata != nullptr && (options.memory || options.cost_graph);
  if (tells_memory) ResetMemoryPeaks();
  const bool keeps_order = options.record_schedule || options.replay_schedule != nullptr;
  if (keeps_order && !runner.has_schedules()) {
    return Unimplemented("the order of a step of several tasks is neither recorded nor replayed");
  }
  StepReport report;
  report.replay = options.replay_schedule.get();
  report.deadline = patience.deadline;
  if (metadata != nullptr) {
    report.trace = options.trace;
    if (options.cost_graph) report.trace = std::max(report.trace, TraceLevel::kSoftware);
    report.stats = &metadata->step_stats;
    if (options.record_schedule) report.schedule = &metadata->schedule;
    if (options.partition_graphs) report.other_graphs = &metadata->partition_graphs;
  }
  WB_RETURN_IF_ERROR(at_once_.Begin(facts));
  std::optional<LostCaller> lost;
  if (options.cancellation != nullptr && patience.timeout_ms <= 0) {
    lost.emplace(shared, home().devices(), context);
  }
  const Status status =
      runner.Run(std::move(context), feeds, patience.timeout_ms, fetched, &report);
  lost.reset();
  at_once_.End(facts);
  if (status.ok() && options.cancellation != nullptr && report.takings != nullptr) {
    options.cancellation->Keep(std::move(report.takings));
  }
  if (metadata != nullptr) {
    metadata->nodes_executed = report.items_run;
    metadata->bytes_copied = report.bytes_copied;
    metadata->host_to_device_copies = facts.host_to_device_copies;
    metadata->device_to_host_copies = facts.device_to_host_copies;
    metadata->peer_copies = facts.peer_copies;
    if (tells_memory) TellMemory(forecast, metadata);
    // They look names up.
    std::shared_lock<std::shared_mutex> lock(compiler_->graph_mutex());
    if (options.cost_graph) {
      metadata->cost_graph = CostGraphOf(*facts.graph, metadata->step_stats);
      AddMemory(metadata->memory, &metadata->cost_graph);
    }
    if (options.partition_graphs) {
      std::vector<DeviceGraph> here = runner.DeviceGraphs();
      std::move(metadata->partition_graphs.begin(), metadata->partition_graphs.end(),
                std::back_inserter(here));
      metadata->partition_graphs = std::move(here);
    }
  }
  return status;
}

Status SessionCore::Run(const RunOptions& options, const NamedTensors& feeds,
                        const std::vector<std::string>& fetches,
                        const std::vector<std::string>& targets, std::vector<Tensor>* fetched,
                        RunMetadata* metadata) {
  WB_RETURN_IF_ERROR(CheckOptions(options));
  const std::shared_ptr<StepContext> context = NewContext();
  const Cancellation::Scope scope(options.cancellation, context.get());
  WB_RETURN_IF_ERROR(BeginStep(context.get()));
  Status status;
  const Patience patience =
      Patience::For(TimeoutOf(options), context.get(), options.cancellation != nullptr);
  auto runner = PlanFor(feeds, fetches, targets, ModeOf(options), patience);
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

std::vector<std::shared_ptr<StepRunner>> SessionCore::AllRunners() {
  std::vector<std::shared_ptr<StepRunner>> runners;
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    for (const auto& [handle, run] : partial_runs_) runners.push_back(run->runner());
  }
  for (auto& runner : plans_.All()) runners.push_back(std::move(runner));
  std::lock_guard<std::mutex> lock(callables_mutex_);
  for (const auto& [handle, callable] : callables_) runners.push_back(callable->runner);
  return runners;
}

Status SessionCore::Close(int64_t timeout_ms) {
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    if (drained_) return OkStatus();
    closed_ = true;
    for (StepContext* step : running_) step->Cancel(Cancelled("the session has been closed"));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  std::vector<std::string> out;
  if (const int compiling = plans_.AwaitCompilations(deadline); compiling > 0) {
    out.push_back(absl::StrCat(compiling, compiling == 1 ? " compilation" : " compilations"));
  }
  std::vector<std::shared_ptr<StepRunner>> runners = AllRunners();
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
  compiler_->target().ClearResources();
  PoolAllocator::Process().Trim();
  return OkStatus();
}

std::vector<int64_t> SessionCore::StepsAtWork() {
  std::lock_guard<std::mutex> lock(steps_mutex_);
  std::vector<int64_t> ids;
  for (const StepContext* step : running_) ids.push_back(step->step_id());
  return ids;
}

std::vector<std::string> SessionCore::DescribeStep(int64_t step_id) {
  const StepContext* context = nullptr;  // only compared once the lock is released
  {
    std::lock_guard<std::mutex> lock(steps_mutex_);
    for (const StepContext* step : running_) {
      if (step->step_id() == step_id) context = step;
    }
  }
  if (context == nullptr) return {};
  std::vector<std::string> all;
  for (const auto& runner : AllRunners()) {
    for (std::string& item : runner->RunningOf(context)) all.push_back(std::move(item));
  }
  if (all.empty()) all.push_back("nothing: it is being compiled, or all threads are busy");
  return all;
}

std::vector<std::string> SessionCore::DeviceNames() const {
  std::vector<std::string> names;
  for (const DeviceName& name : compiler_->target().sites().names())
    names.push_back(name.ToString());
  return names;
}

}  // namespace warpbeam
