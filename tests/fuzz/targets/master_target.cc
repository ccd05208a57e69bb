// What a server is asked, as the service sees it behind its sockets: scripts of calls by several
// clients, some at the same time. Every call answers, what it answers is a message, and afterwards
// the server stops.
#include <google/protobuf/message.h>

#include <array>
#include <condition_variable>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "absl/strings/str_format.h"
#include "proto/master.pb.h"
#include "proto/worker.pb.h"
#include "runtime/dist/master.h"
#include "runtime/dist/step_messages.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/memory/pool_allocator.h"
#include "tests/conformance/case.pb.h"
#include "tests/conformance/case_file.h"
#include "tests/fuzz/call_request.h"
#include "tests/fuzz/call_script.pb.h"
#include "tests/fuzz/call_script_mutator.h"
#include "tests/fuzz/message_check.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

using calls::Call;
using calls::Script;
using google::protobuf::Message;

constexpr int64_t kCpuBytes = 64 << 20;
constexpr int64_t kMostNodes = 20'000;
constexpr int64_t kConstantBytes = 16 << 20;
constexpr int kMostCalls = 80;
constexpr int kMostAside = 8;
constexpr int kNumMethods = calls::Call::Method_ARRAYSIZE;
// After which a client no longer waits for its step.
constexpr std::chrono::milliseconds kPatience(250);
// More than any input may take: the driver's watch ends the process before.
constexpr int64_t kStopMs = 3'600'000;
// Runs that find nothing because hardly anything is answered well would look like good ones.
constexpr double kLeastShare = 0.2;

struct Answers {
  std::atomic<int64_t> all{0};
  std::atomic<int64_t> good{0};
};
std::array<Answers, kNumMethods>& Counted() {
  static std::array<Answers, kNumMethods> counted;
  return counted;
}

// A client that goes away when it has waited for long.
class Client {
 public:
  Client() : thread_([this] { Wait(); }) {}
  ~Client() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_answered_ = true;
    }
    answered_.notify_one();
    thread_.join();
  }
  Cancellation* cancellation() { return &cancellation_; }

 private:
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (answered_.wait_for(lock, kPatience, [this] { return is_answered_; })) return;
    lock.unlock();
    cancellation_.Cancel(Cancelled("the client has gone"));
  }

  Cancellation cancellation_;
  std::mutex mutex_;
  std::condition_variable answered_;
  bool is_answered_ = false;
  std::thread thread_;
};

template <class To>
const To& As(const Message& request) {
  return static_cast<const To&>(request);
}

// What goes over the wire must be read again at the other end.
template <class Response>
void CheckReply(RunStepReply* reply, Response* response) {
  std::string bytes;
  for (WirePiece& piece : reply->TakePieces()) {
    bytes += piece.bytes;
    if (!piece.values.has_value()) continue;
    bytes.append(piece.values.data<char>(), piece.values.bytes());
  }
  if (response->ParseFromString(bytes)) return;
  fprintf(stderr, "what a step answers is no message\n");
  abort();
}

// One script on a server of its own.
class ScriptRun {
 public:
  explicit ScriptRun(std::unique_ptr<Master> master) : master_(std::move(master)) {}

  void Run(const Script& script) {
    std::vector<std::thread> aside;
    int count = 0;
    for (const Call& call : script.calls()) {
      if (++count > kMostCalls) break;
      if (call.aside() && aside.size() < kMostAside) {
        aside.emplace_back([this, &call] { Ask(call); });
      } else {
        Ask(call);
      }
    }
    // As a server stops: whatever still runs is told to end.
    master_->worker().EndSteps(Unavailable("the server is stopping"));
    const Status stopped = master_->CloseAll(kStopMs);
    for (std::thread& thread : aside) thread.join();
    if (stopped.ok()) return;
    fprintf(stderr, "the server does not stop: %s\n", stopped.ToString().c_str());
    abort();
  }

