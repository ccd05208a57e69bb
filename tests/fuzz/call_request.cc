#include "tests/fuzz/call_request.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "absl/strings/numbers.h"
#include "proto/master.pb.h"
#include "proto/worker.pb.h"
#include "tests/fuzz/call_script.pb.h"

namespace warpbeam {
namespace fuzz {

using calls::Call;
using google::protobuf::Message;

std::unique_ptr<Message> NewRequest(int method) {
  switch (method) {
    case Call::CREATE_SESSION:
      return std::make_unique<tensorflow::CreateSessionRequest>();
    case Call::EXTEND_SESSION:
      return std::make_unique<tensorflow::ExtendSessionRequest>();
    case Call::RUN_STEP:
      return std::make_unique<tensorflow::RunStepRequest>();
    case Call::PARTIAL_RUN_SETUP:
      return std::make_unique<tensorflow::PartialRunSetupRequest>();
    case Call::MAKE_CALLABLE:
      return std::make_unique<tensorflow::MakeCallableRequest>();
    case Call::RUN_CALLABLE:
      return std::make_unique<tensorflow::RunCallableRequest>();
    case Call::RELEASE_CALLABLE:
      return std::make_unique<tensorflow::ReleaseCallableRequest>();
    case Call::CLOSE_SESSION:
      return std::make_unique<tensorflow::CloseSessionRequest>();
    case Call::RESET:
      return std::make_unique<tensorflow::ResetRequest>();
    case Call::GET_STATUS:
      return std::make_unique<tensorflow::GetStatusRequest>();
    case Call::CREATE_WORKER_SESSION:
      return std::make_unique<tensorflow::CreateWorkerSessionRequest>();
    case Call::DELETE_WORKER_SESSION:
      return std::make_unique<tensorflow::DeleteWorkerSessionRequest>();
    case Call::REGISTER_GRAPH:
      return std::make_unique<tensorflow::RegisterGraphRequest>();
    case Call::DEREGISTER_GRAPH:
      return std::make_unique<tensorflow::DeregisterGraphRequest>();
    case Call::RUN_GRAPH:
      return std::make_unique<tensorflow::RunGraphRequest>();
    case Call::RECV_TENSOR:
      return std::make_unique<tensorflow::RecvTensorRequest>();
    case Call::CLEANUP_GRAPH:
      return std::make_unique<tensorflow::CleanupGraphRequest>();
    case Call::CLEANUP_ALL:
      return std::make_unique<tensorflow::CleanupAllRequest>();
    case Call::MARK_RECV_FINISHED:
      return std::make_unique<tensorflow::MarkRecvFinishedRequest>();
    case Call::LOGGING:
      return std::make_unique<tensorflow::LoggingRequest>();
    case Call::TRACING:
      return std::make_unique<tensorflow::TracingRequest>();
    default:
      return std::make_unique<tensorflow::ListDevicesRequest>();
  }
}

void ReplaceHandles(Message* request, const HandleOf& handle) {
  for (const char* const name : {"session_handle", "partial_run_handle", "graph_handle"}) {
    const auto* const field = request->GetDescriptor()->FindFieldByName(name);
    if (field == nullptr) continue;
    const std::string said = request->GetReflection()->GetString(*request, field);
    int number = 0;
    if (said.empty() || said[0] != '#' || !absl::SimpleAtoi(said.substr(1), &number)) continue;
    request->GetReflection()->SetString(request, field, handle(name, number));
  }
}

}  // namespace fuzz
}  // namespace warpbeam
