#include "tests/fuzz/worker_script.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/worker.pb.h"
#include "tests/conformance/case.pb.h"
#include "tests/fuzz/call_script.pb.h"
#include "tests/fuzz/wire_form.h"

namespace warpbeam {
namespace fuzz {
namespace {

using calls::Call;
using calls::Script;
using conformance::Case;
using tensorflow::GraphDef;
using tensorflow::NodeDef;

constexpr char kSession[] = "a session";
constexpr char kDevice[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr int kMostSteps = 3;

void Add(Call::Method method, const google::protobuf::Message& request, Script* script) {
  Call* const call = script->add_calls();
  call->set_method(method);
  call->set_request(WireForm(request));
}

// Under which the step's master and this task exchange a tensor.
std::string KeyOf(const std::string& name) {
  return absl::StrCat(kDevice, ";0000000000000001;", kDevice, ";", name, ";0:0");
}

void SetTransfer(const std::string& tensor, NodeDef* node) {
  auto& attrs = *node->mutable_attr();
  attrs["tensor_name"].set_s(tensor);
  attrs["send_device"].set_s(kDevice);
  attrs["send_device_incarnation"].set_i(1);
  attrs["recv_device"].set_s(kDevice);
  attrs["client_terminated"].set_b(true);
  node->set_device(kDevice);
}

std::string NodeOf(const std::string& tensor) { return tensor.substr(0, tensor.find(':')); }

// What is fed comes from the step's master, and what is fetched goes to it.
GraphDef PartOf(const Case& c) {
  GraphDef graph;
  graph.ParseFromString(c.graph());
  std::map<std::string, tensorflow::DataType> types;
  for (const auto& feed : c.steps(0).feeds()) {
    tensorflow::TensorProto value;
    if (value.ParseFromString(feed.tensor())) types[NodeOf(feed.name())] = value.dtype();
  }
  for (NodeDef& node : *graph.mutable_node()) {
    const auto fed = types.find(node.name());
    if (fed == types.end()) continue;
    node.set_op("_Recv");
    node.clear_input();
    node.clear_attr();
    (*node.mutable_attr())["tensor_type"].set_type(fed->second);
    SetTransfer(node.name(), &node);
  }
  for (const auto& expected : c.steps(0).expected()) {
    tensorflow::TensorProto value;
    if (!value.ParseFromString(expected.tensor())) continue;
    NodeDef* const send = graph.add_node();
    send->set_name(absl::StrCat("send/", NodeOf(expected.name())));
    send->set_op("_Send");
    send->add_input(expected.name());
    (*send->mutable_attr())["T"].set_type(value.dtype());
    SetTransfer(expected.name(), send);
  }
  return graph;
}

// What comes again gets the answer that it got, until it is said to have come.
void AddRepetitions(const tensorflow::RunGraphRequest& run,
                    const tensorflow::RecvTensorRequest& receive, Script* script) {
  Add(Call::RUN_GRAPH, run, script);
  Add(Call::RECV_TENSOR, receive, script);
  tensorflow::MarkRecvFinishedRequest received;
  received.set_request_id(receive.request_id());
  Add(Call::MARK_RECV_FINISHED, received, script);
  tensorflow::LoggingRequest log;
  log.set_disable_rpc_logging(true);
  log.add_fetch_step_id(run.step_id());
  log.set_clear(true);
  Add(Call::LOGGING, log, script);
}

template <class Request>
Request InSession() {
  Request request;
  request.set_session_handle(kSession);
  request.set_create_worker_session_called(true);
  return request;
}

}  // namespace

void AddWorkerCalls(const Case& c, Script* script) {
  if (c.steps().empty()) return;
  Add(Call::GET_STATUS, tensorflow::GetStatusRequest(), script);
  tensorflow::LoggingRequest log;
  log.set_enable_rpc_logging(true);
  Add(Call::LOGGING, log, script);
  tensorflow::CreateWorkerSessionRequest create;
  create.set_session_handle(kSession);
  Add(Call::CREATE_WORKER_SESSION, create, script);
  auto graph = InSession<tensorflow::RegisterGraphRequest>();
  *graph.mutable_graph_def() = PartOf(c);
  Add(Call::REGISTER_GRAPH, graph, script);
  for (int i = 0; i < std::min(c.steps_size(), kMostSteps); ++i) {
    auto run = InSession<tensorflow::RunGraphRequest>();
    run.set_graph_handle("#0");
    run.set_step_id(i + 1);
    run.set_store_errors_in_response_body(true);
    run.set_request_id(i + 1);
    run.mutable_exec_opts()->set_record_timeline(true);
    run.mutable_exec_opts()->set_record_partition_graphs(true);
    for (const auto& feed : c.steps(i).feeds()) {
      auto* const sent = run.add_send();
      sent->set_name(KeyOf(NodeOf(feed.name())));
      sent->mutable_tensor()->ParseFromString(feed.tensor());
    }
    for (const auto& expected : c.steps(i).expected()) {
      // The first is asked for as another task would.
      if (run.recv_key_size() > 0 || i > 0) run.add_recv_key(KeyOf(expected.name()));
    }
    tensorflow::RecvTensorRequest receive;
    receive.set_step_id(i + 1);
    receive.set_rendezvous_key(KeyOf(c.steps(i).expected_size() > 0 ? c.steps(i).expected(0).name()
                                                                    : std::string("nothing")));
    receive.set_request_id(i + 1);
    Add(Call::RUN_GRAPH, run, script);
    if (i == 0) Add(Call::RECV_TENSOR, receive, script);
    if (i == 0) AddRepetitions(run, receive, script);
    tensorflow::CleanupGraphRequest cleanup;
    cleanup.set_step_id(i + 1);
    Add(Call::CLEANUP_GRAPH, cleanup, script);
  }
  auto forget = InSession<tensorflow::DeregisterGraphRequest>();
  forget.set_graph_handle("#0");
  Add(Call::DEREGISTER_GRAPH, forget, script);
  tensorflow::DeleteWorkerSessionRequest end;
  end.set_session_handle(kSession);
  Add(Call::DELETE_WORKER_SESSION, end, script);
  Add(Call::CLEANUP_ALL, tensorflow::CleanupAllRequest(), script);
}

}  // namespace fuzz
}  // namespace warpbeam
