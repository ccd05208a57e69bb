// LaneSender: writes frames to a socket, in the order in which they come.
//
// Whoever brings a frame writes it at once where the socket takes it; what does not fit, and all
// that comes meanwhile, is written by a thread, as many frames at a time as there are: small ones
// travel together.
//
//   LaneSender sender(&socket);
//   sender.Send(AskFrame(id, step_id, key));
//
// Ownership: `socket` outlives it; its end drops what is not written, so shut the socket down
// first. Thread safety: any thread. Errors: none; a socket that fails is shut down, which its
// reader notices.
#ifndef WARPBEAM_RUNTIME_DIST_LANE_LANE_SENDER_H_
#define WARPBEAM_RUNTIME_DIST_LANE_LANE_SENDER_H_

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "runtime/dist/lane/lane_frame.h"
#include "runtime/dist/socket/socket.h"

namespace warpbeam {

class LaneSender {
 public:
  explicit LaneSender(Socket* socket) : socket_(*socket) {}
  ~LaneSender();
  LaneSender(const LaneSender&) = delete;
  LaneSender& operator=(const LaneSender&) = delete;

  // `at_once`: on this thread, as far as it goes without waiting; false for large values, whose
  // copying should not keep a worker.
  void Send(LaneFrame frame, bool at_once = true);

 private:
  void Main();
  // Writes once. The lock is held, but not while it writes. False when nothing could be written.
  bool WriteSome(std::unique_lock<std::mutex>* lock, bool blocks);
  void Advance(size_t written);

  Socket& socket_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<LaneFrame> queue_;
  size_t written_ = 0;  // of the first
  bool is_writing_ = false;
  bool has_failed_ = false;
  bool ends_ = false;
  bool has_thread_ = false;
  std::thread thread_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_LANE_LANE_SENDER_H_
