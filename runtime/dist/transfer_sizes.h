// How much tasks send each other at once. gRPC's own sizes are for small messages: it cuts them
// into frames of 16 KiB. What it reads from a socket at a time begins small and grows with what
// comes; more from the beginning would be held by each connection, though it is idle.
//
//   for (const auto& [name, value] : kTransferSizes) arguments.SetInt(name, value);
//
// Thread safety: constants. Errors: none.
#ifndef WARPBEAM_RUNTIME_DIST_TRANSFER_SIZES_H_
#define WARPBEAM_RUNTIME_DIST_TRANSFER_SIZES_H_

#include <grpc/grpc.h>

#include <utility>

namespace warpbeam {

inline constexpr std::pair<const char*, int> kTransferSizes[] = {
    {GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 4 << 20},
    {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 16 << 20},
    {GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, 4 << 20},
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TRANSFER_SIZES_H_
