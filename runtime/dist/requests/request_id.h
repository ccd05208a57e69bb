// NewRequestId: what tells a request from all others, and a repetition of it from another one.
//
//   request.set_request_id(NewRequestId());
//
// Thread safety: any thread. Random and never 0, which is no number.
#ifndef WARPBEAM_RUNTIME_DIST_REQUESTS_REQUEST_ID_H_
#define WARPBEAM_RUNTIME_DIST_REQUESTS_REQUEST_ID_H_

#include <cstdint>

namespace warpbeam {

int64_t NewRequestId();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_REQUESTS_REQUEST_ID_H_
