// BackgroundSaves: writes checkpoints on a thread of their own, one after the other.
//
//   BackgroundSaves saves;
//   WB_RETURN_IF_ERROR(saves.Start("/tmp/train/model.ckpt-7", [&] { return Write(); }));
//   …                                                   // training goes on
//   WB_RETURN_IF_ERROR(saves.Wait(/*timeout_secs=*/120));
//
// One at most is being written; a second Start waits for it. An error is returned once, by the next
// Start, which then starts nothing, or Wait; what nobody has asked for when this object goes is
// printed to stderr.
//
// Ownership: owns the thread; the destructor waits for it, unless a Wait has already reached its
// deadline: then the thread is left behind with what it writes from. Thread safety: any thread.
// Errors: those of what is run; DEADLINE_EXCEEDED of Wait, naming the checkpoint.
#ifndef WARPBEAM_FRONTEND_SAVER_BACKGROUND_SAVES_H_
#define WARPBEAM_FRONTEND_SAVER_BACKGROUND_SAVES_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "graph/types/status.h"

namespace warpbeam {
namespace frontend {
namespace train {

class BackgroundSaves {
 public:
  BackgroundSaves();
  ~BackgroundSaves();
  BackgroundSaves(const BackgroundSaves&) = delete;
  BackgroundSaves& operator=(const BackgroundSaves&) = delete;

  Status Start(const std::string& prefix, std::function<Status()> write);
  bool IsWriting() const;
  // Until nothing is being written; the error that is still to be told. 0: without limit.
  Status Wait(double timeout_secs);
  // The same without limit; an error stays to be told.
  void WaitUntilIdle() const;

 private:
  struct State;  // shared with the thread

  const std::shared_ptr<State> state_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_BACKGROUND_SAVES_H_
