#include "frontend/client_session.h"

#include <algorithm>
#include <cstdio>

#include "frontend/graph_def/graph_lookup.h"
#include "frontend/graph_state.h"
#include "frontend/session_factory.h"
#include "runtime/device/local/gpu_shares.h"
#include "runtime/session/session.h"
#include "runtime/trace/chrome_trace.h"

namespace warpbeam {
namespace frontend {
namespace {

// How many devices of `type` the program asks for at most; `fallback` where it does not say.
int CountOf(const SessionConfig& config, const std::string& type, int fallback) {
  const auto found = config.device_count.find(type);
  return found == config.device_count.end() ? fallback : found->second;
}

}  // namespace

StatusOr<SessionOptions> SessionOptionsOf(const SessionConfig& config) {
  for (const auto& entry : config.device_count) {
    if (entry.second < 0) {
      return InvalidArgument("device_count of ", entry.first, " must not be negative, got ",
                             entry.second);
    }
    if (entry.first != "CPU" && entry.first != "GPU") {
      return InvalidArgument("device_count: no device type '", entry.first,
                             "'; there are CPU and GPU");
    }
  }
  if (config.simulated_gpus < 0) {
    return InvalidArgument("simulated_gpus must not be negative, got ", config.simulated_gpus);
  }
  const double fraction = config.gpu_options.per_process_gpu_memory_fraction;
  if (!(fraction >= 0 && fraction <= 1)) {
    return InvalidArgument("gpu_options.per_process_gpu_memory_fraction must be from 0 to 1, got ",
                           fraction);
  }
  if (config.auto_placement.evaluations != 0 && !config.target.empty()) {
    return InvalidArgument(
        "auto_placement is of sessions of this process; a server (", config.target,
        ") places graphs by its rules. warpbeam place --auto writes a graph that "
        "asks for the devices found");
  }
  SessionOptions options;
  if (fraction > 0) {
    options.gpu_memory_fraction = fraction;
    options.simulated_gpu_memory =
        static_cast<int64_t>(static_cast<double>(options.simulated_gpu_memory) * fraction);
  }
  WB_ASSIGN_OR_RETURN(options.visible_gpus,
                      ParseVisibleGpus(config.gpu_options.visible_device_list));
  for (const std::vector<double>& parts : config.gpu_options.virtual_devices_memory_mb) {
    options.gpu_parts.emplace_back();
    for (const double megabytes : parts) {
      options.gpu_parts.back().push_back(static_cast<int64_t>(megabytes * (1 << 20)));
    }
  }
  options.equal_gpu_parts = config.gpu_options.num_virtual_devices_per_gpu;
  options.cpu_devices = std::max(1, CountOf(config, "CPU", 1));
  options.gpus = CountOf(config, "GPU", -1);
  options.simulated_gpus =
      std::min(config.simulated_gpus, CountOf(config, "GPU", config.simulated_gpus));
  options.inter_op_threads = config.inter_op_parallelism_threads;
  options.intra_op_threads = config.intra_op_parallelism_threads;
  options.lend_idle_threads = config.lend_idle_threads;
  options.cuda_blocking = config.cuda_blocking;
  options.tensor_float_32 = config.tensor_float_32;
  options.gpu_plan_file = config.gpu_plan_file;
  options.allow_soft_placement = config.allow_soft_placement;
  options.auto_placement = config.auto_placement;
  options.deterministic = config.deterministic;
  options.operation_timeout_ms = config.operation_timeout_in_ms;
  if (config.log_device_placement) {
    options.log_device_placement = [](const std::string& line) {
      std::fprintf(stderr, "%s\n", line.c_str());
    };
  }
  return options;
}

namespace {

const char* ProblemOfFeed(const Output& feed) {
  return feed.valid() ? "is no output of the session's graph" : feed.problem();
}

bool HasNames(const std::vector<Fetch>& fetches) {
  return std::any_of(fetches.begin(), fetches.end(),
                     [](const Fetch& fetch) { return !fetch.wanted().empty(); });
}

Status WriteTimeline(const std::string& path, const StepStats& stats) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return InvalidArgument("cannot write the timeline to '", path, "'");
  const std::string text = ChromeTrace(stats);
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !whole) {
    return ResourceExhausted("the timeline was not written whole to '", path, "'");
  }
  return OkStatus();
}

}  // namespace

