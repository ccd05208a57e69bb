// A client of a server that speaks TensorFlow's MasterService: how long one-node steps take, how
// fast a large fetch comes, and whether many clients at once are served without an error.
//
//   grpc_load --target=localhost:2222 --what=step|fetch|clients [--budget=1] [--clients=100]
//
// Prints metrics as every program here does. An error of the server ends it with status 1.
#include <grpcpp/grpcpp.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "proto/master_service.grpc.pb.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

using tensorflow::GraphDef;
using tensorflow::MasterService;
using tensorflow::NodeDef;
using tensorflow::TensorProto;

constexpr int64_t kFetchedFloats = int64_t{16} << 20;  // 64 MiB

[[noreturn]] void Die(const std::string& what) {
  fprintf(stderr, "grpc_load: %s\n", what.c_str());
  exit(1);
}

void SetFloats(const std::vector<int64_t>& shape, const std::vector<float>& values,
               TensorProto* tensor) {
  tensor->set_dtype(tensorflow::DT_FLOAT);
  for (int64_t size : shape) tensor->mutable_tensor_shape()->add_dim()->set_size(size);
  tensor->mutable_tensor_shape();
  for (float value : values) tensor->add_float_val(value);
}

// The first value of a tensor of floats; NaN where there is none.
float FirstFloat(const TensorProto& tensor) {
  float value = std::numeric_limits<float>::quiet_NaN();
  if (tensor.float_val_size() > 0) return tensor.float_val(0);
  if (tensor.tensor_content().size() >= sizeof value) {
    memcpy(&value, tensor.tensor_content().data(), sizeof value);
  }
  return value;
}

// A graph under construction; all values are float.
class GraphOfFloats {
 public:
  GraphOfFloats() { graph_.mutable_versions()->set_producer(134); }
  void Constant(const std::string& name, const std::vector<int64_t>& shape, float value) {
    NodeDef& node = Node(name, "Const", {}, "dtype");
    SetFloats(shape, {value}, (*node.mutable_attr())["value"].mutable_tensor());
  }
  void Placeholder(const std::string& name) { Node(name, "Placeholder", {}, "dtype"); }
  void Variable(const std::string& name, const std::vector<int64_t>& shape) {
    NodeDef& node = Node(name, "VariableV2", {}, "dtype");
    auto* const extents = (*node.mutable_attr())["shape"].mutable_shape();
    for (int64_t size : shape) extents->add_dim()->set_size(size);
    (*node.mutable_attr())["container"].set_s("");
    (*node.mutable_attr())["shared_name"].set_s("");
  }
  NodeDef& Node(const std::string& name, const std::string& op,
                const std::vector<std::string>& inputs, const std::string& type_attr = "T") {
    NodeDef& node = *graph_.add_node();
    node.set_name(name);
    node.set_op(op);
    for (const std::string& input : inputs) node.add_input(input);
    (*node.mutable_attr())[type_attr].set_type(tensorflow::DT_FLOAT);
    return node;
  }
  const GraphDef& graph() const { return graph_; }

 private:
  GraphDef graph_;
};

// A session on the server, over a connection of its own.
class Client {
 public:
  explicit Client(const std::string& target) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub_ = MasterService::NewStub(
        grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments));
  }

  grpc::Status Open(const GraphDef& graph) {
    tensorflow::CreateSessionRequest request;
    *request.mutable_graph_def() = graph;
    tensorflow::CreateSessionResponse response;
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    const grpc::Status status = stub_->CreateSession(&context, request, &response);
    session_ = response.session_handle();
    return status;
  }
  tensorflow::RunStepRequest Request(const std::string& fetch, const std::string& target = "") {
    tensorflow::RunStepRequest request;
    request.set_session_handle(session_);
    if (!fetch.empty()) request.add_fetch(fetch);
    if (!target.empty()) request.add_target(target);
    request.mutable_options();
    request.set_store_errors_in_response_body(true);
    return request;
  }
  grpc::Status Run(tensorflow::RunStepRequest& request, tensorflow::RunStepResponse* response) {
    request.set_request_id(++last_request_);
    response->Clear();
    grpc::ClientContext context;
    const grpc::Status status = stub_->RunStep(&context, request, response);
    if (!status.ok() || response->status_code() == tensorflow::error::OK) return status;
    return grpc::Status(static_cast<grpc::StatusCode>(response->status_code()),
                        response->status_error_message());
  }
  grpc::Status Close() {
    tensorflow::CloseSessionRequest request;
    request.set_session_handle(session_);
    tensorflow::CloseSessionResponse response;
    grpc::ClientContext context;
    return stub_->CloseSession(&context, request, &response);
  }

 private:
  static std::atomic<int64_t> last_request_;

  std::unique_ptr<MasterService::Stub> stub_;
  std::string session_;
};

// No two of these programs give their requests the same numbers.
std::atomic<int64_t> Client::last_request_{static_cast<int64_t>(WallSeconds() * 1e9) << 8};

void Check(const grpc::Status& status, const char* what) {
  if (!status.ok()) Die(std::string(what) + ": " + status.error_message());
}

