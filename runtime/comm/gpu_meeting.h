// MeetOnGpus: a collective whose members lie on GPUs, each on its own, done by a communicator of
// these GPUs (meeting.h).
//
//   if (!MeetOnGpus(terms, &members)) {
//     …                                  // they are untouched, and go through host memory
//   }
//
// Ownership, thread safety, errors: as Meet.
#ifndef WARPBEAM_RUNTIME_COMM_GPU_MEETING_H_
#define WARPBEAM_RUNTIME_COMM_GPU_MEETING_H_

#include <vector>

#include "runtime/comm/meeting.h"

namespace warpbeam {

// False where it is nothing for such a communicator: members in host memory, two on one GPU, a
// broadcast without its one source, GPUs or elements that there is no communicator for.
bool MeetOnGpus(const CollectiveCall& terms, std::vector<MeetingMember>* members);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_GPU_MEETING_H_
