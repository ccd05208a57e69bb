#include "tests/conformance/forked_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <thread>

#include "absl/strings/escaping.h"

namespace warpbeam {
namespace {

using Clock = std::chrono::steady_clock;

// A child writes a line at the end of each case: what differed, with its special characters
// escaped.

struct Child {
  pid_t pid = -1;
  int pipe = -1;
  std::deque<size_t> todo;  // the cases not yet ended, the running one first
  size_t last = 0;          // the case that ended last
  bool timed_out = false;
  Clock::time_point deadline;
  std::string unread;
};

void WriteLine(int pipe, std::string line) {
  line += '\n';
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = write(pipe, line.data() + done, line.size() - done);
    if (n < 0 && errno != EINTR) _exit(3);  // the parent is gone
    if (n > 0) done += static_cast<size_t>(n);
  }
}

[[noreturn]] void RunChild(int pipe, const std::vector<CaseBytes>& cases,
                           const std::deque<size_t>& todo, const RunOneCase& run) {
  for (size_t index : todo) {
    WriteLine(pipe, absl::CEscape(run(cases[index])));
  }
#if defined(__SANITIZE_ADDRESS__)
  exit(0);  // looks for leaks
#else
  _exit(0);
#endif
}

std::string DescribeEnd(int status) {
  if (WIFSIGNALED(status)) {
    return absl::StrCat("crashed: signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)),
                        ")");
  }
  return absl::StrCat("crashed: its process ended with status ", WEXITSTATUS(status));
}

class ForkedRun {
 public:
  ForkedRun(const std::vector<CaseBytes>& cases, const RunOneCase& run, const ForkOptions& options)
      : cases_(cases), run_(run), options_(options), results_(cases.size()) {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    jobs_ = static_cast<size_t>(options.jobs > 0 ? options.jobs : cores);
    const auto batch_size = static_cast<size_t>(std::max(1, options.cases_per_child));
    for (size_t i = 0; i < cases.size(); ++i) {
      results_[i].name = cases[i].name;
      if (i % batch_size == 0) batches_.emplace_back();
      batches_.back().push_back(i);
    }
  }

  std::vector<CaseResult> Run() {
    while (!batches_.empty() || !children_.empty()) {
      while (!batches_.empty() && children_.size() < jobs_) Start();
      WaitForNews();
    }
    return std::move(results_);
  }

 private:
  void Start() {
    const std::deque<size_t> todo = std::move(batches_.front());
    batches_.pop_front();
    fflush(nullptr);  // or a child would print what is still in the buffers once more
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return GiveUp(todo, strerror(errno));
    const pid_t pid = fork();
    if (pid == 0) RunChild(ends[1], cases_, todo, run_);
    close(ends[1]);
    if (pid < 0) {
      close(ends[0]);
      return GiveUp(todo, strerror(errno));
    }
    Child child;
    child.pid = pid;
    child.pipe = ends[0];
    child.todo = todo;
    child.deadline = NextDeadline();
    children_.push_back(std::move(child));
  }

  void GiveUp(const std::deque<size_t>& todo, const char* why) {
    for (size_t index : todo) End(index, absl::StrCat("no process to run it in: ", why));
  }

  Clock::time_point NextDeadline() const {
    return Clock::now() + std::chrono::milliseconds(options_.case_timeout_ms);
  }

  void End(size_t index, std::string difference) {
    results_[index].difference = std::move(difference);
    if (options_.on_result) options_.on_result(results_[index]);
  }

  void WaitForNews() {
    std::vector<pollfd> fds;
    Clock::time_point first = Clock::time_point::max();
    for (const Child& child : children_) {
      fds.push_back({child.pipe, POLLIN, 0});
      first = std::min(first, child.deadline);
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
    poll(fds.data(), fds.size(), static_cast<int>(std::clamp<int64_t>(wait, 0, 3'600'000)));
    size_t i = 0;
    for (auto it = children_.begin(); it != children_.end(); ++i) {
      const bool alive = fds[i].revents == 0 || Read(*it);
      if (alive && Clock::now() >= it->deadline && !it->timed_out) {
        it->timed_out = true;
        kill(it->pid, SIGKILL);  // its pipe closes, which the next round sees
      }
      it = alive ? std::next(it) : Bury(it);
    }
  }

  // Takes the child's lines; false at their end.
  bool Read(Child& child) {
    char buffer[4096];
    const ssize_t n = read(child.pipe, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false;
    child.unread.append(buffer, static_cast<size_t>(n));
    size_t end;
    while ((end = child.unread.find('\n')) != std::string::npos) {
      Take(child, child.unread.substr(0, end));
      child.unread.erase(0, end + 1);
    }
    return true;
  }

  void Take(Child& child, const std::string& line) {
    if (child.todo.empty()) return;
    child.deadline = NextDeadline();
    std::string difference;
    absl::CUnescape(line, &difference);
    child.last = child.todo.front();
    child.todo.pop_front();
    End(child.last, std::move(difference));
  }

  // Collects a child that has closed its pipe.
  std::list<Child>::iterator Bury(std::list<Child>::iterator it) {
    int status = 0;
    while (waitpid(it->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(it->pipe);
    if (!it->todo.empty()) {
      End(it->todo.front(), it->timed_out
                                ? absl::StrCat("took more than ", options_.case_timeout_ms, " ms")
                                : DescribeEnd(status));
      it->todo.pop_front();
      if (!it->todo.empty()) batches_.push_front(std::move(it->todo));
    } else if (status != 0) {
      // All cases had ended. A sanitizer found something at exit: of this case or of one before it.
      std::string& difference = results_[it->last].difference;
      if (difference.empty()) {
        difference = absl::StrCat("this case or one that its process ran before left something: ",
                                  DescribeEnd(status));
      }
    }
    return children_.erase(it);
  }

  const std::vector<CaseBytes>& cases_;
  const RunOneCase& run_;
  const ForkOptions& options_;
  size_t jobs_;
  std::vector<CaseResult> results_;
  std::deque<std::deque<size_t>> batches_;
  std::list<Child> children_;
};

}  // namespace

std::vector<CaseResult> RunForked(const std::vector<CaseBytes>& cases, const RunOneCase& run,
                                  const ForkOptions& options) {
  return ForkedRun(cases, run, options).Run();
}

}  // namespace warpbeam
