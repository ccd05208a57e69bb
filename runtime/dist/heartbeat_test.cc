#include "runtime/dist/heartbeat.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"

namespace warpbeam {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// Looked at more often than a watch does, until it is dead or that much time has gone.
Status Look(Heartbeat& heartbeat, milliseconds time) {
  const auto begin = std::chrono::steady_clock::now();
  heartbeat.Watch(begin);
  Status status;
  for (auto now = begin; status.ok() && now < begin + time;
       now = std::chrono::steady_clock::now()) {
    heartbeat.Ask(now);
    std::this_thread::sleep_for(milliseconds(100));
    status = heartbeat.Check(std::chrono::steady_clock::now());
  }
  return status;
}

TEST(HeartbeatTest, APortThatRefusesIsADeadTaskAtOnce) {
  Heartbeat heartbeat("the task", FreeAddresses(1)[0], TlsFiles());
  const auto begin = std::chrono::steady_clock::now();
  const Status dead = Look(heartbeat, seconds(20));
  EXPECT_THAT(std::string(dead.message()), HasSubstr("refuses"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, TaskHealth::kDeadAfter);
}

// As of a process that is stopped: the system takes its connections.
TEST(HeartbeatTest, AProcessThatTakesNoConnectionIsDeadAfterAWhile) {
  LoopbackSocket silent;
  silent.Listen(10);
  Heartbeat heartbeat("the task", absl::StrCat("127.0.0.1:", silent.port()), TlsFiles());
  const Status dead = Look(heartbeat, seconds(20));
  EXPECT_THAT(std::string(dead.message()), HasSubstr("silent"));
}

// As of one whose threads are all in long kernels.
TEST(HeartbeatTest, AProcessThatAnswersNothingButTakesConnectionsIsThere) {
  grpc::AsyncGenericService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterAsyncGenericService(&service);
  const auto queue = builder.AddCompletionQueue();
  const auto server = builder.BuildAndStart();
  // What no one asks the queue for, nobody answers.
  std::thread serves([&] {
    void* tag = nullptr;
    bool ok = false;
    while (queue->Next(&tag, &ok)) {
    }
  });
  Heartbeat heartbeat("the task", absl::StrCat("127.0.0.1:", port), TlsFiles());
  const Status there = Look(heartbeat, TaskHealth::kDeadAfter + seconds(2));
  EXPECT_TRUE(there.ok()) << there;
  server->Shutdown(std::chrono::system_clock::now());
  queue->Shutdown();
  serves.join();
}

}  // namespace
}  // namespace warpbeam
