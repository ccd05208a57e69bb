#include "runtime/dist/socket/exchange.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

// So much of one piece, before the others have their turn.
constexpr size_t kTurnBytes = size_t{1} << 20;

}  // namespace

Exchange::Exchange(std::vector<Socket> sockets, std::vector<std::string> names)
    : names_(std::move(names)), peers_(sockets.size()) {
  for (size_t i = 0; i < sockets.size(); ++i) peers_[i].socket = std::move(sockets[i]);
}

void Exchange::Send(int rank, const void* from, int64_t bytes) {
  if (bytes <= 0) return;
  peers_[Index(rank)].out.push_back(
      {static_cast<char*>(const_cast<void*>(from)), static_cast<size_t>(bytes)});
}

void Exchange::Receive(int rank, void* to, int64_t bytes) {
  if (bytes <= 0) return;
  Peer& peer = peers_[Index(rank)];
  peer.in.push_back({static_cast<char*>(to), static_cast<size_t>(bytes)});
  ++peer.asked;
}

Status Exchange::AwaitReceived(int rank, int64_t count) {
  const Peer& peer = peers_[Index(rank)];
  while (peer.received < count) WB_RETURN_IF_ERROR(Move());
  return OkStatus();
}

Status Exchange::AwaitAll() {
  const auto is_done = [this] {
    for (const Peer& peer : peers_) {
      if (!peer.in.empty() || !peer.out.empty()) return false;
    }
    return true;
  };
  while (!is_done()) WB_RETURN_IF_ERROR(Move());
  return OkStatus();
}

void Exchange::Abort() {
  is_aborted_ = true;
  // Whoever waits for them wakes.
  for (Peer& peer : peers_) peer.socket.ShutDown();
}

StatusOr<bool> Exchange::WriteNow(Peer* peer) {
  if (peer->out.empty()) return false;
  Piece& piece = peer->out.front();
  iovec bytes = {piece.at, std::min(piece.bytes, kTurnBytes)};
  WB_ASSIGN_OR_RETURN(const size_t written, peer->socket.Write(MakeSpan(&bytes, 1), false));
  piece.at += written;
  piece.bytes -= written;
  if (piece.bytes == 0) peer->out.pop_front();
  return written > 0;
}

StatusOr<bool> Exchange::ReadNow(Peer* peer) {
  if (peer->in.empty()) return false;
  Piece& piece = peer->in.front();
  WB_ASSIGN_OR_RETURN(const size_t read,
                      peer->socket.ReadNow(piece.at, std::min(piece.bytes, kTurnBytes)));
  piece.at += read;
  piece.bytes -= read;
  if (piece.bytes == 0) {
    peer->in.pop_front();
    ++peer->received;
  }
  return read > 0;
}

Status Exchange::MoveNow(bool* has_moved) {
  for (size_t rank = 0; rank < peers_.size(); ++rank) {
    for (const auto& move : {ReadNow, WriteNow}) {
      const StatusOr<bool> moved = move(&peers_[rank]);
      if (is_aborted_) return Aborted("the group was told to end");
      if (!moved.ok()) return Annotate(moved.status(), names_[rank]);
      *has_moved = *has_moved || *moved;
    }
  }
  return OkStatus();
}

Status Exchange::Wait() {
  std::vector<pollfd> waits;
  for (const Peer& peer : peers_) {
    const int events = (peer.in.empty() ? 0 : POLLIN) | (peer.out.empty() ? 0 : POLLOUT);
    if (events != 0) waits.push_back({peer.socket.descriptor(), static_cast<short>(events), 0});
  }
  if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
    return Unavailable("waiting: ", std::strerror(errno));
  }
  return OkStatus();
}

Status Exchange::Move() {
  if (is_aborted_) return Aborted("the group was told to end");
  bool has_moved = false;
  WB_RETURN_IF_ERROR(MoveNow(&has_moved));
  return has_moved ? OkStatus() : Wait();
}

}  // namespace warpbeam
