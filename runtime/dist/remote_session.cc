#include "runtime/dist/remote_session.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "graph/io/tensor_io.h"
#include "proto/master.pb.h"
#include "runtime/dist/config_proto.h"
#include "runtime/dist/graph_growth.h"
#include "runtime/dist/master_connection.h"
#include "runtime/dist/remote_metadata.h"
#include "runtime/dist/requests/request_id.h"

namespace warpbeam {
namespace {

// How much longer than a step has, its call may take: the server's error says what was running.
constexpr int64_t kGraceMs = 1000;
// A server that opens a session waits a minute itself for the other tasks of its cluster, and then
// says which are missing.
constexpr int64_t kOpenGraceMs = 15000;
// Closing asks the server, however little time it is given.
constexpr int64_t kLeastCloseMs = 1000;

std::string TensorName(const std::string& name) {
  return name.find(':') == std::string::npos ? name + ":0" : name;
}

class RemoteSession final : public Session {
 public:
  RemoteSession(RemoteSessionOptions options, std::shared_ptr<Graph> graph,
                std::unique_ptr<MasterConnection> connection)
      : options_(std::move(options)),
        graph_(std::move(graph)),
        connection_(std::move(connection)) {}
  ~RemoteSession() override { Close(10000).IgnoreError(); }

  Status Open();

  Status Extend(const std::function<Status(Graph&)>& change) override;
  Status Run(const RunOptions& options, const NamedTensors& feeds,
             const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
             std::vector<Tensor>* fetched, RunMetadata* metadata) override;
  // The server compiles a step when it comes first; the protocol has no word for earlier.
  Status Prepare(const std::vector<std::string>&, const std::vector<std::string>&,
                 const std::vector<std::string>&) override {
    return OkStatus();
  }
  StatusOr<CallableHandle> MakeCallable(const CallableOptions& options) override;
  Status RunCallable(CallableHandle handle, Span<const Tensor> feeds, std::vector<Tensor>* fetched,
                     RunMetadata* metadata, Cancellation* cancellation) override;
  Status ReleaseCallable(CallableHandle handle) override;
  StatusOr<std::string> PartialRunSetup(const std::vector<std::string>& feeds,
                                        const std::vector<std::string>& fetches,
                                        const std::vector<std::string>& targets) override;
  Status PartialRun(const std::string& handle, const NamedTensors& feeds,
                    const std::vector<std::string>& fetches, std::vector<Tensor>* fetched,
                    Cancellation* cancellation) override;
  Status Close(int64_t timeout_ms) override;
  std::vector<std::string> DeviceNames() const override;
  StatusOr<PlacementReport> Placement() override {
    return Unimplemented("where nodes are is known to the server alone, ", connection_->target(),
                         "; log_device_placement makes it print that");
  }

 private:
  struct Callable {
    size_t num_feeds = 0;
    size_t num_fetches = 0;
    int64_t timeout_ms = 0;
  };

  // The server has the whole graph after that.
  Status SendNewNodes();
  Status SendNewNodesLocked();
  Status Step(const NamedTensors& feeds, const std::vector<std::string>& fetches,
              const CallBounds& bounds, tensorflow::RunStepRequest* request,
              tensorflow::RunStepResponse* response, std::vector<Tensor>* fetched);
  int64_t TimeoutOf(const RunOptions& options) const {
    return options.timeout_ms > 0 ? options.timeout_ms : options_.session.operation_timeout_ms;
  }
  static int64_t OfCall(int64_t timeout_ms) { return timeout_ms > 0 ? timeout_ms + kGraceMs : 0; }

  const RemoteSessionOptions options_;
  const std::shared_ptr<Graph> graph_;
  const std::unique_ptr<MasterConnection> connection_;
  std::string handle_;

  std::shared_mutex graph_mutex_;  // of the graph, and of what follows
  GraphGrowth growth_;
  int64_t version_ = 0;

