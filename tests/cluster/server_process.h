// ServerProcess: `warpbeam serve` as a process of its own, which a test stops, kills and starts
// again.
//
//   ServerProcess ps({"--cluster=" + cluster, "--job=ps"});
//   ASSERT_TRUE(ps.Start());              // it serves
//   ps.Signal(SIGSTOP);
//   ps.Kill();
//   EXPECT_THAT(ps.Log(), HasSubstr("waits for"));
//
// Ownership: owns the process, which ends with it. Thread safety: one thread. Errors: Start is
// false when the server does not serve within ten seconds.
#ifndef WARPBEAM_TESTS_CLUSTER_SERVER_PROCESS_H_
#define WARPBEAM_TESTS_CLUSTER_SERVER_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace warpbeam {

class ServerProcess {
 public:
  // `before`: words that stand before the program, such as those that start it on another host.
  explicit ServerProcess(std::vector<std::string> flags, std::vector<std::string> before = {})
      : flags_(std::move(flags)), before_(std::move(before)) {}
  ~ServerProcess() { Kill(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  bool Start();
  void Signal(int signal) const;
  // SIGKILL, and waits for its end.
  void Kill();
  // SIGTERM; its exit status once it has ended, -1 when it has not within the time.
  int Stop(int timeout_ms);
  // All that it has written, to both outputs.
  std::string Log() const;
  // How many threads and open files it has.
  int Threads() const;
  int Files() const;

 private:
  std::vector<std::string> flags_;
  std::vector<std::string> before_;
  std::string log_path_;
  pid_t pid_ = 0;  // 0: none
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CLUSTER_SERVER_PROCESS_H_
