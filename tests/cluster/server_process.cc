#include "tests/cluster/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/process_entries.h"

namespace warpbeam {
namespace {

// As the test's data names it.
constexpr char kProgram[] = "tools/warpbeam";

}  // namespace

bool ServerProcess::Start() {
  static int number = 0;
  log_path_ = absl::StrCat(::testing::TempDir(), "/server_", getpid(), "_", number++, ".log");
  std::vector<std::string> words = before_;
  words.push_back(kProgram);
  words.push_back("serve");
  words.insert(words.end(), flags_.begin(), flags_.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    const int log = open(log_path_.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  for (int i = 0; i < 1000; ++i) {
    if (absl::StrContains(Log(), "serves grpc://")) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void ServerProcess::Signal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

void ServerProcess::Kill() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

int ServerProcess::Stop(int timeout_ms) {
  kill(pid_, SIGTERM);
  for (int waited = 0; waited < timeout_ms; waited += 10) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = 0;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return -1;
}

std::string ServerProcess::Log() const {
  std::ifstream file(log_path_);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

int ServerProcess::Threads() const { return warpbeam::Threads(pid_); }
int ServerProcess::Files() const { return OpenFiles(pid_); }

}  // namespace warpbeam
