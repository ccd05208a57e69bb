// Meet: what the members of a collective do once all of them have come.
//
// Members whose tensors lie on GPUs, each on its own, are given to a communicator of these GPUs,
// all at once. Otherwise tensors on GPUs are copied to host memory, the call's `combine` makes the
// result there, once, and it is copied to where it is wanted.
//
//   Meet(terms, std::move(members));                 // returns; members are told one by one
//
// While GPUs are at it, the call's timeout and the end of a member's step are looked for: members
// that the GPUs have not come by yet are then told, and the communicator is aborted. What lies on
// the GPUs is held until they have come by.
//
// Ownership: contexts, and the endpoints of GPUs, are the members' until they are told. Thread
// safety: any thread; members are told on any thread. Errors: those of `combine`, of devices and of
// communicators; DEADLINE_EXCEEDED naming the members whose GPUs have not come by.
#ifndef WARPBEAM_RUNTIME_COMM_MEETING_H_
#define WARPBEAM_RUNTIME_COMM_MEETING_H_

#include <vector>

#include "runtime/comm/communicator.h"

namespace warpbeam {

struct MeetingMember {
  CollectiveMember member;
  KernelContext* ctx;
  CollectiveCall::Take take;
  AsyncKernel::Done done;
};

void Meet(const CollectiveCall& terms, std::vector<MeetingMember> members);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_MEETING_H_