 private:
  void Ask(const Call& call) {
    Answers& answers = Counted()[static_cast<size_t>(call.method()) % kNumMethods];
    ++answers.all;
    const std::unique_ptr<Message> request = NewRequest(call.method());
    // A request that cannot be read is answered where it is read.
    if (!request->ParseFromString(call.request())) return;
    ReplaceHandles(request.get(), [this](const std::string& field, int number) {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto& known = handles_[field];
      const auto at = static_cast<size_t>(number);
      return at < known.size() ? known[at] : "never given";
    });
    const Status status = Answer(call.method(), *request);
    CheckMessage(status);
    answers.good += status.ok() ? 1 : 0;
  }
  void Keep(const char* field, const std::string& handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    handles_[field].push_back(handle);
  }
  Status RunStep(const tensorflow::RunStepRequest& request) {
    Client client;
    RunStepReply reply;
    WB_RETURN_IF_ERROR(master_->RunStep(request, client.cancellation(), &reply));
    tensorflow::RunStepResponse response;
    CheckReply(&reply, &response);
    return Status(static_cast<StatusCode>(response.status_code()), response.status_error_message());
  }
  Status Answer(int method, const Message& request) {
    switch (method) {
      case Call::CREATE_SESSION: {
        tensorflow::CreateSessionResponse response;
        WB_RETURN_IF_ERROR(
            master_->CreateSession(As<tensorflow::CreateSessionRequest>(request), &response));
        Keep("session_handle", response.session_handle());
        return OkStatus();
      }
      case Call::EXTEND_SESSION: {
        tensorflow::ExtendSessionResponse response;
        return master_->ExtendSession(As<tensorflow::ExtendSessionRequest>(request), &response);
      }
      case Call::RUN_STEP:
        return RunStep(As<tensorflow::RunStepRequest>(request));
      case Call::PARTIAL_RUN_SETUP: {
        tensorflow::PartialRunSetupResponse response;
        WB_RETURN_IF_ERROR(
            master_->PartialRunSetup(As<tensorflow::PartialRunSetupRequest>(request), &response));
        Keep("partial_run_handle", response.partial_run_handle());
        return OkStatus();
      }
      case Call::MAKE_CALLABLE: {
        Client client;
        tensorflow::MakeCallableResponse response;
        return master_->MakeCallable(As<tensorflow::MakeCallableRequest>(request),
                                     client.cancellation(), &response);
      }
      case Call::RUN_CALLABLE: {
        Client client;
        tensorflow::RunCallableResponse response;
        return master_->RunCallable(As<tensorflow::RunCallableRequest>(request),
                                    client.cancellation(), &response);
      }
      case Call::RELEASE_CALLABLE: {
        tensorflow::ReleaseCallableResponse response;
        return master_->ReleaseCallable(As<tensorflow::ReleaseCallableRequest>(request), &response);
      }
      case Call::CLOSE_SESSION: {
        tensorflow::CloseSessionResponse response;
        return master_->CloseSession(As<tensorflow::CloseSessionRequest>(request), &response);
      }
      case Call::RESET: {
        tensorflow::ResetResponse response;
        return master_->Reset(As<tensorflow::ResetRequest>(request), &response);
      }
      case Call::LIST_DEVICES: {
        tensorflow::ListDevicesResponse response;
        return master_->ListDevices(As<tensorflow::ListDevicesRequest>(request), &response);
      }
      default:
        return AnswerAsWorker(method, request);
    }
  }
  Status AnswerAsWorker(int method, const Message& request) {
    Worker& worker = master_->worker();
    switch (method) {
      case Call::REGISTER_GRAPH: {
        tensorflow::RegisterGraphResponse response;
        WB_RETURN_IF_ERROR(
            worker.RegisterGraph(As<tensorflow::RegisterGraphRequest>(request), &response));
        Keep("graph_handle", response.graph_handle());
        return OkStatus();
      }
      case Call::RUN_GRAPH: {
        Client client;
        tensorflow::RunGraphResponse response;
        WB_RETURN_IF_ERROR(worker.RunGraph(As<tensorflow::RunGraphRequest>(request),
                                           client.cancellation(), &response));
        return Status(static_cast<StatusCode>(response.status_code()),
                      response.status_error_message());
      }
      case Call::RECV_TENSOR:
        return Receive(As<tensorflow::RecvTensorRequest>(request));
#define WB_WORKER_CASE(name, call)                                         \
  case Call::name: {                                                       \
    tensorflow::call##Response response;                                   \
    return worker.call(As<tensorflow::call##Request>(request), &response); \
  }
        WB_WORKER_CASE(GET_STATUS, GetStatus)
        WB_WORKER_CASE(CREATE_WORKER_SESSION, CreateWorkerSession)
        WB_WORKER_CASE(DELETE_WORKER_SESSION, DeleteWorkerSession)
        WB_WORKER_CASE(DEREGISTER_GRAPH, DeregisterGraph)
        WB_WORKER_CASE(CLEANUP_GRAPH, CleanupGraph)
        WB_WORKER_CASE(CLEANUP_ALL, CleanupAll)
        WB_WORKER_CASE(MARK_RECV_FINISHED, MarkRecvFinished)
        WB_WORKER_CASE(LOGGING, Logging)
        WB_WORKER_CASE(TRACING, Tracing)
#undef WB_WORKER_CASE
      default:
        return Unimplemented("no such method");
    }
  }
  // The caller goes away when it has waited for long.
  Status Receive(const tensorflow::RecvTensorRequest& request) {
    struct Arrival {
      std::mutex mutex;
      std::condition_variable arrived;
      std::optional<Status> status;
    };
    const auto arrival = std::make_shared<Arrival>();
    const Worker::Receiving receiving =
        master_->worker().RecvTensor(request, [arrival](const StatusOr<Rendezvous::Value>& value) {
          const std::lock_guard<std::mutex> lock(arrival->mutex);
          arrival->status = value.status();
          arrival->arrived.notify_all();
        });
    std::unique_lock<std::mutex> lock(arrival->mutex);
    const auto has_come = [&] { return arrival->status.has_value(); };
    if (arrival->arrived.wait_for(lock, kPatience, has_come)) return *arrival->status;
    lock.unlock();
    if (receiving.Forget()) return Cancelled("the caller has gone");
    lock.lock();
    arrival->arrived.wait(lock, has_come);  // it is just coming
    return *arrival->status;
  }

  const std::unique_ptr<Master> master_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> handles_;  // by the field that names them
};

// As a server for strangers has them, and small.
MasterOptions Options() {
  static const auto* const devices = [] {
    PoolAllocator::Process().set_limit(kCpuBytes);
    SessionOptions options;
    options.cpu_devices = 2;
    options.inter_op_threads = options.intra_op_threads = 2;
    options.simulated_gpus = 1;
    options.simulated_gpu_memory = kCpuBytes;
    auto made = CreateDevices(options);
    if (!made.ok()) abort();
    return new std::shared_ptr<DeviceSet>(*std::move(made));
  }();
  MasterOptions options;
  options.session.devices = *devices;
  options.session.allow = CapabilitySet();
  options.session.log_device_placement = [](const std::string&) {};
  options.limits.max_nodes = kMostNodes;
  options.limits.max_expansion = kConstantBytes;
  options.close_timeout_ms = kStopMs;
  return options;
}

void Run(absl::string_view input) {
  Script script;
  if (!script.ParseFromArray(input.data(), static_cast<int>(input.size()))) return;
  auto master = Master::Create(Options());
  if (!master.ok()) abort();
  ScriptRun(*std::move(master)).Run(script);
}

}  // namespace

