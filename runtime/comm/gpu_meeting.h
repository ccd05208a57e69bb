// MeetOnGpus: a collective whose members lie on GPUs, each on its own, done by a communicator of
// these GPUs (meeting.h).
//
//   if (!MeetOnGpus(terms, &members)) {
//     …                                  // they are untouched, and go through host memory
//   }
//   MeetOnGpusOfTasks(terms, std::move(members_here), std::move(tasks));
//
// Ownership, thread safety, errors: as Meet.
#ifndef WARPBEAM_RUNTIME_COMM_GPU_MEETING_H_
#define WARPBEAM_RUNTIME_COMM_GPU_MEETING_H_

#include <functional>
#include <memory>
#include <vector>

#include "runtime/comm/meeting.h"

namespace warpbeam {

// False where it is nothing for such a communicator: members in host memory, two on one GPU, a
// broadcast without its one source, GPUs or elements that there is no communicator for.
bool MeetOnGpus(const CollectiveCall& terms, std::vector<MeetingMember>* members);

// Where members are on several tasks: what those of this one have besides.
struct GpuTasks {
  std::shared_ptr<GpuCommunicator> communicator;
  size_t first_rank = 0;  // of this task's members, which come in order
  size_t source = 0;      // of a broadcast: its rank
  // What has gone wrong, once; `names_who` by whom. It is answered, on any thread, with what the
  // members are to be told, and the communicator is aborted by whoever answers.
  using Told = std::function<void(const Status& status)>;
  std::function<void(const Status& why, bool names_who, const Told& answer)> explain;
};
// Whether these members of a task may be given to such a communicator.
bool MayMeetOnGpus(const CollectiveCall& terms, const std::vector<const MeetingMember*>& members);
void MeetOnGpusOfTasks(const CollectiveCall& terms, std::vector<MeetingMember> members,
                       GpuTasks tasks);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_GPU_MEETING_H_
