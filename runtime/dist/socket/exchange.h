// Exchange: what one task of a group sends to the others and receives of them, all at a time, on
// one thread.
//
//   Exchange exchange(std::move(sockets), names);        // by rank; the own one is not open
//   exchange.Receive(1, to, bytes);
//   exchange.Send(1, from, bytes);
//   WB_RETURN_IF_ERROR(exchange.AwaitAll());
//
// What a task sends to another arrives in the order in which it is sent, and is received in the
// order in which it is asked for; both sides know from what they do which that is, so nothing else
// travels.
//
// Ownership: the memory is the caller's, until Await says that it is done, or fails. Thread safety:
// one thread, but for Abort. Errors: UNAVAILABLE naming the task whose connection has ended;
// ABORTED after Abort. After an error the exchange is of no more use.
#ifndef WARPBEAM_RUNTIME_DIST_SOCKET_EXCHANGE_H_
#define WARPBEAM_RUNTIME_DIST_SOCKET_EXCHANGE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "runtime/dist/socket/socket.h"

namespace warpbeam {

class Exchange {
 public:
  Exchange(std::vector<Socket> sockets, std::vector<std::string> names);

  // Nothing moves before one of the functions below waits.
  void Send(int rank, const void* from, int64_t bytes);
  void Receive(int rank, void* to, int64_t bytes);
  // Until so many of all that was asked of this rank have come, since the beginning.
  Status AwaitReceived(int rank, int64_t count);
  Status AwaitAll();
  // How many have been asked of it.
  int64_t received_or_awaited(int rank) const { return peers_[Index(rank)].asked; }
  // From any thread: ends whoever waits, now and later.
  void Abort();

 private:
  struct Piece {
    char* at;
    size_t bytes;
  };
  struct Peer {
    Socket socket;
    std::deque<Piece> in, out;
    int64_t asked = 0, received = 0;
  };

  static size_t Index(int rank) { return static_cast<size_t>(rank); }
  // Moves what can move now; waits until something can, where nothing could.
  Status Move();
  Status MoveNow(bool* has_moved);
  static StatusOr<bool> WriteNow(Peer* peer);
  static StatusOr<bool> ReadNow(Peer* peer);
  Status Wait();

  const std::vector<std::string> names_;
  std::vector<Peer> peers_;  // by rank
  std::atomic<bool> is_aborted_{false};
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_SOCKET_EXCHANGE_H_