StatusOr<std::vector<std::string>> ReadSeedPack(const std::string& path) {
  WB_ASSIGN_OR_RETURN(const std::vector<CaseBytes> cases, LoadCases({path}));
  std::vector<std::string> seeds;
  for (const CaseBytes& bytes : cases) {
    conformance::Case c;
    // A script holds no gradients; what is refused is tried by the pipeline.
    if (!c.ParseFromString(bytes.wire_form) || c.has_gradients() || !c.graph_error_code().empty()) {
      continue;
    }
    const auto flavour = static_cast<Flavour>(seeds.size() % kNumFlavours);
    seeds.push_back(WireForm(ScriptOf(c, flavour)));
  }
  return seeds;
}

bool SummarizeRuns(std::string* text) {
  int64_t steps = 0, good_steps = 0;
  absl::StrAppend(text, "calls, and what share of them was answered well:\n");
  for (int i = 0; i < kNumMethods; ++i) {
    const Answers& answers = Counted()[static_cast<size_t>(i)];
    const double share =
        static_cast<double>(answers.good) / static_cast<double>(std::max<int64_t>(1, answers.all));
    absl::StrAppendFormat(text, "  %8d %5.1f %%  %s\n", answers.all, 100 * share,
                          Call::Method_Name(i));
    if (i != Call::RUN_STEP && i != Call::RUN_CALLABLE && i != Call::RUN_GRAPH) continue;
    steps += answers.all;
    good_steps += answers.good;
  }
  const bool good =
      steps < 100 || static_cast<double>(good_steps) >= kLeastShare * static_cast<double>(steps);
  if (!good) absl::StrAppendFormat(text, "less than %.0f %% of the steps\n", 100 * kLeastShare);
  return good;
}

}  // namespace fuzz
}  // namespace warpbeam

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  warpbeam::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  const std::string made =
      warpbeam::fuzz::MutateScript(random, {reinterpret_cast<const char*>(data), size}, max_size);
  memcpy(data, made.data(), made.size());
  return made.size();
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  warpbeam::fuzz::RandomSource random(seed);
  const std::string made =
      warpbeam::fuzz::CrossScripts(random, {reinterpret_cast<const char*>(data1), size1},
                                   {reinterpret_cast<const char*>(data2), size2}, max_out_size);
  memcpy(out, made.data(), made.size());
  return made.size();
}
