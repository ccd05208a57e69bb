#include "tools/benchmarks/cluster_training.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "proto/master.pb.h"
#include "tools/benchmarks/master_client.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr int64_t kBatch = 100, kPixels = 784, kHidden = 100, kClasses = 10;

struct Weights {
  std::string name;
  std::vector<int64_t> shape;
};

const std::vector<Weights>& AllWeights() {
  static const auto* const all = new std::vector<Weights>{{"w1", {kPixels, kHidden}},
                                                          {"b1", {kHidden}},
                                                          {"w2", {kHidden, kClasses}},
                                                          {"b2", {kClasses}}};
  return *all;
}

// The net as a worker has it: the weights on the ps, everything up to their gradients ("gw1" …) on
// its own device. Nodes that are added later are on the ps.
class Net {
 public:
  explicit Net(int worker) : worker_(WorkerDevice(worker)) {
    for (const Weights& weights : AllWeights()) {
      graph_.On(kPs).Constant("start_" + weights.name, weights.shape, 0.01f);
      graph_.Variable(weights.name, weights.shape);
      Initialize(weights.name, "start_" + weights.name);
      graph_.Node("read_" + weights.name, "Identity", {weights.name});
    }
    Backward();
    graph_.On(kPs).Constant("rate", {}, 0.001f);
  }

  // Groups what has been added.
  const tensorflow::GraphDef& Finished() {
    Group("init", inits_);
    return graph_.graph();
  }
  void Group(const std::string& name, const std::vector<std::string>& nodes) {
    std::vector<std::string> inputs;
    for (const std::string& node : nodes) inputs.push_back("^" + node);
    graph_.Node(name, "NoOp", inputs).mutable_attr()->clear();
  }
  // `variable` has the value of `start` after "init".
  void Initialize(const std::string& variable, const std::string& start) {
    graph_.Node("init_" + variable, "Assign", {variable, start});
    inits_.push_back("init_" + variable);
  }
  GraphOfFloats& graph() { return graph_; }
  const std::string& worker() const { return worker_; }

 private:
  void Backward() {
    graph_.On(worker_);
    graph_.Placeholder("x");
    graph_.Placeholder("y");
    graph_.Node("hw", "MatMul", {"x", "read_w1"});
    graph_.Node("ha", "BiasAdd", {"hw", "read_b1"});
    graph_.Node("h", "Relu", {"ha"});
    graph_.Node("ow", "MatMul", {"h", "read_w2"});
    graph_.Node("o", "BiasAdd", {"ow", "read_b2"});
    graph_.Node("xent", "SoftmaxCrossEntropyWithLogits", {"o", "y"});
    Product("gw2", {"h", "xent:1"}, "transpose_a");
    graph_.Node("gb2", "BiasAddGrad", {"xent:1"});
    Product("gh", {"xent:1", "read_w2"}, "transpose_b");
    graph_.Node("ga", "ReluGrad", {"gh", "h"});
    Product("gw1", {"x", "ga"}, "transpose_a");
    graph_.Node("gb1", "BiasAddGrad", {"ga"});
  }
  void Product(const std::string& name, const std::vector<std::string>& inputs,
               const std::string& transposed) {
    (*graph_.Node(name, "MatMul", inputs).mutable_attr())[transposed].set_b(true);
  }

  const std::string worker_;
  GraphOfFloats graph_;
  std::vector<std::string> inits_;
};

tensorflow::GraphDef AsynchronousGraph(int worker) {
  Net net(worker);
  std::vector<std::string> updates;
  for (const Weights& weights : AllWeights()) {
    const std::string& name = weights.name;
    net.graph().Node("train_" + name, "ApplyGradientDescent", {name, "rate", "g" + name});
    updates.push_back("train_" + name);
  }
  net.Group("train", updates);
  return net.Finished();
}

// The nodes that training in step adds, most of them of 64-bit integers.
class Synchronous {
 public:
  // What sessions share is found by names that end in `run`: a server keeps accumulators, and with
  // them the step that they are at.
  Synchronous(int worker, int workers, std::string run)
      : net_(worker), worker_(worker), workers_(workers), run_(std::move(run)) {
    Integers("zero", 0);
    Integers("one", 1);
    Count("global_step", kPs);
    Count("local_step_" + std::to_string(worker), net_.worker());
    for (int i = 0; i < workers; ++i) TokenQueue(i);
    for (const Weights& weights : AllWeights()) Accumulate(weights);
    WorkerStep();
    ChiefStep();
  }
  const tensorflow::GraphDef& Finished() { return net_.Finished(); }

 private:
  using Attrs = google::protobuf::Map<std::string, tensorflow::AttrValue>;

