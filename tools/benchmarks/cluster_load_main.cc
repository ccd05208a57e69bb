// A client of a cluster of a ps and two workers that speak TensorFlow's protocol: what a step over
// two tasks takes, how fast a large tensor goes from one to the other, how fast both workers get
// the sum of one from each, what it costs to read and update many small variables of the ps, how
// many steps a second two workers train with, each for itself or in step, and whether many clients
// at once are served without an error and without memory that grows.
//
//   cluster_load --targets=localhost:1,localhost:2
//                --what=step|recv|reduce|variables|train|train_sync|clients
//                [--budget=1] [--clients=200] [--processes=12,34,56]
//
// The targets are the workers, in order; the processes are the tasks', of this machine. Prints
// metrics as every program here does. An error of a server ends it with status 1; those of many
// clients are counted.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "proto/master.pb.h"
#include "tools/benchmarks/cluster_training.h"
#include "tools/benchmarks/master_client.h"
#include "tools/benchmarks/measure.h"
#include "tools/benchmarks/process_stats.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr int64_t kSentFloats = int64_t{16} << 20;  // 64 MiB
constexpr int kVariables = 100;
constexpr int64_t kVariableFloats = 1000;

// The seconds of each step, after a fifth of the time for warming up.
std::vector<double> Seconds(double budget, size_t least, const std::function<void()>& step) {
  std::vector<double> seconds;
  for (const double start = WallSeconds(); WallSeconds() < start + budget / 5;) step();
  for (const double start = WallSeconds();
       WallSeconds() < start + budget || seconds.size() < least;) {
    const double before = WallSeconds();
    step();
    seconds.push_back(WallSeconds() - before);
  }
  return seconds;
}

void PrintSteps(const std::vector<double>& seconds) {
  PrintMetric("step_median", Quantile(seconds, 0.5) * 1e6, "us");
  PrintMetric("step_p99", Quantile(seconds, 0.99) * 1e6, "us");
  PrintMetric("steps", static_cast<double>(seconds.size()), "count");
}

// A scalar goes from the worker to the ps and its square comes back.
void MeasureStep(const std::string& target, double budget) {
  GraphOfFloats graph;
  graph.On(WorkerDevice(0)).Placeholder("x");
  graph.On(kPs).Node("there", "Square", {"x"});
  graph.On(WorkerDevice(0)).Node("back", "Neg", {"there"});
  Client client(target);
  Check(client.Open(graph.graph()), "CreateSession");
  auto request = client.Request("back:0");
  auto* const feed = request.add_feed();
  feed->set_name("x:0");
  SetFloats({}, {3}, feed->mutable_tensor());
  tensorflow::RunStepResponse response;
  PrintSteps(Seconds(budget, 10, [&] {
    Check(client.Run(request, &response), "RunStep");
    if (response.tensor_size() != 1 || FirstFloat(response.tensor(0).tensor()) != -9) {
      Die("the step did not fetch -9");
    }
  }));
  Check(client.Close(), "CloseSession");
}

// A variable of the ps is copied into one of the worker.
void MeasureReceiving(const std::string& target, double budget) {
  GraphOfFloats graph;
  graph.On(kPs).Constant("fill", {kSentFloats}, 2);
  graph.Variable("from", {kSentFloats});
  graph.Node("init", "Assign", {"from", "fill"});
  graph.Node("read", "Identity", {"from"});
  graph.On(WorkerDevice(0)).Variable("to", {kSentFloats});
  graph.Node("copy", "Assign", {"to", "read"});
  graph.Node("sum", "Max", {"to", "axis"});
  auto& axis = graph.Node("axis", "Const", {}, "dtype");
  (*axis.mutable_attr())["dtype"].set_type(tensorflow::DT_INT32);
  auto* const value = (*axis.mutable_attr())["value"].mutable_tensor();
  value->set_dtype(tensorflow::DT_INT32);
  value->mutable_tensor_shape()->add_dim()->set_size(1);
  value->add_int_val(0);
  Client client(target);
  Check(client.Open(graph.graph()), "CreateSession");
  auto init = client.Request("", "init"), copy = client.Request("", "copy"),
       sum = client.Request("sum:0");
  tensorflow::RunStepResponse response;
  Check(client.Run(init, &response), "RunStep");
  const std::vector<double> seconds =
      Seconds(budget, 5, [&] { Check(client.Run(copy, &response), "RunStep"); });
  Check(client.Run(sum, &response), "RunStep");
  if (FirstFloat(response.tensor(0).tensor()) != 2) Die("something else has come");
  PrintMetric("rate", kSentFloats * 4 / Quantile(seconds, 0.5) / 1e9, "GB/s");
  PrintMetric("steps", static_cast<double>(seconds.size()), "count");
  Check(client.Close(), "CloseSession");
}