  mutable std::mutex mutex_;  // of what follows
  std::map<CallableHandle, Callable> callables_;
  mutable std::vector<std::string> devices_;
  bool closed_ = false;
};

Status RemoteSession::Open() {
  tensorflow::CreateSessionRequest request;
  WB_RETURN_IF_ERROR(growth_.WriteNew(*graph_, request.mutable_graph_def()));
  WB_RETURN_IF_ERROR(
      ConfigToProto(options_.session, options_.is_isolated, request.mutable_config()));
  tensorflow::ConfigProto& config = *request.mutable_config();
  for (const std::string& filter : options_.device_filters) config.add_device_filters(filter);
  if (options_.collective_nccl) config.mutable_experimental()->set_collective_nccl(true);
  if (options_.cluster.num_tasks() > 0) {
    ClusterSpecToProto(options_.cluster, config.mutable_cluster_def());
  }
  request.set_target(connection_->target());
  WB_RETURN_IF_ERROR(connection_->Connect(options_.connect_timeout_ms));
  tensorflow::CreateSessionResponse response;
  const Status opened = connection_->CreateSession(
      request, {options_.connect_timeout_ms + kOpenGraceMs, nullptr}, &response);
  if (IsDeadlineExceeded(opened)) {
    return Unavailable(opened.message(),
                       "; a server opens a session once all tasks of its cluster are there");
  }
  WB_RETURN_IF_ERROR(opened);
  handle_ = response.session_handle();
  version_ = response.graph_version();
  growth_.MarkSent(*graph_);
  return OkStatus();
}

Status RemoteSession::SendNewNodes() {
  {
    std::shared_lock<std::shared_mutex> lock(graph_mutex_);
    if (!growth_.HasNew(*graph_)) return OkStatus();
  }
  std::unique_lock<std::shared_mutex> lock(graph_mutex_);
  return SendNewNodesLocked();
}

Status RemoteSession::SendNewNodesLocked() {
  if (!growth_.HasNew(*graph_)) return OkStatus();
  tensorflow::ExtendSessionRequest request;
  WB_RETURN_IF_ERROR(growth_.WriteNew(*graph_, request.mutable_graph_def()));
  request.set_session_handle(handle_);
  request.set_current_graph_version(version_);
  tensorflow::ExtendSessionResponse response;
  WB_RETURN_IF_ERROR(connection_->ExtendSession(request, {}, &response));
  version_ = response.new_graph_version();
  growth_.MarkSent(*graph_);
  return OkStatus();
}

Status RemoteSession::Extend(const std::function<Status(Graph&)>& change) {
  std::unique_lock<std::shared_mutex> lock(graph_mutex_);
  const int before = graph_->num_nodes();
  const FunctionLibrary functions = graph_->functions();
  Status status = change(*graph_);
  if (status.ok()) status = SendNewNodesLocked();
  if (!status.ok()) {
    graph_->TakeBack(before);
    graph_->functions() = functions;
  }
  return status;
}

Status RemoteSession::Step(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                           const CallBounds& bounds, tensorflow::RunStepRequest* request,
                           tensorflow::RunStepResponse* response, std::vector<Tensor>* fetched) {
  request->set_session_handle(handle_);
  request->set_store_errors_in_response_body(true);
  request->set_request_id(NewRequestId());
  RunStepCall call;
  for (const auto& [name, tensor] : feeds) {
    WB_RETURN_IF_ERROR(
        Annotate(call.Add(TensorName(name), tensor), absl::StrCat("feed '", name, "'")));
  }
  // Each is asked for once: TensorFlow's servers answer by name.
  std::map<std::string, Tensor> by_name;
  for (const std::string& fetch : fetches) {
    const std::string name = TensorName(fetch);
    if (by_name.emplace(name, Tensor()).second) request->add_fetch(name);
  }
  call.Append(*request);
  WB_RETURN_IF_ERROR(connection_->RunStep(std::move(call), bounds, response));
  const Status ended(static_cast<StatusCode>(response->status_code()),
                     response->status_error_message());
  // It is this server that goes, or another task that it needs.
  if (IsUnavailable(ended)) return Annotate(ended, connection_->target());
  WB_RETURN_IF_ERROR(ended);
  for (tensorflow::NamedTensorProto& answer : *response->mutable_tensor()) {
    const auto found = by_name.find(TensorName(answer.name()));
    if (found == by_name.end()) continue;
    auto tensor = TensorFromProto(answer.tensor());
    WB_RETURN_IF_ERROR(Annotate(tensor.status(), absl::StrCat("fetch '", answer.name(), "'")));
    found->second = *std::move(tensor);
    answer.clear_tensor();
  }
  if (fetched == nullptr) return OkStatus();
  fetched->clear();
  for (const std::string& fetch : fetches) {
    const Tensor& tensor = by_name[TensorName(fetch)];
    if (!tensor.has_value()) {
      return Internal(connection_->target(), " has answered without the fetch '", fetch, "'");
    }
    fetched->push_back(tensor);
  }
  return OkStatus();
}

Status RemoteSession::Run(const RunOptions& options, const NamedTensors& feeds,
                          const std::vector<std::string>& fetches,
                          const std::vector<std::string>& targets, std::vector<Tensor>* fetched,
                          RunMetadata* metadata) {
  if (options.cost_graph) {
    return Unimplemented("a run on a server cannot be asked for a cost graph");
  }
  WB_RETURN_IF_ERROR(SendNewNodes());
  tensorflow::RunStepRequest request;
  tensorflow::RunStepResponse response;
  for (const std::string& target : targets) request.add_target(target);
  RunOptions asked = options;
  if (metadata == nullptr) asked.trace = TraceLevel::kNone;
  RunOptionsToProto(asked, request.mutable_options());
  WB_RETURN_IF_ERROR(Step(feeds, fetches, {OfCall(TimeoutOf(options)), options.cancellation},
                          &request, &response, fetched));
  return metadata == nullptr ? OkStatus() : MetadataFromProto(response.metadata(), metadata);
}

StatusOr<Session::CallableHandle> RemoteSession::MakeCallable(const CallableOptions& options) {
  if (!options.feed_devices.empty() || !options.fetch_devices.empty()) {
    return Unimplemented(
        "tensors of a session on a server do not stay on devices between steps (feed_devices, "
        "fetch_devices)");
  }
  WB_RETURN_IF_ERROR(SendNewNodes());
  tensorflow::MakeCallableRequest request;
  request.set_session_handle(handle_);
  request.set_request_id(NewRequestId());
  CallableOptions named = options;
  for (std::string& feed : named.feeds) feed = TensorName(feed);
  for (std::string& fetch : named.fetches) fetch = TensorName(fetch);
  CallableOptionsToProto(named, request.mutable_options());
  tensorflow::MakeCallableResponse response;
  WB_RETURN_IF_ERROR(connection_->MakeCallable(request, {0, options.run.cancellation}, &response));
  std::lock_guard<std::mutex> lock(mutex_);
  callables_[response.handle()] = {options.feeds.size(), options.fetches.size(),
                                   TimeoutOf(options.run)};
  return response.handle();
}

Status RemoteSession::RunCallable(CallableHandle handle, Span<const Tensor> feeds,
                                  std::vector<Tensor>* fetched, RunMetadata* metadata,
                                  Cancellation* cancellation) {
  Callable callable;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = callables_.find(handle);
    if (found == callables_.end()) {
      return InvalidArgument("there is no callable ", handle, ", or it has been released");
    }
    callable = found->second;
  }
  if (feeds.size() != callable.num_feeds) {
    return InvalidArgument("the callable has ", callable.num_feeds, " feeds, but is given ",
                           feeds.size());
  }
  tensorflow::RunCallableRequest request;
  request.set_session_handle(handle_);
  request.set_handle(handle);
  request.set_request_id(NewRequestId());
  for (const Tensor& feed : feeds) {
    WB_RETURN_IF_ERROR(Annotate(TensorToProto(feed, TensorForm::kContent, request.add_feed()),
                                absl::StrCat("feed number ", request.feed_size() - 1)));
  }
  tensorflow::RunCallableResponse response;
  WB_RETURN_IF_ERROR(
      connection_->RunCallable(request, {OfCall(callable.timeout_ms), cancellation}, &response));
  if (static_cast<size_t>(response.fetch_size()) != callable.num_fetches) {
    return Internal(connection_->target(), " has answered with ", response.fetch_size(),
                    " fetches of a callable that has ", callable.num_fetches);
  }
  std::vector<Tensor> results;
  for (const tensorflow::TensorProto& fetch : response.fetch()) {
    WB_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(fetch));
    results.push_back(std::move(tensor));
  }
  if (fetched != nullptr) *fetched = std::move(results);
  return metadata == nullptr ? OkStatus() : MetadataFromProto(response.metadata(), metadata);
}