  Attrs& Node(const std::string& name, const std::string& op,
              const std::vector<std::string>& inputs, const std::string& type_attr = "T") {
    Attrs& attrs = *net_.graph().Node(name, op, inputs, type_attr).mutable_attr();
    attrs[type_attr].set_type(tensorflow::DT_INT64);
    return attrs;
  }
  void Integers(const std::string& name, int64_t value) {
    auto* const tensor = Node(name, "Const", {}, "dtype")["value"].mutable_tensor();
    tensor->set_dtype(tensorflow::DT_INT64);
    tensor->mutable_tensor_shape();
    tensor->add_int64_val(value);
  }
  void Count(const std::string& name, const std::string& device) {
    net_.graph().On(device);
    Attrs& attrs = Node(name, "VariableV2", {}, "dtype");
    attrs["shape"].mutable_shape();
    attrs["container"].set_s("");
    attrs["shared_name"].set_s("");
    net_.Initialize(name, "zero");
    (*net_.graph().Last().mutable_attr())["T"].set_type(tensorflow::DT_INT64);
    net_.graph().On(kPs);
  }
  void TokenQueue(int worker) {
    const std::string name = "tokens_" + std::to_string(worker);
    Attrs& attrs = Node(name, "FIFOQueueV2", {}, "unused");
    attrs.clear();
    attrs["component_types"].mutable_list()->add_type(tensorflow::DT_INT64);
    attrs["shapes"].mutable_list()->add_shape();
    attrs["capacity"].set_i(-1);
    attrs["container"].set_s("");
    attrs["shared_name"].set_s(name + run_);
  }
  // The worker's gradient goes in, the mean of one from each comes out and updates the weights.
  void Accumulate(const Weights& weights) {
    const std::string& name = weights.name;
    Attrs& attrs =
        *net_.graph().Node("sum_" + name, "ConditionalAccumulator", {}, "dtype").mutable_attr();
    for (int64_t size : weights.shape) attrs["shape"].mutable_shape()->add_dim()->set_size(size);
    attrs["container"].set_s("");
    attrs["shared_name"].set_s("sum_" + name + run_);
    attrs["reduction_type"].set_s("MEAN");
    net_.graph().Node("bring_" + name, "AccumulatorApplyGradient",
                      {"sum_" + name, "local_step_" + std::to_string(worker_), "g" + name},
                      "dtype");
    brought_.push_back("^bring_" + name);
    net_.graph().Node("mean_" + name, "AccumulatorTakeGradient", {"sum_" + name, "workers"},
                      "dtype");
    net_.graph().Node("train_" + name, "ApplyGradientDescent", {name, "rate", "mean_" + name});
    updates_.push_back("^train_" + name);
  }
  void WorkerStep() {
    const std::string own = std::to_string(worker_);
    std::vector<std::string> inputs = {"tokens_" + own};
    inputs.insert(inputs.end(), brought_.begin(), brought_.end());
    Attrs& attrs = Node("token", "QueueDequeueV2", inputs, "unused");
    attrs.clear();
    attrs["component_types"].mutable_list()->add_type(tensorflow::DT_INT64);
    attrs["timeout_ms"].set_i(-1);
    net_.graph().On(net_.worker());
    Node("set_local_step", "Assign", {"local_step_" + own, "token"});
    net_.Group("train", {"set_local_step"});
    net_.graph().On(kPs);
  }
  void ChiefStep() {
    auto* const count =
        (*net_.graph().Node("workers", "Const", {}, "dtype").mutable_attr())["value"]
            .mutable_tensor();
    (*net_.graph().Last().mutable_attr())["dtype"].set_type(tensorflow::DT_INT32);
    count->set_dtype(tensorflow::DT_INT32);
    count->mutable_tensor_shape();
    count->add_int_val(workers_);
    std::vector<std::string> inputs = {"global_step", "one"};
    inputs.insert(inputs.end(), updates_.begin(), updates_.end());
    Node("next_step", "AssignAdd", inputs);
    std::vector<std::string> given;
    for (int i = 0; i < workers_; ++i) {
      const std::string n = std::to_string(i);
      Attrs& attrs = Node("give_" + n, "QueueEnqueueV2", {"tokens_" + n, "next_step"}, "unused");
      attrs.clear();
      attrs["Tcomponents"].mutable_list()->add_type(tensorflow::DT_INT64);
      attrs["timeout_ms"].set_i(-1);
      given.push_back("give_" + n);
    }
    net_.Group("sync", given);
  }

  Net net_;
  const int worker_, workers_;
  const std::string run_;
  std::vector<std::string> brought_, updates_;
};