ClientSession::ClientSession(const Scope& scope, const SessionConfig& config)
    : state_(scope.shared_state()) {
  StatusOr<SessionOptions> options = SessionOptionsOf(config);
  if (!options.ok()) {
    status_ = options.status();
    return;
  }
  // No server is asked for a graph that could not be built.
  if (!config.target.empty() && !state_->status().ok()) return;
  auto session =
      NewSession(config.target,
                 {"", config.tls, *std::move(options), config.isolate_session_state,
                  config.device_filters, config.cluster, config.collective_nccl, state_->graph()});
  if (session.ok()) {
    session_ = *std::move(session);
  } else {
    status_ = session.status();
  }
}

Status ClientSession::Reset(const std::string& target, const std::vector<std::string>& containers,
                            const SessionConfig& config) {
  WB_ASSIGN_OR_RETURN(SessionOptions options, SessionOptionsOf(config));
  SessionRequest request;
  request.tls = config.tls;
  request.options = std::move(options);
  return ResetSessions(target, std::move(request), containers);
}

ClientSession::~ClientSession() = default;

Status ClientSession::status() const { return state_->status().ok() ? status_ : state_->status(); }

Status ClientSession::CheckFed(const Output& output, const Tensor& value) {
  if (!value.has_value()) return InvalidArgument("'", output.name(), "' is fed without a value");
  if (value.dtype() != BaseType(output.dtype())) {
    return InvalidArgument("'", output.name(), "' is ", DTypeName(BaseType(output.dtype())),
                           ", but is fed ", DTypeName(value.dtype()));
  }
  if (!output.shape().IsCompatibleWith(value.shape())) {
    return InvalidArgument("'", output.name(), "' has the shape ", output.shape().ToString(),
                           ", but is fed ", value.shape().ToString());
  }
  return OkStatus();
}

Status ClientSession::CheckNames(const Feeds& feeds, const std::vector<Fetch>& fetches) const {
  WB_RETURN_IF_ERROR(status());
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (feeds[i].first.graph() != state_.get()) {
      return InvalidArgument("feed ", i, " ", ProblemOfFeed(feeds[i].first));
    }
    WB_RETURN_IF_ERROR(CheckFed(feeds[i].first, feeds[i].second));
    const Output& fed = feeds[i].first;
    if (!state_->unfeedable().empty() &&
        state_->unfeedable().count({fed.node(), fed.index()}) > 0) {
      return InvalidArgument("'", fed.name(), "' must not be fed (PreventFeeding)");
    }
  }
  for (size_t i = 0; i < fetches.size(); ++i) {
    if (fetches[i].graph() != state_.get()) {
      return InvalidArgument("fetch ", i, " ",
                             fetches[i].valid() ? "is in another graph" : fetches[i].problem());
    }
    if (!state_->unfetchable().empty() && state_->unfetchable().count(fetches[i].node()) > 0) {
      return InvalidArgument("'", fetches[i].name(), "' must not be fetched (PreventFetching)");
    }
  }
  return OkStatus();
}

StatusOr<std::vector<Fetch>> ClientSession::LookUp(const std::vector<Fetch>& fetches) const {
  WB_RETURN_IF_ERROR(status());
  std::vector<Fetch> found = fetches;
  for (size_t i = 0; i < found.size(); ++i) {
    const std::string name = found[i].wanted();
    if (name.empty()) continue;
    const std::string place = absl::StrCat("fetch ", i);
    if (name.find(':') != std::string::npos) {
      StatusOr<Output> tensor = FindTensor(*state_, name);
      if (!tensor.ok()) return Annotate(tensor.status(), place);
      found[i] = *tensor;
    } else {
      StatusOr<Operation> operation = FindOperation(*state_, name);
      if (!operation.ok()) return Annotate(operation.status(), place);
      found[i] = *operation;
    }
  }
  return found;
}

