// LaneReader: reads frames from a socket, many small ones at a time.
//
//   LaneReader reader(&socket);
//   WB_RETURN_IF_ERROR(reader.Next(kMostAskBytes, &header, &head));
//   WB_RETURN_IF_ERROR(reader.ReadValues(tensor.raw_data(), header.value_bytes));
//
// Large values are read straight into their place. Ownership: `socket` outlives it. Thread safety:
// one thread. Errors: those of the socket; INVALID_ARGUMENT for what is no frame, after which the
// connection is of no use.
#ifndef WARPBEAM_RUNTIME_DIST_LANE_LANE_READER_H_
#define WARPBEAM_RUNTIME_DIST_LANE_LANE_READER_H_

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/dist/lane/lane_frame.h"
#include "runtime/dist/socket/socket.h"

namespace warpbeam {

class LaneReader {
 public:
  explicit LaneReader(Socket* socket) : socket_(*socket), buffer_(kBufferBytes) {}

  Status Next(uint32_t most_head_bytes, LaneHeader* header, std::string* head) {
    WB_RETURN_IF_ERROR(Take(header, sizeof(*header)));
    WB_RETURN_IF_ERROR(CheckHeader(*header, most_head_bytes));
    head->clear();
    // What a header promises is believed as far as it has come.
    constexpr size_t kPortion = size_t{1} << 20;
    while (head->size() < header->head_bytes) {
      const size_t at = head->size();
      head->resize(std::min<size_t>(header->head_bytes, at + kPortion));
      WB_RETURN_IF_ERROR(Take(&(*head)[at], head->size() - at));
    }
    return OkStatus();
  }
  Status ReadValues(void* to, size_t bytes) { return Take(to, bytes); }

 private:
  static constexpr size_t kBufferBytes = size_t{64} << 10;

  Status Take(void* to, size_t bytes) {
    auto* at = static_cast<char*>(to);
    while (bytes > 0) {
      if (begin_ == end_ && bytes >= kBufferBytes) return socket_.Read(at, bytes);
      if (begin_ == end_) {
        begin_ = 0;
        end_ = 0;
        WB_ASSIGN_OR_RETURN(end_, socket_.ReadSome(buffer_.data(), buffer_.size()));
      }
      const size_t taken = std::min(bytes, end_ - begin_);
      std::memcpy(at, buffer_.data() + begin_, taken);
      begin_ += taken;
      at += taken;
      bytes -= taken;
    }
    return OkStatus();
  }

  Socket& socket_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_LANE_LANE_READER_H_
