// Communicator: where the members of a collective meet, those of this process. Each member brings a
// tensor and waits, without a thread; with the last one all get the same result.
//
//   CollectiveCall call;
//   call.group_size = 2;  call.member.input = ctx.input(0);  call.combine = Sum;
//   JoinCollective(ctx, std::move(call), done);           // sets output 0
//
// Members meet within one step, whose number all tasks of it share: the same keys in another step
// are another collective, and so are those of a loop's next iteration. They are put in the order of
// their devices, so that results do not depend on who comes first. Members may share a device, as
// they do when GPUs that a graph asks for are not there.
//
// Ownership: the process has one; members hold what they wait for. Thread safety: any
// thread. Errors, which all members get: INVALID_ARGUMENT for shapes that differ, INTERNAL for
// other differences (as TensorFlow reports them), DEADLINE_EXCEEDED, CANCELLED with the step.
#ifndef WARPBEAM_RUNTIME_COMM_COMMUNICATOR_H_
#define WARPBEAM_RUNTIME_COMM_COMMUNICATOR_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct CollectiveMember {
  std::string device;
  std::string node;
  bool is_source = false;  // of a broadcast
  Tensor input;            // none: a receiver of a broadcast
};

struct CollectiveCall {
  // What all members do with all inputs; called once, on the thread of the last member.
  using Combine = std::function<absl::StatusOr<Tensor>(
      KernelContext& ctx, const std::vector<CollectiveMember>& members)>;

  std::string group, instance;  // who meets: members of a group, in one instance
  int64_t group_size = 0;
  int kind = 0;  // only members of one kind meet
  Shape shape;   // all members' must be equal
  DType dtype = DType::kInvalid;
  CollectiveMember member;
  Combine combine;
  double timeout_seconds = 0;  // 0: none
};

// The numbers that TensorFlow gives the kinds of collectives.
enum CollectiveKind : int { kReduction = 0, kBroadcast = 1, kGather = 2 };

void JoinCollective(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_COMMUNICATOR_H_
