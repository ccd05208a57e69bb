// Training that is killed goes on as if nothing had happened. The program is train_main.cc.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/saver/checkpoint_state.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr int kLastStep = 40;

std::string RestartFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/restart_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

// The lines of a file that are whole.
std::vector<std::string> LinesOf(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(file, line)) {
    if (!file.eof()) lines.push_back(line);
  }
  return lines;
}

class Program {
 public:
  Program(const std::string& folder, int save_every, int rest_us, int ballast_mb = 0)
      : folder_(folder) {
    const std::vector<std::string> words = {
        "frontend/monitored/train_main", folder,
        std::to_string(kLastStep),       losses(),
        std::to_string(save_every),      std::to_string(rest_us),
        std::to_string(ballast_mb)};
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    execv(argv[0], argv.data());
    _exit(127);
  }
  std::string losses() const { return folder_ + "/losses"; }
  void Kill(int signal) const { kill(pid_, signal); }
  bool HasEnded() {
    if (!has_ended_) has_ended_ = waitpid(pid_, &state_, WNOHANG) == pid_;
    return has_ended_;
  }
  // The exit code, or minus the signal.
  int Wait() {
    if (!has_ended_) waitpid(pid_, &state_, 0);
    has_ended_ = true;
    return WIFEXITED(state_) ? WEXITSTATUS(state_) : -WTERMSIG(state_);
  }
  // Until `done` or the program's end.
  template <typename Done>
  void WaitUntil(Done done) {
    while (!HasEnded() && !done()) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }

 private:
  const std::string folder_;
  pid_t pid_ = -1;
  int state_ = 0;
  bool has_ended_ = false;
};

const std::vector<std::string>& Uninterrupted() {
  static const auto* const lines = [] {
    Program program(RestartFolder("whole"), 5, 0);
    EXPECT_EQ(program.Wait(), 0);
    return new std::vector<std::string>(LinesOf(program.losses()));
  }();
  return *lines;
}

// Every line of an interrupted run is one of the uninterrupted, and none is missing.
void ExpectSameLosses(const std::string& losses) {
  const std::vector<std::string>& whole = Uninterrupted();
  ASSERT_EQ(whole.size(), static_cast<size_t>(kLastStep));
  std::map<std::string, bool> seen;
  for (const std::string& line : LinesOf(losses)) seen[line] = true;
  for (const std::string& line : whole) EXPECT_TRUE(seen[line]) << line;
  EXPECT_EQ(seen.size(), whole.size());
}

TEST(RestartTest, KilledAfterAnyStepTheLossesGoOn) {
  for (const size_t kill_at : {1, 4, 5, 6, 13, 26}) {
    const std::string folder = RestartFolder(absl::StrCat("steps_", kill_at));
    Program first(folder, 5, 20000);
    first.WaitUntil([&] { return LinesOf(first.losses()).size() >= kill_at; });
    first.Kill(SIGKILL);
    EXPECT_EQ(first.Wait(), -SIGKILL) << kill_at;
    Program second(folder, 5, 0);
    EXPECT_EQ(second.Wait(), 0) << kill_at;
    ExpectSameLosses(second.losses());
  }
}

// Saving after every step, it is killed in the middle of a save as a rule.
TEST(RestartTest, KilledWhileSavingAgainAndAgain) {
  const std::string folder = RestartFolder("saves");
  int killed = 0;
  for (int i = 0; i < 12; ++i) {
    Program program(folder, 1, 0);
    const size_t before = LinesOf(program.losses()).size();
    program.WaitUntil([&] { return LinesOf(program.losses()).size() > before; });
    std::this_thread::sleep_for(std::chrono::microseconds(300 * i));
    program.Kill(SIGKILL);
    if (program.Wait() == -SIGKILL) ++killed;
  }
  EXPECT_GE(killed, 3);
  Program last(folder, 1, 0);
  EXPECT_EQ(last.Wait(), 0);
  ExpectSameLosses(last.losses());
  // Nothing half-written is left.
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(name.find(".writing-"), std::string::npos) << name;
    EXPECT_EQ(name.find("_temp"), std::string::npos) << name;
  }
}

bool IsBeingWritten(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".data-") != std::string::npos && name.find(".writing-") != std::string::npos) {
      return true;
    }
  }
  return false;
}

// A checkpoint of so many bytes is on its way for several steps, which change what it is made of.
TEST(RestartTest, KilledDuringASaveInTheBackground) {
  const std::string folder = RestartFolder("background");
  int killed_while_writing = 0;
  for (int i = 0; i < 6; ++i) {
    Program program(folder, 4, 2000, 48);
    const size_t before = LinesOf(program.losses()).size();
    program.WaitUntil(
        [&] { return LinesOf(program.losses()).size() > before + 2 && IsBeingWritten(folder); });
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
    program.Kill(SIGKILL);
    const int ended = program.Wait();
    EXPECT_TRUE(ended == -SIGKILL || ended == 0) << ended;
    if (IsBeingWritten(folder)) ++killed_while_writing;
  }
  EXPECT_GE(killed_while_writing, 2);
  Program last(folder, 4, 0, 48);
  EXPECT_EQ(last.Wait(), 0);
  ExpectSameLosses(last.losses());
  EXPECT_FALSE(IsBeingWritten(folder));
}

TEST(RestartTest, CtrlCSavesAndEnds) {
  const std::string folder = RestartFolder("interrupt");
  Program first(folder, 1000, 20000);
  first.WaitUntil([&] { return LinesOf(first.losses()).size() >= 7; });
  first.Kill(SIGINT);
  EXPECT_EQ(first.Wait(), 0);
  const std::vector<std::string> done = LinesOf(first.losses());
  ASSERT_LT(done.size(), static_cast<size_t>(kLastStep));
  // The step that was being computed is saved: none is done twice.
  EXPECT_EQ(*LatestCheckpoint(folder), absl::StrCat(folder, "/model.ckpt-", done.size()));
  Program second(folder, 1000, 0);
  EXPECT_EQ(second.Wait(), 0);
  EXPECT_EQ(LinesOf(second.losses()), Uninterrupted());
}

TEST(RestartTest, TwoProgramsInOneDirectoryAreRefused) {
  const std::string folder = RestartFolder("two");
  Program first(folder, 5, 500000);
  first.WaitUntil([&] { return !LinesOf(first.losses()).empty(); });
  Program second(folder, 5, 0);
  EXPECT_EQ(second.Wait(), 1);
  first.Kill(SIGKILL);
  first.Wait();
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
