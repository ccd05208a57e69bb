// DrainKernel: the kernel of an op that reads a dataset by itself, without an iterator op.
//
// It reads in a thread of its own, so that neither a slow source nor a long sequence holds a thread
// of the executor; the step's cancellation is the pipeline's.
//
//   class SumKernel final : public DrainKernel {
//     Status Drain(KernelContext& ctx, PipelineContext& pipeline,
//                        DatasetIterator& input) override;
//   };
//
// Ownership: as Kernel; its destructor joins the threads. Thread safety: Drain may run on several
// threads at once. Errors: those of the pipeline and of Drain.
#ifndef WARPBEAM_OPS_DATA_DRAIN_KERNEL_H_
#define WARPBEAM_OPS_DATA_DRAIN_KERNEL_H_

#include "ops/data/dataset_kernel.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {

class DrainKernel : public AsyncKernel {
 public:
  virtual Status Init(KernelInit& init);
  // Input 0 is the dataset.
  void ComputeAsync(KernelContext& ctx, Done done) override;

 protected:
  virtual Status Drain(KernelContext& ctx, PipelineContext& pipeline, DatasetIterator& input) = 0;
  const ElementSpec& spec() const { return spec_; }

 private:
  Status Run(KernelContext& ctx, const Dataset& dataset);

  ElementSpec spec_;
  CallThreads threads_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_DRAIN_KERNEL_H_
