#include "frontend/saver/kept_checkpoints.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr double kSecondsPerHour = 3600;

double SecondsNow() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

std::vector<SavedCheckpoint> KeptCheckpoints::all() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return all_;
}

void KeptCheckpoints::Recover(std::vector<SavedCheckpoint> all) {
  std::lock_guard<std::mutex> lock(mutex_);
  all_ = std::move(all);
}

Status KeptCheckpoints::Add(const std::string& prefix, const std::string& state_file) {
  std::lock_guard<std::mutex> lock(mutex_);
  const double now = SecondsNow();
  if (!next_preserved_) next_preserved_ = now + keep_hours_ * kSecondsPerHour;
  all_.erase(std::remove_if(all_.begin(), all_.end(),
                            [&](const SavedCheckpoint& c) { return c.prefix == prefix; }),
             all_.end());
  all_.push_back({prefix, now});
  CheckpointState state;
  const size_t limit = max_to_keep_ > 0 ? static_cast<size_t>(max_to_keep_) : all_.size();
  state.all.assign(all_.end() - static_cast<std::ptrdiff_t>(std::min(limit, all_.size())),
                   all_.end());
  state.last_preserved = last_preserved_;
  WB_RETURN_IF_ERROR(WriteCheckpointState(DirectoryOf(prefix), state, state_file));
  return RemoveOld();
}

Status KeptCheckpoints::RemoveOld() {
  if (max_to_keep_ <= 0) return OkStatus();
  while (all_.size() > static_cast<size_t>(max_to_keep_)) {
    const SavedCheckpoint oldest = all_.front();
    all_.erase(all_.begin());
    if (oldest.time > *next_preserved_) {
      *next_preserved_ += keep_hours_ * kSecondsPerHour;
      last_preserved_ = oldest.time;
      continue;
    }
    WB_RETURN_IF_ERROR(RemoveCheckpoint(oldest.prefix));
  }
  return OkStatus();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
