// A server that is started and stopped again and again in one process leaves nothing behind; in a
// hundred cycles, `tools/bench cluster`.
#include <chrono>
#include <thread>

#include "frontend/cluster/server.h"
#include "frontend/ops/data_flow_ops.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"
#include "runtime/dist/testing/process_entries.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using Clock = std::chrono::steady_clock;

void Cycle(const ClusterSpec& cluster) {
  auto server = Server::Create(cluster, "worker", 0);
  ASSERT_TRUE(server.ok()) << "the port is free: " << server.status();
  const Scope root = Scope::NewRoot();
  const Output y = Square(root, Constant(root, 3.0f));
  const Output queue = ops::FIFOQueueV2(root, {DType::kFloat});
  const Output taken = ops::QueueDequeueV2(root, queue, {DType::kFloat})[0];
  SessionConfig config;
  config.target = (*server)->target();
  ClientSession session(root, config);
  const auto out = session.Run({y});
  ASSERT_TRUE(out.ok()) << out.status();
  Status ended;
  std::thread waits([&] { ended = session.Run({taken}).status(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto before = Clock::now();
  const Status stopped = (*server)->Stop(5000);
  EXPECT_TRUE(stopped.ok()) << stopped;
  EXPECT_LT(Clock::now() - before, std::chrono::milliseconds(5000));
  waits.join();
  EXPECT_TRUE(IsUnavailable(ended)) << ended;
}

TEST(ServerCyclesTest, NeitherDescriptorsNorThreadsAreLeft) {
  const auto cluster = ClusterSpec::Create({{"worker", {FreeAddresses(1)[0]}}});
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  // What libraries keep for the life of the process they have by then.
  for (int i = 0; i < 3; ++i) Cycle(*cluster);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const int files = OpenFiles(), threads = Threads();
  for (int i = 0; i < 10; ++i) Cycle(*cluster);
  // Threads that have nothing left to do end a moment later, and close their connections only then.
  for (int i = 0; i < 5000 && (Threads() > threads || OpenFiles() > files); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LE(OpenFiles(), files);
  EXPECT_LE(Threads(), threads);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