StatusOr<std::vector<Tensor>> ClientSession::Run(const std::vector<Fetch>& fetches) {
  return Run({}, fetches, SessionRunOptions(), nullptr);
}

StatusOr<std::vector<Tensor>> ClientSession::Run(const Feeds& feeds,
                                                 const std::vector<Fetch>& fetches) {
  return Run(feeds, fetches, SessionRunOptions(), nullptr);
}

StatusOr<std::vector<Tensor>> ClientSession::Run(const Feeds& feeds,
                                                 const std::vector<Fetch>& fetches,
                                                 const SessionRunOptions& options,
                                                 SessionRunMetadata* metadata) {
  if (HasNames(fetches)) {
    WB_ASSIGN_OR_RETURN(const std::vector<Fetch> found, LookUp(fetches));
    return Run(feeds, found, options, metadata);
  }
  WB_RETURN_IF_ERROR(CheckNames(feeds, fetches));
  NamedTensors fed;
  for (const auto& feed : feeds) fed.emplace_back(feed.first.name(), feed.second);
  // What is fed needs no run to be fetched.
  const auto find_fed = [&](const Fetch& fetch) {
    return std::find_if(fed.begin(), fed.end(), [&](const auto& f) {
      return fetch.is_tensor() && f.first == fetch.name();
    });
  };
  std::vector<std::string> names, targets;
  for (const Fetch& fetch : fetches) {
    if (find_fed(fetch) != fed.end()) continue;
    (fetch.is_tensor() ? names : targets).push_back(fetch.name());
  }
  RunOptions run_options;
  run_options.timeout_ms = options.timeout_in_ms;
  run_options.inter_op_thread_pool = options.inter_op_thread_pool;
  const bool traced = !options.timeline.empty();
  run_options.trace = traced ? TraceLevel::kFull : TraceLevel::kNone;
  RunMetadata did;
  const bool asked = metadata != nullptr || traced;
  std::vector<Tensor> fetched;
  if (fetches.empty() || !names.empty() || !targets.empty()) {
    WB_RETURN_IF_ERROR(
        session_->Run(run_options, fed, names, targets, &fetched, asked ? &did : nullptr));
  }
  if (traced) WB_RETURN_IF_ERROR(WriteTimeline(options.timeline, did.step_stats));
  if (metadata != nullptr) {
    *metadata = {did.nodes_executed, did.host_to_device_copies, did.device_to_host_copies,
                 did.peer_copies, did.bytes_copied};
  }
  std::vector<Tensor> results;
  size_t next = 0;
  for (const Fetch& fetch : fetches) {
    if (const auto it = find_fed(fetch); it != fed.end()) {
      results.push_back(it->second);
    } else {
      results.push_back(fetch.is_tensor() ? std::move(fetched[next++]) : Tensor());
    }
  }
  return results;
}

