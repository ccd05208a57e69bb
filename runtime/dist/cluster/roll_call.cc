#include "runtime/dist/cluster/roll_call.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "absl/strings/str_join.h"
#include "proto/worker.pb.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

using Clock = std::chrono::steady_clock;

// A task is asked anew after so long: it may have started at another place meanwhile.
constexpr int64_t kAskMs = 1000;
// One that refuses at once is not asked in every moment.
constexpr std::chrono::milliseconds kPause{50};
constexpr std::chrono::seconds kFirstWord{1};
constexpr std::chrono::seconds kNextWord{10};

}  // namespace

RollCall::RollCall(std::vector<Task> tasks, int64_t timeout_ms, Log log, Ended ended)
    : tasks_(std::move(tasks)),
      timeout_ms_(timeout_ms),
      log_(std::move(log)),
      ended_(std::move(ended)),
      answers_(tasks_.size()),
      status_(tasks_.size()),
      is_over_(tasks_.size(), false) {}

RollCall::~RollCall() = default;

void RollCall::Ask(size_t task) {
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(timeout_ms_);
  Status status;
  tensorflow::GetStatusResponse answer;
  for (;;) {
    int64_t wait_ms = kAskMs;
    if (timeout_ms_ > 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      wait_ms = std::min<int64_t>(wait_ms, std::max<int64_t>(1, left.count()));
    }
    status = tasks_[task].peer->GetStatus({}, wait_ms, &answer);
    if (status.ok()) break;
    // Whoever answers with an error is there, and will not say anything else.
    if (!IsUnavailable(status) && !IsDeadlineExceeded(status)) break;
    if (timeout_ms_ > 0 && Clock::now() + kPause >= end) break;
    if (const Status why = ended_ == nullptr ? OkStatus() : ended_(); !why.ok()) {
      status = why;
      break;
    }
    std::this_thread::sleep_for(kPause);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  answers_[task] = std::move(answer);
  status_[task] = std::move(status);
  is_over_[task] = true;
  answered_.notify_all();
}

std::string RollCall::Missing() const {
  std::vector<std::string> missing;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    if (!is_over_[i]) missing.push_back(tasks_[i].name);
  }
  return absl::StrJoin(missing, ", ");
}

std::vector<std::string> RollCall::Run() {
  CallThreads threads;  // which it joins
  for (size_t i = 0; i < tasks_.size(); ++i) {
    if (Status started = threads.Start([this, i] { Ask(i); }); !started.ok()) Ask(i);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  const auto all_over = [this] {
    return std::find(is_over_.begin(), is_over_.end(), false) == is_over_.end();
  };
  std::chrono::seconds word = kFirstWord;
  while (!answered_.wait_for(lock, word, all_over)) {
    if (log_ != nullptr) log_(absl::StrCat("a new session waits for ", Missing()));
    word = kNextWord;
  }
  std::vector<std::string> missing;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    if (status_[i].ok()) continue;
    missing.push_back(absl::StrCat(tasks_[i].name, " (", status_[i].message(), ")"));
  }
  return missing;
}

}  // namespace warpbeam