Status RemoteSession::ReleaseCallable(CallableHandle handle) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (callables_.erase(handle) == 0) {
      return InvalidArgument("there is no callable ", handle, ", or it has been released");
    }
  }
  tensorflow::ReleaseCallableRequest request;
  request.set_session_handle(handle_);
  request.set_handle(handle);
  tensorflow::ReleaseCallableResponse response;
  return connection_->ReleaseCallable(request, {options_.connect_timeout_ms, nullptr}, &response);
}

StatusOr<std::string> RemoteSession::PartialRunSetup(const std::vector<std::string>& feeds,
                                                     const std::vector<std::string>& fetches,
                                                     const std::vector<std::string>& targets) {
  WB_RETURN_IF_ERROR(SendNewNodes());
  tensorflow::PartialRunSetupRequest request;
  request.set_session_handle(handle_);
  request.set_request_id(NewRequestId());
  for (const std::string& feed : feeds) request.add_feed(TensorName(feed));
  for (const std::string& fetch : fetches) request.add_fetch(TensorName(fetch));
  for (const std::string& target : targets) request.add_target(target);
  tensorflow::PartialRunSetupResponse response;
  WB_RETURN_IF_ERROR(connection_->PartialRunSetup(request, {}, &response));
  return response.partial_run_handle();
}

