#include "runtime/dist/heartbeat.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/strings/match.h"
#include "proto/worker_service.grpc.pb.h"
#include "runtime/dist/grpc_channel.h"

namespace warpbeam {
namespace {

struct Question {
  grpc::ClientContext context;
  tensorflow::GetStatusRequest request;
  tensorflow::GetStatusResponse response;
};

}  // namespace

struct Heartbeat::Connections {
  std::unique_ptr<tensorflow::WorkerService::Stub> asked;
  std::shared_ptr<grpc::Channel> fresh;  // one that is tried, while the task is silent
};

Heartbeat::Heartbeat(const std::string& task, std::string address, TlsFiles tls)
    : address_(std::move(address)), tls_(std::move(tls)), health_(task, address_) {}

Heartbeat::~Heartbeat() = default;

void Heartbeat::Watch(TaskHealth::Time now) {
  std::lock_guard<std::mutex> lock(mutex_);
  health_.Watch(now);
}

absl::Status Heartbeat::Check(TaskHealth::Time now) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return health_.Check(now);
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
  const auto question = std::make_shared<Question>();
  tensorflow::WorkerService::Stub* asked = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (connections_ == nullptr) {
      connections_ = std::make_unique<Connections>();
      connections_->asked =
          tensorflow::WorkerService::NewStub(ConnectTo(address_, tls_, /*is_own=*/true));
    }
    LookAtNewConnection(now);
    if (is_asked_) return;
    is_asked_ = true;
    asked = connections_->asked.get();
  }
  question->context.set_deadline(std::chrono::system_clock::now() + TaskHealth::kDeadAfter);
  asked->async()->GetStatus(
      &question->context, &question->request, &question->response,
      [self = shared_from_this(), question](const grpc::Status& status) {
        const auto heard = std::chrono::steady_clock::now();
        std::lock_guard<std::mutex> lock(self->mutex_);
        self->is_asked_ = false;
        if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
          if (absl::StrContains(status.error_message(), "refused")) {
            self->health_.Refused(absl::UnavailableError("its port refuses connections"));
          }
        } else if (status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) {
          self->health_.Answered(heard);  // whatever it says
        }
      });
}

}  // namespace warpbeam