// Each worker has a variable, and both get the sum.
void MeasureReduction(const std::string& target, double budget) {
  GraphOfFloats graph;
  std::vector<std::string> init_all, sums;
  for (int i = 0; i < 2; ++i) {
    const std::string n = std::to_string(i);
    graph.On(WorkerDevice(i)).Constant("fill" + n, {kSentFloats}, static_cast<float>(1 + i));
    graph.Variable("x" + n, {kSentFloats});
    graph.Node("init" + n, "Assign", {"x" + n, "fill" + n});
    auto& attr = *graph.Node("sum" + n, "CollectiveReduce", {"x" + n}).mutable_attr();
    attr["group_size"].set_i(2);
    attr["group_key"].set_i(1);
    attr["instance_key"].set_i(1);
    attr["merge_op"].set_s("Add");
    attr["final_op"].set_s("Id");
    attr["subdiv_offsets"].mutable_list();
    graph.Node("max" + n, "Max", {"sum" + n, "axis"});
    init_all.push_back("^init" + n);
    sums.push_back("^sum" + n);
  }
  auto& axis = graph.On(WorkerDevice(0)).Node("axis", "Const", {}, "dtype");
  (*axis.mutable_attr())["dtype"].set_type(tensorflow::DT_INT32);
  auto* const value = (*axis.mutable_attr())["value"].mutable_tensor();
  value->set_dtype(tensorflow::DT_INT32);
  value->mutable_tensor_shape()->add_dim()->set_size(1);
  value->add_int_val(0);
  graph.Node("init", "NoOp", init_all).mutable_attr()->clear();
  graph.Node("reduce", "NoOp", sums).mutable_attr()->clear();
  graph.Node("check", "Identity", {"max0"}).add_input("^max1");
  Client client(target);
  Check(client.Open(graph.graph()), "CreateSession");
  auto init = client.Request("", "init"), reduce = client.Request("", "reduce"),
       check = client.Request("check:0");
  tensorflow::RunStepResponse response;
  Check(client.Run(init, &response), "RunStep");
  const std::vector<double> seconds =
      Seconds(budget, 5, [&] { Check(client.Run(reduce, &response), "RunStep"); });
  Check(client.Run(check, &response), "RunStep");
  if (FirstFloat(response.tensor(0).tensor()) != 3) Die("the sum is another");
  PrintMetric("rate", kSentFloats * 4 / Quantile(seconds, 0.5) / 1e9, "GB/s");
  PrintMetric("steps", static_cast<double>(seconds.size()), "count");
  Check(client.Close(), "CloseSession");
}

// The worker reads many variables and subtracts something from each.
void MeasureVariables(const std::string& target, double budget) {
  GraphOfFloats graph;
  std::vector<std::string> init_all, update_all;
  for (int i = 0; i < kVariables; ++i) {
    const std::string n = std::to_string(i), ps = kPs;
    graph.On(ps).Constant("one" + n, {kVariableFloats}, 1);
    graph.Variable("v" + n, {kVariableFloats});
    graph.Node("init" + n, "Assign", {"v" + n, "one" + n});
    graph.Node("read" + n, "Identity", {"v" + n});
    graph.On(WorkerDevice(0)).Node("gradient" + n, "Neg", {"read" + n});
    graph.On(ps).Node("update" + n, "AssignSub", {"v" + n, "gradient" + n});
    init_all.push_back("^init" + n);
    update_all.push_back("^update" + n);
  }
  graph.On(kPs);
  graph.Node("init", "NoOp", init_all).mutable_attr()->clear();
  graph.Node("update", "NoOp", update_all).mutable_attr()->clear();
  Client client(target);
  Check(client.Open(graph.graph()), "CreateSession");
  auto init = client.Request("", "init"), update = client.Request("", "update");
  tensorflow::RunStepResponse response;
  Check(client.Run(init, &response), "RunStep");
  PrintSteps(Seconds(budget, 10, [&] { Check(client.Run(update, &response), "RunStep"); }));
  Check(client.Close(), "CloseSession");
}

