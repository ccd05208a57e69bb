// NcclAllReduce, NcclReduce, NcclBroadcast: the collectives of TensorFlow 1's nccl module. The
// members of an all-reduce find each other by shared_name.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/hand_on_kernel.h"
#include "ops/collective/collective_kernel.h"
#include "ops/collective/gpu_merge.h"
#include "ops/collective/reduction.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class NcclAllReduceKernel final : public MemberKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<NcclAllReduceKernel>();
    WB_ASSIGN_OR_RETURN(const std::string reduction, init.attr<std::string>("reduction"));
    WB_ASSIGN_OR_RETURN(kernel->merge_, ParseMergeOp(reduction));
    WB_ASSIGN_OR_RETURN(kernel->num_devices_, init.attr<int64_t>("num_devices"));
    WB_ASSIGN_OR_RETURN(kernel->shared_name_, init.attr<std::string>("shared_name"));
    kernel->InitMember(init);
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    CollectiveCall call;
    call.group = "nccl";
    call.instance = shared_name_;
    call.group_size = num_devices_;
    call.kind = kReduction;
    call.dtype = ctx.input(0).dtype();
    call.shape = ctx.input(0).shape();
    call.member = Member();
    call.member.input = ctx.input(0);
    Status made = MakeReduction(merge_, /*divides=*/false, &call);
    if (!made.ok()) return done(std::move(made));
    call.is_within_task = true;
    JoinCollective(ctx, std::move(call), std::move(done));
  }

 private:
  MergeOp merge_ = MergeOp::kAdd;
  int64_t num_devices_ = 0;
  std::string shared_name_;
};

Status CheckShapes(const KernelContext& ctx) {
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.input(i).shape() == ctx.input(0).shape()) continue;
    return InvalidArgument("inputs must all be of one shape; input 0 is ",
                           ctx.input(0).shape().ToString(), ", input ", i, " is ",
                           ctx.input(i).shape().ToString());
  }
  return OkStatus();
}

class NcclReduceKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<NcclReduceKernel>();
    WB_ASSIGN_OR_RETURN(const std::string reduction, init.attr<std::string>("reduction"));
    WB_ASSIGN_OR_RETURN(kernel->merge_, ParseMergeOp(reduction));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    WB_RETURN_IF_ERROR(CheckShapes(ctx));
    std::vector<Tensor> inputs;
    for (int i = 0; i < ctx.num_inputs(); ++i) inputs.push_back(ctx.input(i));
    WB_ASSIGN_OR_RETURN(Tensor result, Reduce(ctx, merge_, /*divides=*/false, inputs));
    ctx.set_output(0, std::move(result));
    return OkStatus();
  }

 private:
  MergeOp merge_ = MergeOp::kAdd;
};

// All of its inputs have been brought to its own device.
class NcclReduceOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<NcclReduceOnGpu>();
    WB_ASSIGN_OR_RETURN(const std::string reduction, init.attr<std::string>("reduction"));
    WB_ASSIGN_OR_RETURN(kernel->merge_, ParseMergeOp(reduction));
    return kernel;
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuMerge(); }
  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckShapes(ctx));
    const Tensor& first = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * sum, ctx.ForwardOrAllocate({0}, 0, first.shape()));
    GpuMerge merge;
    merge.op = merge_;
    merge.dtype = first.dtype();
    merge.out = sum->raw_data();
    merge.count = first.num_elements();
    for (int i = 0; i < ctx.num_inputs(); ++i) merge.in.push_back(ctx.input(i).raw_data());
    return MergeOnGpu(stream, merge);
  }

 private:
  MergeOp merge_ = MergeOp::kAdd;
};

// Each consumer gets a copy on its own device by itself.
Status PassOn(KernelContext& ctx, const Nothing&) {
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

Status OnlyOfSums(GradContext& c, const char* op) {
  WB_ASSIGN_OR_RETURN(const std::string reduction, c.attr<std::string>("reduction"));
  if (reduction == "sum") return OkStatus();
  return Unimplemented("No gradient defined for ", op, " except for reduction=\"sum\".");
}

Status NcclAllReduceGradient(GradContext& c) {
  WB_RETURN_IF_ERROR(OnlyOfSums(c, "NcclAllReduce"));
  WB_ASSIGN_OR_RETURN(const std::string shared_name, c.attr<std::string>("shared_name"));
  WB_ASSIGN_OR_RETURN(const int64_t num_devices, c.attr<int64_t>("num_devices"));
  c.set_dx(0, c.Emit("NcclAllReduce", {c.dy(0)},
                     {{"reduction", std::string("sum")},
                      {"num_devices", num_devices},
                      {"shared_name", shared_name + "_grad"}}));
  return OkStatus();
}

Status NcclReduceGradient(GradContext& c) {
  WB_RETURN_IF_ERROR(OnlyOfSums(c, "NcclReduce"));
  for (int i = 0; i < c.num_inputs(); ++i) c.set_dx(i, c.dy(0));
  return OkStatus();
}

Status NcclBroadcastGradient(GradContext& c) {
  c.set_dx(0, c.dy(0));
  return OkStatus();
}

WB_OP("NcclAllReduce")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Output("data: T")
    .Attr("reduction: {'min', 'max', 'prod', 'sum'}")
    .Attr("T: {half, float, double, int32, int64}")
    .Attr("num_devices: int")
    .Attr("shared_name: string")
    .Stateful()
    .Shape(shapes::Unchanged);
WB_KERNEL("NcclAllReduce", NcclAllReduceKernel).Cpu().Gpu().Async().Unbounded();
WB_GPU_KERNEL("NcclAllReduce", NcclAllReduceKernel);
WB_GRADIENT("NcclAllReduce", NcclAllReduceGradient);

WB_OP("NcclReduce")
    .Input("input: num_devices * T")
    .Output("data: T")
    .Attr("reduction: {'min', 'max', 'prod', 'sum'}")
    .Attr("T: {half, float, double, int32, int64}")
    .Attr("num_devices: int >= 1")
    .Stateful()
    .Shape(shapes::MergeInputs);
WB_KERNEL("NcclReduce", NcclReduceKernel).Cpu().Gpu();
WB_GPU_KERNEL("NcclReduce", NcclReduceOnGpu);
WB_GRADIENT("NcclReduce", NcclReduceGradient);

WB_OP("NcclBroadcast")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, float, double, int32, int64}")
    .Attr("shape: shape")
    .Stateful()
    .Shape(DeclaredShape);
WB_KERNEL("NcclBroadcast", HandOnKernel<FunctionOp<PassOn>>).Cpu().Gpu().Cheap();
WB_GPU_KERNEL("NcclBroadcast", HandOnKernelOnGpu<FunctionOp<PassOn>>);
WB_GRADIENT("NcclBroadcast", NcclBroadcastGradient);

}  // namespace
}  // namespace warpbeam
