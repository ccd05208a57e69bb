#include "runtime/dist/heartbeat.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/strings/match.h"
#include "proto/worker_service.grpc.pb.h"
#include "runtime/dist/grpc_channel.h"

namespace warpbeam {
namespace {

using WorkerStub = tensorflow::WorkerService::Stub;

struct Question {
  TaskHealth::Time asked;
  grpc::ClientContext context;
  tensorflow::GetStatusResponse response;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<tensorflow::GetStatusResponse>> call;
};

}  // namespace

// Without callbacks: gRPC's threads for those do not survive being given back by one of themselves.
struct Heartbeat::Connections {
  explicit Connections(const std::shared_ptr<grpc::Channel>& channel)
      : asked(tensorflow::WorkerService::NewStub(channel)) {}
  ~Connections() {
    if (question != nullptr) question->context.TryCancel();
    answers.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (answers.Next(&tag, &ok)) {
    }
  }

  const std::unique_ptr<WorkerStub> asked;
  grpc::CompletionQueue answers;
  std::unique_ptr<Question> question;    // null: none is open
  std::shared_ptr<grpc::Channel> fresh;  // one that is tried, while the task is silent
};

Heartbeat::Heartbeat(const std::string& task, std::string address, TlsFiles tls)
    : address_(std::move(address)), tls_(std::move(tls)), health_(task, address_) {}

Heartbeat::~Heartbeat() = default;

void Heartbeat::Watch(TaskHealth::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  health_.Watch(now);
}

Status Heartbeat::Check(TaskHealth::Time now) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return health_.Check(now);
}

void Heartbeat::LookAtAnswer() {
  if (connections_->question == nullptr) return;
  void* tag = nullptr;
  bool ok = false;
  const auto found = connections_->answers.AsyncNext(&tag, &ok, std::chrono::system_clock::now());
  if (found != grpc::CompletionQueue::GOT_EVENT) return;
  const std::unique_ptr<Question> question = std::move(connections_->question);
  const grpc::Status& status = question->status;
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    if (absl::StrContains(status.error_message(), "refused")) {
      health_.Refused(Unavailable("its port refuses connections"));
    }
  } else if (status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) {
    health_.Answered(question->asked);  // whatever it says; it was there by then
  }
}

void Heartbeat::LookAtNewConnection(TaskHealth::Time now) {
  std::shared_ptr<grpc::Channel>& fresh = connections_->fresh;
  if (health_.state(now) == TaskHealth::State::kAlive) return fresh.reset();
  if (fresh == nullptr) fresh = ConnectTo(address_, tls_, /*is_own=*/true);
  if (fresh->GetState(/*try_to_connect=*/true) != GRPC_CHANNEL_READY) return;
  health_.Answered(now);
  fresh.reset();
}

void Heartbeat::Ask(TaskHealth::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (connections_ == nullptr) {
    connections_ = std::make_unique<Connections>(ConnectTo(address_, tls_, /*is_own=*/true));
  }
  LookAtAnswer();
  LookAtNewConnection(now);
  if (connections_->question != nullptr) return;
  connections_->question = std::make_unique<Question>();
  Question& question = *connections_->question;
  question.asked = now;
  question.context.set_deadline(std::chrono::system_clock::now() + TaskHealth::kDeadAfter);
  question.call = connections_->asked->AsyncGetStatus(
      &question.context, tensorflow::GetStatusRequest(), &connections_->answers);
  question.call->Finish(&question.response, &question.status, &question);
}

}  // namespace warpbeam
