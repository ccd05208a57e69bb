// StageOnHost: a member of a collective whose tensors lie on a GPU, as one whose tensors lie in
// host memory: for what is made there. StageAllOnHost: so each of several that is on a GPU.
//
//   StageOnHost(std::move(member), [](StatusOr<MeetingMember> host) {
//     …                                  // makes what it gets of host->member.input
//     host->ctx->set_output(0, std::move(result));
//     host->done(OkStatus());            // copies it to the GPU, and tells the member
//   });
//
// Ownership: the member's context, and its endpoint, until it is told; tensors are held while they
// are copied. Thread safety: any thread; `then` is called once, on any thread, perhaps at once.
// Errors: of allocation and of the device; the member is then not told. Of several the first error
// is given, when all have come, and those that had one are as they were.
#ifndef WARPBEAM_RUNTIME_COMM_STAGED_MEMBER_H_
#define WARPBEAM_RUNTIME_COMM_STAGED_MEMBER_H_

#include <functional>
#include <vector>

#include "runtime/comm/meeting.h"

namespace warpbeam {

void StageOnHost(MeetingMember on_gpu, std::function<void(StatusOr<MeetingMember> host)> then);
void StageAllOnHost(
    std::vector<MeetingMember> members,
    std::function<void(const Status& staged, std::vector<MeetingMember> members)> then);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_STAGED_MEMBER_H_
