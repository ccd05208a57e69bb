#include "runtime/dist/cluster/long_steps.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// How often it looks while a step becomes due, and how much longer it is silent afterwards.
constexpr int kLooks = 6;
constexpr int kSilence = 10;
// More than this of one step, or of one look, helps nobody.
constexpr size_t kMostWords = 8;
constexpr size_t kMostLines = 20;

std::string Line(int64_t step_id, std::chrono::duration<double> since,
                 std::vector<std::string> words) {
  const size_t count = words.size();
  if (count > kMostWords) {
    words.resize(kMostWords);
    words.push_back(absl::StrCat(count - kMostWords, " more"));
  }
  return absl::StrFormat("step %d has run for %.0f s; it is at: %s", step_id, since.count(),
                         absl::StrJoin(words, "; "));
}

}  // namespace

LongSteps::LongSteps(Source source, std::chrono::milliseconds after, Log log)
    : source_(std::move(source)), after_(after), log_(std::move(log)) {
  if (log_ == nullptr) return;
  StatusOr<std::thread> thread = NewThread([this] { Main(); });
  if (thread.ok()) thread_ = *std::move(thread);
}

LongSteps::~LongSteps() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::vector<std::string> LongSteps::Look(Time now) {
  std::vector<std::string> lines;
  std::map<int64_t, Seen> still;
  size_t silent = 0;
  for (const int64_t id : source_.at_work()) {
    const auto known = seen_.find(id);
    Seen step = known == seen_.end() ? Seen{now, now + after_} : known->second;
    if (now >= step.next) {
      step.next = now + kSilence * after_;
      std::vector<std::string> words = source_.describe(id);
      if (words.empty()) continue;  // it has just ended
      if (lines.size() < kMostLines) {
        lines.push_back(Line(id, now - step.first, std::move(words)));
      } else {
        ++silent;
      }
    }
    still[id] = step;
  }
  seen_.swap(still);
  if (silent > 0) lines.push_back(absl::StrCat(silent, " more steps have run for as long"));
  return lines;
}

void LongSteps::Main() {
  const auto interval = std::max(after_ / kLooks, std::chrono::milliseconds(10));
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, interval, [this] { return ends_; })) {
    lock.unlock();
    for (const std::string& line : Look(std::chrono::steady_clock::now())) log_(line);
    lock.lock();
  }
}

}  // namespace warpbeam
