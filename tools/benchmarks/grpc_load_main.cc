// A client of a server that speaks TensorFlow's MasterService: how long one-node steps take, how
// fast a large fetch comes, and whether many clients at once are served without an error.
//
//   grpc_load --target=localhost:2222 --what=step|fetch|clients [--budget=1] [--clients=100]
//
// Prints metrics as every program here does. An error of the server ends it with status 1.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "proto/master.pb.h"
#include "tools/benchmarks/master_client.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr int64_t kFetchedFloats = int64_t{16} << 20;  // 64 MiB

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
  auto flags = ParseFlags(argc, argv, {{"budget", "1"}, {"clients", "100"}});
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