void MeasureSteps(const std::string& target, double budget) {
  GraphOfFloats graph;
  graph.Constant("c", {}, 1);
  Client client(target);
  Check(client.Open(graph.graph()), "CreateSession");
  auto request = client.Request("c:0");
  tensorflow::RunStepResponse response;
  const auto step = [&] {
    Check(client.Run(request, &response), "RunStep");
    if (response.tensor_size() != 1 || FirstFloat(response.tensor(0).tensor()) != 1) {
      Die("the step did not fetch 1");
    }
  };
  for (const double start = WallSeconds(); WallSeconds() < start + budget / 5;) step();
  std::vector<double> seconds;
  for (const double start = WallSeconds(); WallSeconds() < start + budget;) {
    const double before = WallSeconds();
    step();
    seconds.push_back(WallSeconds() - before);
  }
  PrintMetric("step_median", Quantile(seconds, 0.5) * 1e6, "us");
  PrintMetric("step_p90", Quantile(seconds, 0.9) * 1e6, "us");
  PrintMetric("step_p99", Quantile(seconds, 0.99) * 1e6, "us");
  PrintMetric("steps", static_cast<double>(seconds.size()), "count");
  Check(client.Close(), "CloseSession");
}

void MeasureFetch(const std::string& target, double budget) {
  GraphOfFloats graph;
  graph.Constant("fill", {kFetchedFloats}, 2);
  graph.Variable("v", {kFetchedFloats});
  graph.Node("init", "Assign", {"v", "fill"});
  Client client(target);
  Check(client.Open(graph.graph()), "CreateSession");
  auto init = client.Request("", "init");
  auto request = client.Request("v:0");
  tensorflow::RunStepResponse response;
  Check(client.Run(init, &response), "RunStep");
  std::vector<double> seconds;
  const double start = WallSeconds();
  while (seconds.size() < 4 || WallSeconds() < start + budget) {
    const double before = WallSeconds();
    Check(client.Run(request, &response), "RunStep");
    seconds.push_back(WallSeconds() - before);
    if (response.tensor_size() != 1) Die("nothing was fetched");
    const std::string& content = response.tensor(0).tensor().tensor_content();
    float last = 0;
    if (content.size() != kFetchedFloats * sizeof last) Die("not all was fetched");
    memcpy(&last, content.data() + content.size() - sizeof last, sizeof last);
    if (last != 2) Die("something else was fetched");
  }
  seconds.erase(seconds.begin());  // the connection's window grows with the first
  PrintMetric("fetch", kFetchedFloats * 4 / Quantile(seconds, 0.5) / 1e9, "GB/s");
  PrintMetric("fetches", static_cast<double>(seconds.size()), "count");
  Check(client.Close(), "CloseSession");
}

// One of many clients: sums up in a variable of its own, and now and then begins a new session.
void Sum(const std::string& target, int number, double until, std::atomic<int64_t>* steps,
         std::atomic<int64_t>* errors, std::string* first_error) {
  const auto failed = [&](const std::string& text) {
    if (++*errors == 1) *first_error = text;
  };
  const std::string variable = "sum_" + std::to_string(number);
  GraphOfFloats graph;
  graph.Constant("zero", {}, 0);
  graph.Variable(variable, {});
  graph.Placeholder("x");
  graph.Node("init", "Assign", {variable, "zero"});
  graph.Node("add", "AssignAdd", {variable, "x"});
  Client client(target);
  while (WallSeconds() < until) {
    if (const grpc::Status s = client.Open(graph.graph()); !s.ok()) {
      return failed("CreateSession: " + s.error_message());
    }
    auto init = client.Request("", "init"), add = client.Request("add:0");
    auto* const feed = add.add_feed();
    feed->set_name("x:0");
    SetFloats({}, {1}, feed->mutable_tensor());
    tensorflow::RunStepResponse response;
    grpc::Status s = client.Run(init, &response);
    for (int i = 1; s.ok() && i <= 200 && WallSeconds() < until; ++i) {
      s = client.Run(add, &response);
      ++*steps;
      if (!s.ok()) break;
      const bool fits = response.tensor_size() == 1 &&
                        FirstFloat(response.tensor(0).tensor()) == static_cast<float>(i);
      if (!fits) failed("a sum is not " + std::to_string(i));
    }
    if (!s.ok()) failed("RunStep: " + s.error_message());
    if (const grpc::Status c = client.Close(); !c.ok()) {
      failed("CloseSession: " + c.error_message());
    }
  }
}

void MeasureClients(const std::string& target, double budget, int clients) {
  std::atomic<int64_t> steps{0}, errors{0};
  std::string first_error;
  const double start = WallSeconds();
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] { Sum(target, i, start + budget, &steps, &errors, &first_error); });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = WallSeconds() - start;
  PrintMetric("clients", clients, "count");
  PrintMetric("errors", static_cast<double>(errors), "count");
  PrintMetric("steps", static_cast<double>(steps), "count");
  PrintMetric("steps_per_second", static_cast<double>(steps) / seconds, "1/s");
  if (errors > 0) Die(std::to_string(errors) + " errors; the first: " + first_error);
}

int Main(int argc, char** argv) {
  std::map<std::string, std::string> flags = {{"budget", "1"}, {"clients", "100"}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    if (word.rfind("--", 0) != 0 || equals == std::string::npos) Die("not a flag: " + word);
    flags[word.substr(2, equals - 2)] = word.substr(equals + 1);
  }
  // Memory is kept from fetch to fetch, or it is this program's page faults that are measured.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const std::string target = flags["target"], what = flags["what"];
  const double budget = atof(flags["budget"].c_str());
  if (what == "step") {
    MeasureSteps(target, budget);
  } else if (what == "fetch") {
    MeasureFetch(target, budget);
  } else if (what == "clients") {
    MeasureClients(target, budget, atoi(flags["clients"].c_str()));
  } else {
    Die("--what is step, fetch or clients");
  }
  return 0;
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main(int argc, char** argv) { return warpbeam::benchmarks::Main(argc, argv); }
