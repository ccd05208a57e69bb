// What clients see when the network between two tasks of their cluster, the worker and the ps, is
// cut, silent, slow, or comes back: a row of the table in docs/cluster.md. The tasks reach each
// other through relays; the chief reaches the ps directly, and is to notice nothing.
#include "runtime/dist/testing/relay.h"
#include "tests/cluster/failing_cluster.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::HasSubstr;

int PortOf(const std::string& address) { return std::stoi(address.substr(address.find(':') + 1)); }
std::string AddressOf(const Relay& relay) { return absl::StrCat("127.0.0.1:", relay.port()); }

// Made before the tasks, which are told of its ports.
struct Network {
  explicit Network(const std::vector<std::string>& free)
      : addresses(free), to_ps(PortOf(free[0])), to_worker(PortOf(free[2])) {}

  void Cut() {
    to_ps.Cut();
    to_worker.Cut();
  }
  void Stall() {
    to_ps.Stall();
    to_worker.Stall();
  }
  void Delay(int ms) {
    to_ps.Delay(std::chrono::milliseconds(ms));
    to_worker.Delay(std::chrono::milliseconds(ms));
  }
  void Restore() {
    to_ps.Restore();
    to_worker.Restore();
  }

  const std::vector<std::string> addresses;
  Relay to_ps;
  Relay to_worker;
};

class FailingNetworkTest : private Network, public FailingCluster {
 protected:
  FailingNetworkTest()
      : Network(FreeAddresses(3)),
        FailingCluster(addresses, AddressOf(to_ps), AddressOf(to_worker)) {}

  void Begin() {
    StartAll();
    client_ = Open(worker_);
    other_ = Open(chief_);
    ASSERT_TRUE(client_->Run({}, "", {"init"}).ok());
    ExpectRuns(*client_, "read:0", 1);
  }
  Network& network() { return *this; }

  std::unique_ptr<ClusterClient> client_;
  std::unique_ptr<ClusterClient> other_;
};

TEST_F(FailingNetworkTest, CutItEndsWhatCrossesItAtOnce) {
  Begin();
  const auto [status, took] = WaitWhile(*client_, [&] { network().Cut(); });
  ExpectPsIsMissed(status);
  EXPECT_LT(took, kKilledSeconds);
  ExpectRuns(*client_, "here:0", 9);
  ExpectAdds(*other_, 20);
  ExpectRuns(*other_, "read:0", 21 * 21);
}

TEST_F(FailingNetworkTest, SilentItEndsWhatCrossesItWithinSeconds) {
  Begin();
  const auto [status, took] = WaitWhile(*client_, [&] { network().Stall(); });
  ExpectPsIsMissed(status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("silent"));
  EXPECT_LT(took, kSilentSeconds);
  ExpectRuns(*client_, "here:0", 9);
  ExpectAdds(*other_, 20);
  network().Restore();
  EXPECT_LT(SecondsUntilRuns(*client_, "read:0"), 10);
}

TEST_F(FailingNetworkTest, SlowItIsWaitedFor) {
  Begin();
  network().Delay(150);
  const auto before = Clock::now();
  int steps = 0;
  for (; SecondsSince(before) < 7; ++steps) ExpectAdds(*client_, 1);
  const auto others = Clock::now();
  ExpectAdds(*other_, 50);
  EXPECT_LT(SecondsSince(others), 10);
  network().Restore();
  ExpectRuns(*client_, "read:0", static_cast<float>((steps + 51) * (steps + 51)));
}

TEST_F(FailingNetworkTest, BackAgainItIsUsedByTheSameSessions) {
  Begin();
  ExpectAdds(*client_, 1);
  network().Cut();
  ExpectPsIsMissed(client_->Run({}, "read:0").status());
  network().Restore();
  EXPECT_LT(SecondsUntilRuns(*client_, "read:0"), 10);
  ExpectRuns(*client_, "read:0", 4);  // nothing is lost, and no update was made twice
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
