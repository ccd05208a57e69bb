// Communicator: where the members of a collective meet. Each member brings a tensor and waits,
// without a thread; with the last one all get the same result, or each its share of it.
//
//   CollectiveCall call;
//   call.group_size = 2;  call.member.input = ctx.input(0);  call.combine = Sum;
//   JoinCollective(ctx, std::move(call), done);           // sets output 0
//
// A member on a GPU brings a tensor that lies there (`member.gpu`), and gets such a one. Where all
// are on GPUs, each on its own, the result is made between them (gpu_communicator.h); else, and
// where members pack what they bring, the tensors go through host memory. What such a member gets
// has happened when it is told.
//
// Members meet within one step, whose number all tasks of it share: the same keys in another step
// are another collective, and so are those of a loop's next iteration. They are put in the order of
// their devices, so that results do not depend on who comes first. Members may share a device, as
// they do when GPUs that a graph asks for are not there.
//
// In a task of a cluster members may be on other tasks: the step's rendezvous then has what finds
// them (Collectives, runtime/dist/cluster/step_collectives.h). Those of each task come together
// first, and what they have made goes from task to task (task_communicator.h).
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

#include "runtime/comm/collective_kind.h"
#include "runtime/comm/gpu_communicator.h"
#include "runtime/comm/task_communicator.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

class GpuEndpoint;

struct CollectiveMember {
  std::string device;
  std::string node;
  bool is_source = false;  // of a broadcast
  Tensor input;            // none: a receiver of a broadcast
  // In whose memory its tensors lie, until it is told; null: in host memory. JoinCollective finds
  // memory for what it will get.
  GpuEndpoint* gpu = nullptr;
  Tensor output;
  // The device that its node is on, which is the one that counts where nothing of the node lies in
  // its memory, so that it runs elsewhere; null: the context's.
  Device* placed_on = nullptr;
};

struct CollectiveCall {
  // What all members do with all inputs; called once, on the thread of the last member. Where each
  // gets a share (HasShares), the result is those of all members, one after the other.
  using Combine = std::function<StatusOr<Tensor>(KernelContext& ctx,
                                                 const std::vector<CollectiveMember>& members)>;
  // What one task's members make of theirs, for other tasks. The inputs may be used up.
  using Part =
      std::function<StatusOr<Tensor>(KernelContext& ctx, std::vector<CollectiveMember> members)>;
  // The result of the merged parts of all tasks.
  using Finish = std::function<StatusOr<Tensor>(KernelContext& ctx, Tensor merged)>;
  // What a member makes by itself: of its input, or of the result or its share, in host memory.
  using Take = std::function<StatusOr<Tensor>(KernelContext& ctx, Tensor tensor)>;

  std::string group, instance;  // who meets: members of a group, in one instance
  int64_t group_size = 0;
  int kind = 0;  // only members of one kind meet
  Shape shape;   // all members' must be equal
  DType dtype = DType::kInvalid;
  CollectiveMember member;
  Combine combine;
  // Of a reduction, for members on several tasks.
  Part part;
  TaskCommunicator::Merge merge = nullptr;
  Finish finish;
  // Of a reduction, for members on GPUs, with `merge`.
  MergeOp merge_op = MergeOp::kAdd;
  GpuCall::Divide divide = nullptr;
  // How its tensor is subdivided where members are on tasks of TensorFlow's, which all of them know
  // (RingPieces, runtime/dist/collective/member_plan.h).
  std::vector<int64_t> subdivision_offsets;
  int64_t most_subdivisions = -1;
  Take pack;  // null: the member brings its input as it is
  Take take;  // null: the result is the member's output as it is
  // Of the step, where members may be of several masters' steps; members agree on it.
  int64_t graph_key = 0;
  bool is_within_task = false;  // of members on one task whatever their group is
  double timeout_seconds = 0;   // 0: none
};

void JoinCollective(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done);

// What brings the members of a step together where they may be on several tasks. Their tensors may
// lie on GPUs, as JoinCollective's members' do.
class Collectives {
 public:
  virtual ~Collectives() = default;
  virtual void Join(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) = 0;
};

// What TensorFlow's refusals of collectives begin with.
inline constexpr char kAbortedBy[] = "Collective ops is aborted by: ";
// What there is to do about graph keys that differ.
inline constexpr char kSameGraphKey[] =
    "; steps of several masters that meet have the same collective_graph_key in their RunOptions";
// OK if both can be members of one collective: `first` came before. In TensorFlow's words.
Status CheckAgreement(const CollectiveCall& first, const CollectiveCall& call);
// DEADLINE_EXCEEDED naming the members that have come; the others are missed.
Status TimedOut(const CollectiveCall& terms, const std::vector<CollectiveMember>& came);
// Whether members come in the order in which results are made of them.
bool ComesBefore(const CollectiveMember& a, const CollectiveMember& b);
// The shape of what a member gets. INVALID_ARGUMENT where it would have too many elements.
StatusOr<Shape> OutputShape(const CollectiveCall& call);
// The share of the member at `place`, of the shares of `members`; a view.
inline Tensor ShareAt(const Tensor& shares, int64_t place, int64_t members) {
  const int64_t rows = shares.dim(0) / members;
  return shares.Rows(place * rows, (place + 1) * rows);
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_COMMUNICATOR_H_