tensorflow::RunStepRequest TrainRequest(Client* client) {
  auto request = client->Request("", "train");
  auto* const x = request.add_feed();
  x->set_name("x:0");
  auto* const y = request.add_feed();
  y->set_name("y:0");
  std::vector<float> pixels, classes;
  for (int64_t i = 0; i < kBatch * kPixels; ++i) pixels.push_back(static_cast<float>(i % 17) / 17);
  for (int64_t i = 0; i < kBatch * kClasses; ++i) {
    classes.push_back(i % kClasses == i / kClasses % kClasses ? 1 : 0);
  }
  SetFloats({kBatch, kPixels}, pixels, x->mutable_tensor());
  SetFloats({kBatch, kClasses}, classes, y->mutable_tensor());
  return request;
}

using Clients = std::vector<std::unique_ptr<Client>>;

// A session on each worker, with the variables at their start.
Clients Open(const std::vector<std::string>& targets,
             const std::function<tensorflow::GraphDef(int)>& graph) {
  Clients clients;
  for (size_t i = 0; i < targets.size(); ++i) {
    clients.push_back(std::make_unique<Client>(targets[i]));
    Check(clients.back()->Open(graph(static_cast<int>(i))), "CreateSession");
  }
  tensorflow::RunStepResponse response;
  for (const auto& client : clients) {
    auto init = client->Request("", "init");
    Check(client->Run(init, &response), "RunStep");
  }
  return clients;
}

void PrintAndClose(const Clients& clients, int64_t steps, double seconds) {
  PrintMetric("steps_per_second", static_cast<double>(steps) / seconds, "1/s");
  PrintMetric("steps", static_cast<double>(steps), "count");
  auto read = clients[0]->Request("read_b2:0");
  tensorflow::RunStepResponse response;
  Check(clients[0]->Run(read, &response), "RunStep");
  const float value = FirstFloat(response.tensor(0).tensor());
  if (!std::isfinite(value)) Die("training went to infinity");
  if (value == 0.01f) Die("training changed nothing");
  for (const auto& client : clients) Check(client->Close(), "CloseSession");
}

}  // namespace

std::string WorkerDevice(int worker) { return "/job:worker/task:" + std::to_string(worker); }

void MeasureTraining(const std::vector<std::string>& targets, double budget) {
  const Clients clients = Open(targets, AsynchronousGraph);
  const auto train_all = [&](double seconds) {
    std::atomic<int64_t> steps{0};
    std::vector<std::thread> threads;
    const double until = WallSeconds() + seconds;
    for (const auto& client : clients) {
      threads.emplace_back([&steps, until, c = client.get()] {
        auto request = TrainRequest(c);
        tensorflow::RunStepResponse response;
        for (; WallSeconds() < until; ++steps) Check(c->Run(request, &response), "RunStep");
      });
    }
    for (std::thread& thread : threads) thread.join();
    return steps.load();
  };
  train_all(budget / 5);
  const double start = WallSeconds();
  const int64_t steps = train_all(budget);
  PrintAndClose(clients, steps, WallSeconds() - start);
}

void MeasureSynchronousTraining(const std::vector<std::string>& targets, double budget) {
  const int workers = static_cast<int>(targets.size());
  const std::string run = std::to_string(static_cast<int64_t>(WallSeconds() * 1e6));
  const Clients clients =
      Open(targets, [&](int worker) { return Synchronous(worker, workers, run).Finished(); });
  // All do the same number of steps: who is left alone would wait for ever.
  const auto run_all = [](Client* client, tensorflow::RunStepRequest request, int64_t steps) {
    tensorflow::RunStepResponse response;
    for (int64_t i = 0; i < steps; ++i) Check(client->Run(request, &response), "RunStep");
  };
  const auto train_all = [&](int64_t steps) {
    const double start = WallSeconds();
    std::vector<std::thread> threads;
    threads.emplace_back(run_all, clients[0].get(), clients[0]->Request("", "sync"), steps);
    for (const auto& client : clients) {
      threads.emplace_back(run_all, client.get(), TrainRequest(client.get()), steps);
    }
    for (std::thread& thread : threads) thread.join();
    return WallSeconds() - start;
  };
  constexpr int64_t kWarmUp = 20;
  train_all(kWarmUp);
  const double of_one = train_all(kWarmUp) / kWarmUp;
  const auto steps = std::max<int64_t>(kWarmUp, static_cast<int64_t>(budget / of_one));
  const double seconds = train_all(steps);
  PrintAndClose(clients, steps * workers, seconds);
}

}  // namespace benchmarks
}  // namespace warpbeam
