// Starts and stops a server in this process, again and again, each time with a client that runs a
// step and one whose step still waits: how long stopping takes, and what is left of it.
//
//   server_cycles [--cycles=100]
//
// Prints metrics as every program here does. An error ends it with status 1.
#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "frontend/cluster.h"
#include "frontend/ops/data_flow_ops.h"
#include "frontend/warpbeam.h"
#include "tools/benchmarks/master_client.h"
#include "tools/benchmarks/measure.h"
#include "tools/benchmarks/process_stats.h"

namespace warpbeam {
namespace benchmarks {
namespace {

// What libraries keep for the life of the process they have by then.
constexpr int kWarmUp = 5;

void Must(const Status& status, const char* what) {
  if (!status.ok()) Die(std::string(what) + ": " + status.ToString());
}

// The seconds that stopping took.
double Cycle(const frontend::train::ClusterSpec& cluster) {
  auto server = frontend::train::Server::Create(cluster, "worker", 0);
  Must(server.status(), "starting a server");
  const frontend::Scope root = frontend::Scope::NewRoot();
  const frontend::Output y = Square(root, Constant(root, 3.0f));
  const frontend::Output queue = frontend::ops::FIFOQueueV2(
      root, {DType::kFloat}, frontend::ops::FIFOQueueV2Attrs().shared_name("queue"));
  const frontend::Output taken = frontend::ops::QueueDequeueV2(root, queue, {DType::kFloat})[0];
  frontend::SessionConfig config;
  config.target = (*server)->target();
  frontend::ClientSession session(root, config);
  const auto out = session.Run({y});
  Must(out.status(), "a step");
  if ((*out)[0].scalar<float>() != 9) Die("the step did not give 9");
  std::thread waits([&] { session.Run({taken}).status().IgnoreError(); });
  const double before = WallSeconds();
  Must((*server)->Stop(2000), "stopping");
  const double took = WallSeconds() - before;
  waits.join();
  return took;
}

int Main(int argc, char** argv) {
  auto flags = ParseFlags(argc, argv, {{"cycles", "100"}});
  const int cycles = std::max(1, atoi(flags["cycles"].c_str()));
  // One port for all, free again each time.
  std::string address;
  {
    auto first = frontend::train::Server::CreateLocal();
    Must(first.status(), "starting a server");
    address = (*first)->target().substr(std::string("grpc://").size());
  }
  const auto cluster = frontend::train::ClusterSpec::Create({{"worker", {address}}});
  Must(cluster.status(), "the cluster");
  for (int i = 0; i < kWarmUp; ++i) Cycle(*cluster);
  const int files = OpenFiles(), threads = Threads();
  std::vector<double> seconds;
  for (int i = 0; i < cycles; ++i) seconds.push_back(Cycle(*cluster));
  // Threads that have nothing left to do end a moment later.
  for (int i = 0; i < 5000 && Threads() > threads; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  PrintMetric("cycles.stop_median", Quantile(seconds, 0.5), "s");
  PrintMetric("cycles.stop_slowest", *std::max_element(seconds.begin(), seconds.end()), "s");
  PrintMetric("cycles.files_left", OpenFiles() - files, "count");
  PrintMetric("cycles.threads_left", Threads() - threads, "count");
  return 0;
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main(int argc, char** argv) { return warpbeam::benchmarks::Main(argc, argv); }
