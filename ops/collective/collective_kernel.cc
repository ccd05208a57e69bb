#include "ops/collective/collective_kernel.h"

#include <cstring>
#include <utility>

namespace warpbeam {

StatusOr<int64_t> KeyAt(const KernelContext& ctx, int input, const char* name) {
  const Tensor& value = ctx.input(input);
  if (value.rank() != 0) {
    return InvalidArgument("Unexpected dimensions on input ", name, ", got ",
                           value.shape().ToString());
  }
  return value.scalar<int32_t>();
}

Status CollectiveKernel::Init(KernelInit& init, int first_key) {
  first_key_ = first_key;
  InitMember(init);
  WB_ASSIGN_OR_RETURN(timeout_seconds_, init.attr<float>("timeout_seconds"));
  if (first_key >= 0) return OkStatus();
  WB_ASSIGN_OR_RETURN(group_size_, init.attr<int64_t>("group_size"));
  WB_ASSIGN_OR_RETURN(group_key_, init.attr<int64_t>("group_key"));
  WB_ASSIGN_OR_RETURN(instance_key_, init.attr<int64_t>("instance_key"));
  if (group_size_ <= 0) {
    return InvalidArgument("group_size must be positive integer but got ", group_size_);
  }
  return OkStatus();
}

StatusOr<CollectiveCall> CollectiveKernel::Call(const KernelContext& ctx, int kind) const {
  CollectiveCall call;
  int64_t group = group_key_, instance = instance_key_;
  call.group_size = group_size_;
  if (first_key_ >= 0) {
    WB_ASSIGN_OR_RETURN(call.group_size, KeyAt(ctx, first_key_, "group_size"));
    if (call.group_size <= 0) {
      return InvalidArgument("group_size must be positive integer but got ", call.group_size);
    }
    WB_ASSIGN_OR_RETURN(group, KeyAt(ctx, first_key_ + 1, "group_key"));
    WB_ASSIGN_OR_RETURN(instance, KeyAt(ctx, first_key_ + 2, "instance_key"));
  }
  call.group = absl::StrCat(group);
  call.instance = absl::StrCat(instance);
  call.kind = kind;
  call.timeout_seconds = timeout_seconds_;
  call.member = Member();
  call.dtype = ctx.output_type(0);
  return call;
}

Status ReducingKernel::Init(KernelInit& init, int first_key) {
  WB_RETURN_IF_ERROR(CollectiveKernel::Init(init, first_key));
  WB_ASSIGN_OR_RETURN(const std::string merge, init.attr<std::string>("merge_op"));
  WB_ASSIGN_OR_RETURN(const std::string final_op, init.attr<std::string>("final_op"));
  WB_ASSIGN_OR_RETURN(merge_, ParseMergeOp(merge));
  divides_ = final_op == "Div";
  if (first_key < 0) {
    WB_ASSIGN_OR_RETURN(subdivision_offsets_, init.attr<std::vector<int64_t>>("subdiv_offsets"));
  } else {
    WB_ASSIGN_OR_RETURN(most_subdivisions_, init.attr<int64_t>("max_subdivs_per_device"));
  }
  return OkStatus();
}

void ReducingKernel::JoinReduction(KernelContext& ctx, CollectiveCall call, Done done) const {
  Status made = MakeReduction(merge_, divides_, &call);
  if (!made.ok()) return done(std::move(made));
  call.subdivision_offsets = subdivision_offsets_;
  call.most_subdivisions = most_subdivisions_;
  call.member.input = ctx.TakeInput(0);
  JoinCollective(ctx, std::move(call), std::move(done));
}

StatusOr<Tensor> GatherInputs(KernelContext& ctx, const std::vector<CollectiveMember>& members) {
  const Tensor& first = members[0].input;
  const auto count = static_cast<int64_t>(members.size());
  WB_ASSIGN_OR_RETURN(const Shape shape, first.shape().WithDim(0, count * first.dim(0)));
  WB_ASSIGN_OR_RETURN(Tensor result, ctx.AllocateTemp(first.dtype(), shape));
  auto* out = static_cast<char*>(result.raw_data());
  for (const CollectiveMember& member : members) {
    if (member.input.bytes() > 0) memcpy(out, member.input.raw_data(), member.input.bytes());
    out += member.input.bytes();
  }
  return result;
}

Status DeclaredShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status UnknownFirstDimension(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.WithRankAtLeast(0, 1));
  if (shape.has_rank()) shape.set_dim(0, -1);
  c.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace warpbeam