// One of many clients: steps over two tasks, and now and then a new session.
void BeOneClient(const std::string& target, const tensorflow::GraphDef& graph, double until,
                 std::atomic<int64_t>* steps, std::atomic<int64_t>* errors) {
  constexpr int kStepsOfSession = 50;
  tensorflow::RunStepResponse response;
  while (WallSeconds() < until) {
    Client client(target);
    if (!client.Open(graph).ok()) ++*errors;
    auto request = client.Request("back:0");
    auto* const feed = request.add_feed();
    feed->set_name("x:0");
    SetFloats({}, {3}, feed->mutable_tensor());
    for (int i = 0; i < kStepsOfSession && WallSeconds() < until; ++i) {
      const bool is_good = client.Run(request, &response).ok() && response.tensor_size() == 1 &&
                           FirstFloat(response.tensor(0).tensor()) == -9;
      ++*(is_good ? steps : errors);
    }
    if (!client.Close().ok()) ++*errors;
  }
}

// In the first third of the time memory comes to what it is with so many clients.
void MeasureClients(const std::vector<std::string>& targets,
                    const std::vector<std::string>& processes, double budget, int clients) {
  std::vector<GraphOfFloats> graphs(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    graphs[i].On(WorkerDevice(static_cast<int>(i))).Placeholder("x");
    graphs[i].On(kPs).Node("there", "Square", {"x"});
    graphs[i].On(WorkerDevice(static_cast<int>(i))).Node("back", "Neg", {"there"});
  }
  std::atomic<int64_t> steps{0}, errors{0};
  const double start = WallSeconds(), until = start + budget;
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    const size_t at = static_cast<size_t>(i) % targets.size();
    threads.emplace_back(
        [&, at] { BeOneClient(targets[at], graphs[at].graph(), until, &steps, &errors); });
  }
  // The most that there is around a time: sessions come and go.
  const auto most = [&](double end) {
    double mib = 0;
    for (; WallSeconds() < end; std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
      double all = 0;
      for (const std::string& process : processes) all += ResidentMiB("VmRSS:", process);
      mib = std::max(mib, all);
    }
    return mib;
  };
  std::this_thread::sleep_for(std::chrono::duration<double>(budget / 6));
  const double before = most(start + budget / 3);
  std::this_thread::sleep_for(std::chrono::duration<double>(budget / 2));
  const double after = most(until);
  for (std::thread& thread : threads) thread.join();
  PrintMetric("steps_per_second", static_cast<double>(steps) / (WallSeconds() - start), "1/s");
  PrintMetric("errors", static_cast<double>(errors), "count");
  PrintMetric("memory", after, "MiB");
  if (before > 0) PrintMetric("memory_growth", 100 * (after / before - 1), "%");
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

int Main(int argc, char** argv) {
  auto flags = ParseFlags(argc, argv, {{"budget", "1"}, {"clients", "200"}, {"processes", ""}});
  const std::vector<std::string> targets = Words(flags["targets"]);
  if (targets.empty()) Die("--targets is missing");
  const std::string what = flags["what"];
  const double budget = atof(flags["budget"].c_str());
  if (what == "step") {
    MeasureStep(targets[0], budget);
  } else if (what == "recv") {
    MeasureReceiving(targets[0], budget);
  } else if (what == "reduce") {
    MeasureReduction(targets[0], budget);
  } else if (what == "variables") {
    MeasureVariables(targets[0], budget);
  } else if (what == "train") {
    MeasureTraining(targets, budget);
  } else if (what == "train_sync") {
    MeasureSynchronousTraining(targets, budget);
  } else if (what == "clients") {
    MeasureClients(targets, Words(flags["processes"]), budget, atoi(flags["clients"].c_str()));
  } else {
    Die("--what is step, recv, reduce, variables, train, train_sync or clients");
  }
  return 0;
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main(int argc, char** argv) { return warpbeam::benchmarks::Main(argc, argv); }
