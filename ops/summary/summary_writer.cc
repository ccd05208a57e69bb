// SummaryWriter, CreateSummaryFileWriter, FlushSummaryWriter, CloseSummaryWriter: event files that
// steps write, from the handle to the end.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/queue/named_resource.h"
#include "ops/summary/summary_file.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Only the handle: CreateSummaryFileWriter makes what it names.
class SummaryWriterKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto handle = MakeResourceHandle<SummaryFile>(
        init.device == nullptr ? "" : init.device->name().ToString(),
        init.attrs.GetOr<std::string>("container", ""),
        init.attrs.GetOr<std::string>("shared_name", ""), "SummaryWriter");
    if (handle.name.empty()) handle.name = init.node_name;
    auto kernel = std::make_unique<SummaryWriterKernel>();
    kernel->handle_ = Tensor::Scalar<ResourceHandle>(std::move(handle));
    return kernel;
  }
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, handle_);
    return OkStatus();
  }

 private:
  Tensor handle_;
};

StatusOr<std::shared_ptr<SummaryFile>> Find(const KernelContext& ctx) {
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  WB_ASSIGN_OR_RETURN(const ResourceHandle handle, ReadHandle(ctx, 0));
  return ctx.resources()->Lookup<SummaryFile>(handle);
}

Status CheckScalar(const KernelContext& ctx, int input, const char* argument) {
  if (ctx.input(input).rank() == 0) return OkStatus();
  return InvalidArgument(argument, " must be a scalar, not of shape ",
                         ctx.input(input).shape().ToString());
}

// A writer that is there already stays.
Status RunCreate(KernelContext& ctx) {
  if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
  WB_ASSIGN_OR_RETURN(const ResourceHandle handle, ReadHandle(ctx, 0));
  WB_RETURN_IF_ERROR(CheckScalar(ctx, 1, "logdir"));
  WB_RETURN_IF_ERROR(CheckScalar(ctx, 2, "max_queue"));
  WB_RETURN_IF_ERROR(CheckScalar(ctx, 3, "flush_millis"));
  WB_RETURN_IF_ERROR(CheckScalar(ctx, 4, "filename_suffix"));
  return ctx.resources()
      ->LookupOrCreate<SummaryFile>(
          handle,
          [&] {
            return SummaryFile::Open(
                ctx.input(1).scalar<std::string>(),
                {ctx.input(2).scalar<int32_t>(), ctx.input(3).scalar<int32_t>(),
                 ctx.input(4).scalar<std::string>()});
          })
      .status();
}

Status RunFlush(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<SummaryFile> file, Find(ctx));
  return file->Flush();
}

// Kernels may remember the resource: the file ends now.
Status RunClose(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<SummaryFile> file, Find(ctx));
  WB_ASSIGN_OR_RETURN(const ResourceHandle handle, ReadHandle(ctx, 0));
  WB_RETURN_IF_ERROR(ctx.resources()->Delete(handle));
  return file->Close();
}

WB_OP("SummaryWriter")
    .Output("writer: resource")
    .Attr("shared_name: string = ''")
    .Attr("container: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("SummaryWriter", SummaryWriterKernel).Cpu().Cheap();

WB_OP("CreateSummaryFileWriter")
    .Input("writer: resource")
    .Input("logdir: string")
    .Input("max_queue: int32")
    .Input("flush_millis: int32")
    .Input("filename_suffix: string")
    .Stateful()
    .Needs(Capability::kWriteFile)
    .Shape(shapes::NoOutputs);
WB_KERNEL("CreateSummaryFileWriter", FunctionKernel<RunCreate>).Cpu();

WB_OP("FlushSummaryWriter").Input("writer: resource").Stateful().Shape(shapes::NoOutputs);
WB_KERNEL("FlushSummaryWriter", FunctionKernel<RunFlush>).Cpu();

WB_OP("CloseSummaryWriter").Input("writer: resource").Stateful().Shape(shapes::NoOutputs);
WB_KERNEL("CloseSummaryWriter", FunctionKernel<RunClose>).Cpu();

}  // namespace
}  // namespace warpbeam
