// The frames of a lane: what two Warpbeam tasks send each other beside gRPC, on sockets of their
// own (lane_server.h, lane_client.h).
//
// A frame is a header of 32 bytes, `head_bytes` of a head and `value_bytes` of a tensor's raw
// values, all in the byte order of x86-64:
//
//   hello    head: the server's token, the number of the lane, which socket of it this is; the
//            server answers the first with an empty one
//   ask      id, head: the step's number in 8 bytes, and a rendezvous key
//   forget   id of an ask whose answer nobody waits for any more
//   value    id, head: a TensorProto without its values, which follow, or with them; or dead
//   error    id, status, head: the message
//
//   LaneFrame frame = AskFrame(id, step_id, key);
//   WB_ASSIGN_OR_RETURN(LaneFrame answer, ValueFrame(id, value));
//   WB_ASSIGN_OR_RETURN(Tensor tensor, TensorForValues(head, header.value_bytes));
//
// Ownership: a frame shares its tensor's buffer, which nobody may write to until it is gone. Thread
// safety: pure functions. Errors: INVALID_ARGUMENT for what is no frame, and those of tensors.
#ifndef WARPBEAM_RUNTIME_DIST_LANE_LANE_FRAME_H_
#define WARPBEAM_RUNTIME_DIST_LANE_LANE_FRAME_H_

#include <cstdint>
#include <string>

#include "runtime/comm/rendezvous.h"

namespace warpbeam {

enum class LaneKind : uint16_t { kHello = 1, kAsk = 2, kForget = 3, kValue = 4, kError = 5 };

struct LaneHeader {
  static constexpr uint32_t kMagic = 0x314c4257;  // "WBL1"
  static constexpr uint16_t kDead = 1;

  uint32_t magic = kMagic;
  LaneKind kind = LaneKind::kHello;
  uint16_t flags = 0;
  uint64_t id = 0;
  uint32_t head_bytes = 0;
  uint32_t status = 0;
  uint64_t value_bytes = 0;
};
static_assert(sizeof(LaneHeader) == 32, "the header is sent as it lies in memory");

// Ready to be sent.
struct LaneFrame {
  std::string bytes;  // header and head
  Tensor values;      // their raw bytes follow; may be without a value
  size_t size() const { return bytes.size() + (values.has_value() ? values.bytes() : 0); }
};

// Who says hello: which lane it is, and which of its two sockets.
struct LaneHello {
  static constexpr size_t kTokenBytes = 16;
  std::string token;
  uint64_t lane = 0;
  bool is_bulk = false;
};

// From here on values go on the socket for large ones, so that small ones need not wait for them.
inline constexpr size_t kBulkBytes = size_t{128} << 10;
// What a server takes for a head; keys are short.
inline constexpr uint32_t kMostAskBytes = uint32_t{1} << 16;
// What a client takes for one: a message that has the values in it.
inline constexpr uint32_t kMostHeadBytes = uint32_t{1} << 30;

LaneFrame HelloFrame(const LaneHello& hello);
LaneFrame AskFrame(uint64_t id, int64_t step_id, absl::string_view key);
LaneFrame ForgetFrame(uint64_t id);
LaneFrame ErrorFrame(uint64_t id, const Status& error);
StatusOr<LaneFrame> ValueFrame(uint64_t id, const Rendezvous::Value& value);

// Whether a header can begin a frame with such a head.
Status CheckHeader(const LaneHeader& header, uint32_t most_head_bytes);
StatusOr<LaneHello> ParseHello(absl::string_view head);
struct LaneAsk {
  int64_t step_id = 0;
  std::string key;
};
StatusOr<LaneAsk> ParseAsk(absl::string_view head);
// The tensor that `bytes` of raw values are read into.
StatusOr<Tensor> TensorForValues(const std::string& head, uint64_t bytes);
// A tensor that is all in its message.
StatusOr<Tensor> ParseTensor(const std::string& head);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_LANE_LANE_FRAME_H_