Status RemoteSession::PartialRun(const std::string& handle, const NamedTensors& feeds,
                                 const std::vector<std::string>& fetches,
                                 std::vector<Tensor>* fetched, Cancellation* cancellation) {
  // Without a handle it would be a step of its own.
  if (handle.empty()) return InvalidArgument("the handle of a partial run must not be empty");
  tensorflow::RunStepRequest request;
  tensorflow::RunStepResponse response;
  request.set_partial_run_handle(handle);
  return Step(feeds, fetches, {0, cancellation}, &request, &response, fetched);
}

Status RemoteSession::Close(int64_t timeout_ms) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(closed_, true)) return OkStatus();
  }
  connection_->CancelAll(Cancelled("the session has been closed"));
  if (handle_.empty()) return OkStatus();
  tensorflow::CloseSessionRequest request;
  request.set_session_handle(handle_);
  tensorflow::CloseSessionResponse response;
  Status closed =
      connection_->CloseSession(request, {std::max(timeout_ms, kLeastCloseMs), nullptr}, &response);
  // A server that was started anew has forgotten it.
  if (IsAborted(closed)) closed = OkStatus();
  if (!connection_->WaitUntilIdle(timeout_ms)) {
    closed.Update(DeadlineExceeded("calls of the session on ", connection_->target(),
                                   " have not ended within ", timeout_ms, " ms"));
  }
  return closed;
}

std::vector<std::string> RemoteSession::DeviceNames() const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!devices_.empty()) return devices_;
  }
  tensorflow::ListDevicesRequest request;
  request.set_session_handle(handle_);
  tensorflow::ListDevicesResponse response;
  // Who asks for names learns of what is wrong from the next run.
  connection_->ListDevices(request, {options_.connect_timeout_ms, nullptr}, &response)
      .IgnoreError();
  std::vector<std::string> names;
  for (const auto& device : response.local_device()) names.push_back(device.name());
  for (const auto& device : response.remote_device()) names.push_back(device.name());
  std::lock_guard<std::mutex> lock(mutex_);
  devices_ = names;
  return names;
}

}  // namespace

StatusOr<std::unique_ptr<Session>> NewRemoteSession(const RemoteSessionOptions& options,
                                                    std::shared_ptr<Graph> graph) {
  WB_RETURN_IF_ERROR(OpRegistry::GlobalStatus());
  WB_ASSIGN_OR_RETURN(std::unique_ptr<MasterConnection> connection,
                      MasterConnection::Create(options.address, options.tls));
  auto session = std::make_unique<RemoteSession>(options, std::move(graph), std::move(connection));
  WB_RETURN_IF_ERROR(session->Open());
  return session;
}

Status ResetServer(const RemoteSessionOptions& options,
                   const std::vector<std::string>& containers) {
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<MasterConnection> connection,
                      MasterConnection::Create(options.address, options.tls));
  WB_RETURN_IF_ERROR(connection->Connect(options.connect_timeout_ms));
  tensorflow::ResetRequest request;
  for (const std::string& container : containers) request.add_container(container);
  tensorflow::ResetResponse response;
  return connection->Reset(request, {options.connect_timeout_ms, nullptr}, &response);
}

}  // namespace warpbeam