StatusOr<ClientSession::CallableHandle> ClientSession::MakeCallable(
    const std::vector<Output>& feeds, const std::vector<Fetch>& fetches,
    const SessionRunOptions& options, const TensorDevices& feed_devices,
    const TensorDevices& fetch_devices) {
  if (HasNames(fetches)) {
    WB_ASSIGN_OR_RETURN(const std::vector<Fetch> found, LookUp(fetches));
    return MakeCallable(feeds, found, options, feed_devices, fetch_devices);
  }
  WB_RETURN_IF_ERROR(CheckNames({}, fetches));
  if (!options.timeline.empty()) {
    return InvalidArgument("a callable writes no timeline; run the step with Run for that");
  }
  CallableOptions callable;
  callable.run.timeout_ms = options.timeout_in_ms;
  callable.run.inter_op_thread_pool = options.inter_op_thread_pool;
  for (const Output& feed : feeds) {
    if (feed.graph() != state_.get()) {
      return InvalidArgument("a feed of the callable ", ProblemOfFeed(feed));
    }
    callable.feeds.push_back(feed.name());
  }
  std::vector<bool> is_tensor;
  for (const Fetch& fetch : fetches) {
    is_tensor.push_back(fetch.is_tensor());
    (fetch.is_tensor() ? callable.fetches : callable.targets).push_back(fetch.name());
  }
  for (const auto& [output, device] : feed_devices) callable.feed_devices[output.name()] = device;
  for (const auto& [output, device] : fetch_devices) callable.fetch_devices[output.name()] = device;
  WB_ASSIGN_OR_RETURN(CallableHandle handle, session_->MakeCallable(callable));
  std::lock_guard<std::mutex> lock(mutex_);
  callables_[handle] = std::move(is_tensor);
  return handle;
}

StatusOr<std::vector<Tensor>> ClientSession::RunCallable(CallableHandle handle,
                                                         const std::vector<Tensor>& values) {
  WB_RETURN_IF_ERROR(status());
  std::vector<Tensor> fetched;
  WB_RETURN_IF_ERROR(session_->RunCallable(handle, values, &fetched));
  std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<bool>& is_tensor = callables_[handle];
  if (is_tensor.size() == fetched.size()) return fetched;
  std::vector<Tensor> results;
  size_t next = 0;
  for (bool tensor : is_tensor) {
    results.push_back(tensor ? std::move(fetched[next++]) : Tensor());
  }
  return results;
}

Status ClientSession::ReleaseCallable(CallableHandle handle) {
  WB_RETURN_IF_ERROR(status());
  WB_RETURN_IF_ERROR(session_->ReleaseCallable(handle));
  std::lock_guard<std::mutex> lock(mutex_);
  callables_.erase(handle);
  return OkStatus();
}

StatusOr<std::string> ClientSession::PartialRunSetup(const std::vector<Output>& feeds,
                                                     const std::vector<Fetch>& fetches) {
  if (HasNames(fetches)) {
    WB_ASSIGN_OR_RETURN(const std::vector<Fetch> found, LookUp(fetches));
    return PartialRunSetup(feeds, found);
  }
  WB_RETURN_IF_ERROR(CheckNames({}, fetches));
  std::vector<std::string> fed, names, targets;
  for (const Output& feed : feeds) {
    if (feed.graph() != state_.get()) {
      return InvalidArgument("a feed of the partial run ", ProblemOfFeed(feed));
    }
    fed.push_back(feed.name());
  }
  for (const Fetch& fetch : fetches) {
    (fetch.is_tensor() ? names : targets).push_back(fetch.name());
  }
  return session_->PartialRunSetup(fed, names, targets);
}

StatusOr<std::vector<Tensor>> ClientSession::PartialRun(const std::string& handle,
                                                        const Feeds& feeds,
                                                        const std::vector<Output>& fetches) {
  WB_RETURN_IF_ERROR(CheckNames(feeds, {fetches.begin(), fetches.end()}));
  NamedTensors fed;
  for (const auto& feed : feeds) fed.emplace_back(feed.first.name(), feed.second);
  std::vector<std::string> names;
  for (const Output& fetch : fetches) names.push_back(fetch.name());
  std::vector<Tensor> fetched;
  WB_RETURN_IF_ERROR(session_->PartialRun(handle, fed, names, &fetched));
  return fetched;
}

Status ClientSession::Close() { return session_ == nullptr ? status_ : session_->Close(); }

std::vector<std::string> ClientSession::DeviceNames() const {
  return session_ == nullptr ? std::vector<std::string>() : session_->DeviceNames();
}

StatusOr<PlacementReport> ClientSession::Placement() {
  WB_RETURN_IF_ERROR(status());
  return session_->Placement();
}

}  // namespace frontend
}  // namespace warpbeam
