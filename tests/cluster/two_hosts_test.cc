// A ps and a worker on two hosts, which are network namespaces of this machine, and a cable between
// them that is pulled: nobody is told, as when a machine loses its power. Skipped where the machine
// does not let the test make namespaces (it takes root and iproute2).
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/cluster/failing_cluster.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::HasSubstr;

bool Ip(const std::string& words) {
  const int status = std::system(absl::StrCat("ip ", words, " >/dev/null 2>&1").c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Two namespaces and a cable. What is in the second may be this process.
class TwoHosts {
 public:
  TwoHosts()
      : ps_(absl::StrCat("wb_ps_", getpid())), worker_(absl::StrCat("wb_worker_", getpid())) {
    is_there_ =
        Ip("netns add " + ps_) && Ip("netns add " + worker_) &&
        Ip(absl::StrCat("link add wb0 netns ", ps_, " type veth peer name wb0 netns ", worker_)) &&
        SetUp(ps_, kPsHost) && SetUp(worker_, kWorkerHost);
  }
  ~TwoHosts() {
    Ip("netns del " + ps_);
    Ip("netns del " + worker_);
  }
  TwoHosts(const TwoHosts&) = delete;
  TwoHosts& operator=(const TwoHosts&) = delete;

  bool is_there() const { return is_there_; }
  // This thread, and those that it will make, are on the worker's host.
  bool GoToWorker() const {
    const int host = open(absl::StrCat("/var/run/netns/", worker_).c_str(), O_RDONLY | O_CLOEXEC);
    const bool went = host >= 0 && setns(host, CLONE_NEWNET) == 0;
    if (host >= 0) close(host);
    return went;
  }
  void Pull() { EXPECT_TRUE(Ip(absl::StrCat("-n ", ps_, " link set wb0 down"))); }
  void PlugIn() { EXPECT_TRUE(Ip(absl::StrCat("-n ", ps_, " link set wb0 up"))); }
  std::vector<std::string> OnPs() const { return {"ip", "netns", "exec", ps_}; }
  std::vector<std::string> OnWorker() const { return {"ip", "netns", "exec", worker_}; }

  static constexpr char kPsHost[] = "10.77.0.1";
  static constexpr char kWorkerHost[] = "10.77.0.2";

 private:
  static bool SetUp(const std::string& host, const std::string& address) {
    return Ip(absl::StrCat("-n ", host, " addr add ", address, "/24 dev wb0")) &&
           Ip(absl::StrCat("-n ", host, " link set wb0 up")) &&
           Ip(absl::StrCat("-n ", host, " link set lo up"));
  }

  const std::string ps_, worker_;
  bool is_there_ = false;
};

class TwoHostsTest : public ::testing::Test {};

// One test, for a process does not come back from a namespace with threads that it has made there.
TEST_F(TwoHostsTest, APulledCableIsNoticedWithinSecondsAndNothingIsLost) {
  TwoHosts hosts;
  if (!hosts.is_there()) GTEST_SKIP() << "this machine does not let the test make hosts";
  const std::string cluster = absl::StrCat("--cluster=ps|", TwoHosts::kPsHost, ":2222,worker|",
                                           TwoHosts::kWorkerHost, ":2222");
  ServerProcess ps({cluster, "--job=ps", "--insecure"}, hosts.OnPs());
  ServerProcess worker({cluster, "--job=worker", "--insecure"}, hosts.OnWorker());
  ASSERT_TRUE(ps.Start()) << ps.Log();
  ASSERT_TRUE(worker.Start()) << worker.Log();
  ASSERT_TRUE(hosts.GoToWorker());
  ClusterClient client(absl::StrCat(TwoHosts::kWorkerHost, ":2222"));
  const Status opened = client.Open(FailingCluster::Model("worker"));
  ASSERT_TRUE(opened.ok()) << opened;
  ASSERT_TRUE(client.Run({}, "", {"init"}).ok());
  FailingCluster::ExpectAdds(client, 3);
  const auto [status, took] = FailingCluster::WaitWhile(client, [&] { hosts.Pull(); });
  FailingCluster::ExpectPsIsMissed(status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("silent"));
  EXPECT_LT(took, FailingCluster::kSilentSeconds);
  FailingCluster::ExpectRuns(client, "here:0", 9);
  hosts.PlugIn();
  EXPECT_LT(FailingCluster::SecondsUntilRuns(client, "read:0"), 20);
  FailingCluster::ExpectRuns(client, "read:0", 16);
  // A ps that is killed beyond the cable closes its connections, as on one host.
  const auto [killed, after] = FailingCluster::WaitWhile(client, [&] { ps.Kill(); });
  FailingCluster::ExpectPsIsMissed(killed);
  EXPECT_LT(after, FailingCluster::kKilledSeconds);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
