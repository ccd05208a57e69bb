// MemberKernel: a kernel that is a member of a collective, with its tensors in the memory of its
// device. CollectiveKernel: what the kernels of collective ops share besides: the attributes and
// inputs that say who meets. The first versions of the ops name their group in attributes, the
// second in inputs; the third have a communicator (collective_communicator.h).
//
//   class GatherKernel final : public CollectiveKernel {
//     void ComputeAsync(KernelContext& ctx, Done done) override;   // Call, then JoinCollective
//   };
//
// Thread safety: as kernels. Errors: attributes that are not there; inputs that are no scalars.
#ifndef WARPBEAM_OPS_COLLECTIVE_COLLECTIVE_KERNEL_H_
#define WARPBEAM_OPS_COLLECTIVE_COLLECTIVE_KERNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/op/shape_context.h"
#include "ops/collective/reduction.h"
#include "runtime/comm/communicator.h"
#include "runtime/comm/gpu_endpoint.h"
#include "runtime/kernel/replayable.h"

namespace warpbeam {

class MemberKernel : public AsyncKernel, public Replayable {
 public:
  // Who waits for others cannot be played again without them.
  bool is_replayable() const override { return false; }
  static bool HasGpuCode(const AttrMap& attrs) {
    return HasGpuCommunicators(attrs.GetOr<DType>("T", DType::kInvalid));
  }

 protected:
  void InitMember(const KernelInit& init) {
    device_ = init.device;
    gpu_ = GpuEndpoint::Of(init.device);
    node_ = init.node_name;
  }
  CollectiveMember Member() const {
    CollectiveMember member;
    member.node = node_;
    member.gpu = gpu_.get();
    member.placed_on = device_;
    return member;
  }

 private:
  Device* device_ = nullptr;
  std::shared_ptr<GpuEndpoint> gpu_;
  std::string node_;
};

class CollectiveKernel : public MemberKernel {
 protected:
  // `first_key`: the input that is the group's size, followed by the keys of group and instance; -1
  // for ops that have attributes instead.
  Status Init(KernelInit& init, int first_key);
  StatusOr<CollectiveCall> Call(const KernelContext& ctx, int kind) const;

 private:
  int first_key_ = -1;
  int64_t group_size_ = 0, group_key_ = 0, instance_key_ = 0;
  double timeout_seconds_ = 0;
};

// Of ops with the attributes merge_op and final_op.
class ReducingKernel : public CollectiveKernel {
 protected:
  Status Init(KernelInit& init, int first_key);
  // With the first input, whose shape `call` has.
  void JoinReduction(KernelContext& ctx, CollectiveCall call, Done done) const;

 private:
  MergeOp merge_ = MergeOp::kAdd;
  bool divides_ = false;
  std::vector<int64_t> subdivision_offsets_;  // of the first version
  int64_t most_subdivisions_ = -1;            // of the second
};

// A key of 32 bits that is an input; INVALID_ARGUMENT naming it where it is no scalar.
StatusOr<int64_t> KeyAt(const KernelContext& ctx, int input, const char* name);

// All members' tensors, one after the other along their first dimension.
StatusOr<Tensor> GatherInputs(KernelContext& ctx, const std::vector<CollectiveMember>& members);

// The shape function of ops whose output has the shape of their attribute.
Status DeclaredShape(ShapeContext& c);
// That of ops that change the first dimension to what only the run knows.
Status UnknownFirstDimension(ShapeContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_COLLECTIVE_COLLECTIVE_KERNEL_H_
