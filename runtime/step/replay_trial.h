// ReplayTrial: whether a recording is faster than the launches that it stands for.
//
// A driver takes some time for each recording that it is given, so that one of two small kernels
// may cost the host more than it saves. The first times that a recording could be played it is
// played and left out in turn; what then took the host less time stays. The GPU does the same work
// in both.
//
//   ReplayTrial trial;
//   while (!trial.is_over()) {
//     const bool plays = trial.PlaysNext();
//     …
//     trial.Note(plays, nanoseconds);
//   }
//   if (!trial.stays()) …                                 // the recording goes
//
// Each way counts by its fastest time: others have been held up. Thread safety: one thread. Errors:
// none.
#ifndef WARPBEAM_RUNTIME_STEP_REPLAY_TRIAL_H_
#define WARPBEAM_RUNTIME_STEP_REPLAY_TRIAL_H_

#include <algorithm>
#include <cstdint>

namespace warpbeam {

class ReplayTrial {
 public:
  static constexpr int kRounds = 2;

  bool is_over() const { return noted_ >= 2 * kRounds; }
  bool PlaysNext() const { return noted_ % 2 == 0; }
  // What went otherwise than PlaysNext has said, as in a step of another shape, does not count.
  void Note(bool played, int64_t nanoseconds) {
    if (is_over() || played != PlaysNext()) return;
    int64_t& fastest = played ? playing_ : running_;
    fastest = std::min(fastest, nanoseconds);
    ++noted_;
  }
  bool stays() const { return playing_ < running_; }

 private:
  int noted_ = 0;
  int64_t playing_ = INT64_MAX, running_ = INT64_MAX;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_REPLAY_TRIAL_H_
