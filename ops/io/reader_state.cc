// ReaderNumRecordsProduced, ReaderNumWorkUnitsCompleted, ReaderReset, ReaderSerializeState,
// ReaderRestoreState and their V2: what a reader has done so far.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/io/reader.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <Status (*Run)(KernelContext&, Reader&)>
class ReaderStateKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ReaderStateKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<Reader> reader, finder_.Find(ctx, 0));
    return Run(ctx, *reader);
  }

 private:
  ResourceFinder<Reader> finder_;
};

Status RunRecords(KernelContext& ctx, Reader& reader) {
  ctx.set_output(0, Tensor::Scalar<int64_t>(reader.records_produced()));
  return OkStatus();
}
Status RunUnits(KernelContext& ctx, Reader& reader) {
  ctx.set_output(0, Tensor::Scalar<int64_t>(reader.work_units_completed()));
  return OkStatus();
}
Status RunReset(KernelContext&, Reader& reader) {
  reader.Reset();
  return OkStatus();
}
Status RunSerialize(KernelContext& ctx, Reader& reader) {
  WB_ASSIGN_OR_RETURN(std::string state, reader.Serialize());
  ctx.set_output(0, Tensor::Scalar<std::string>(std::move(state)));
  return OkStatus();
}
Status RunRestore(KernelContext& ctx, Reader& reader) {
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("Reader state must be scalar, but had shape: ",
                           ctx.input(1).shape().ToString());
  }
  return reader.Restore(ctx.input(1).scalar<std::string>());
}

Status RestoreShape(ShapeContext& c) { return c.WithRank(1, 0).status(); }

using RecordsKernel = ReaderStateKernel<RunRecords>;
using UnitsKernel = ReaderStateKernel<RunUnits>;
using ResetKernel = ReaderStateKernel<RunReset>;
using SerializeKernel = ReaderStateKernel<RunSerialize>;
using RestoreKernel = ReaderStateKernel<RunRestore>;

WB_OP("ReaderNumRecordsProduced")
    .Effect(StateEffect::kRead)
    .Input("reader_handle: Ref(string)")
    .Output("records_produced: int64")
    .Shape(shapes::Scalar);
WB_OP("ReaderNumRecordsProducedV2")
    .Effect(StateEffect::kRead)
    .Input("reader_handle: resource")
    .Output("records_produced: int64")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("ReaderNumRecordsProduced", RecordsKernel).Cpu().Cheap();
WB_KERNEL("ReaderNumRecordsProducedV2", RecordsKernel).Cpu().Cheap();
WB_NO_GRADIENT("ReaderNumRecordsProduced");

WB_OP("ReaderNumWorkUnitsCompleted")
    .Effect(StateEffect::kRead)
    .Input("reader_handle: Ref(string)")
    .Output("units_completed: int64")
    .Shape(shapes::Scalar);
WB_OP("ReaderNumWorkUnitsCompletedV2")
    .Effect(StateEffect::kRead)
    .Input("reader_handle: resource")
    .Output("units_completed: int64")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("ReaderNumWorkUnitsCompleted", UnitsKernel).Cpu().Cheap();
WB_KERNEL("ReaderNumWorkUnitsCompletedV2", UnitsKernel).Cpu().Cheap();
WB_NO_GRADIENT("ReaderNumWorkUnitsCompleted");

WB_OP("ReaderReset").Input("reader_handle: Ref(string)").Shape(shapes::NoOutputs);
WB_OP("ReaderResetV2").Input("reader_handle: resource").Stateful().Shape(shapes::NoOutputs);
WB_KERNEL("ReaderReset", ResetKernel).Cpu().Cheap();
WB_KERNEL("ReaderResetV2", ResetKernel).Cpu().Cheap();
WB_NO_GRADIENT("ReaderReset");

WB_OP("ReaderSerializeState")
    .Effect(StateEffect::kRead)
    .Input("reader_handle: Ref(string)")
    .Output("state: string")
    .Shape(shapes::Scalar);
WB_OP("ReaderSerializeStateV2")
    .Effect(StateEffect::kRead)
    .Input("reader_handle: resource")
    .Output("state: string")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("ReaderSerializeState", SerializeKernel).Cpu().Cheap();
WB_KERNEL("ReaderSerializeStateV2", SerializeKernel).Cpu().Cheap();
WB_NO_GRADIENT("ReaderSerializeState");

WB_OP("ReaderRestoreState")
    .Input("reader_handle: Ref(string)")
    .Input("state: string")
    .Shape(RestoreShape);
WB_OP("ReaderRestoreStateV2")
    .Input("reader_handle: resource")
    .Input("state: string")
    .Stateful()
    .Shape(RestoreShape);
WB_KERNEL("ReaderRestoreState", RestoreKernel).Cpu();
WB_KERNEL("ReaderRestoreStateV2", RestoreKernel).Cpu();
WB_NO_GRADIENT("ReaderRestoreState");

}  // namespace
}  // namespace warpbeam
