// OneShotIterator: an iterator over the dataset that a function makes, once; it needs no
// initializer.

#include <mutex>
#include <vector>

#include "ops/data/dataset_kernel.h"
#include "ops/data/iterator/iterator_resource.h"

namespace warpbeam {
namespace {

class OneShotIteratorKernel final : public AsyncKernel {
 public:
  Status Init(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(spec_, ReadElementSpec(init));
    WB_ASSIGN_OR_RETURN(factory_, init.attr<FunctionRef>("dataset_factory"));
    WB_RETURN_IF_ERROR(place_.Init(init));
    handle_ = IteratorHandle(init.device, place_.container(), place_.name());
    return OkStatus();
  }

  void ComputeAsync(KernelContext& ctx, Done done) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (state_ == State::kReady) {
        ctx.set_output(0, handle_);
      } else {
        waiting_.push_back({&ctx, std::move(done)});
        if (state_ == State::kBeingMade) return;
        state_ = State::kBeingMade;
        done = nullptr;
      }
    }
    if (done != nullptr) return done(OkStatus());
    MakeDataset(ctx);
  }

 private:
  enum class State { kNone, kBeingMade, kReady };
  struct Waiting {
    KernelContext* ctx;
    Done done;
  };

  void MakeDataset(KernelContext& ctx) {
    FunctionRunner* functions = ctx.functions();
    if (functions == nullptr) {
      return Finish(FailedPrecondition("there is nothing here to run the function '", factory_.name,
                                       "' with"));
    }
    StatusOr<FunctionRunner::Handle> factory = functions->Instantiate(factory_, "/device:CPU:0");
    if (!factory.ok()) return Finish(factory.status());
    functions->Run(*factory, ctx.step(), {},
                   [this, &ctx](Status status, std::vector<Tensor> results) {
                     if (status.ok()) status = Iterate(ctx, results);
                     Finish(std::move(status));
                   });
  }

  Status Iterate(KernelContext& ctx, const std::vector<Tensor>& results) {
    if (results.size() != 1) {
      return InvalidArgument("the dataset_factory '", factory_.name, "' returns ", results.size(),
                             " tensors instead of one dataset");
    }
    WB_ASSIGN_OR_RETURN(DatasetRef dataset, DatasetFromTensor(results[0]));
    auto iterator = std::make_shared<IteratorResource>(spec_);
    WB_RETURN_IF_ERROR(iterator->SetDataset(std::move(dataset), ctx.functions(), ctx.resources()));
    // Where another node shares the name and was first, its iterator is the one.
    WB_ASSIGN_OR_RETURN(
        const std::shared_ptr<IteratorResource> kept,
        ctx.resources()->LookupOrCreate<IteratorResource>(
            place_.container(), place_.name(),
            [&]() -> StatusOr<std::shared_ptr<IteratorResource>> { return iterator; }));
    place_.Keep(kept);
    return OkStatus();
  }

  // After an error the next step tries again.
  void Finish(Status status) {
    std::vector<Waiting> waiting;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      state_ = status.ok() ? State::kReady : State::kNone;
      waiting.swap(waiting_);
    }
    for (Waiting& w : waiting) {
      if (status.ok()) w.ctx->set_output(0, handle_);
      w.done(status);
    }
  }

  ElementSpec spec_;
  FunctionRef factory_;
  IteratorPlace place_;
  Tensor handle_;
  std::mutex mutex_;
  State state_ = State::kNone;
  std::vector<Waiting> waiting_;
};

WB_OP("OneShotIterator")
    .Role(OpRole::kDataset)
    .Output("handle: resource")
    .Attr("dataset_factory: func")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("OneShotIterator", KernelOf<OneShotIteratorKernel>).Cpu().Async();

}  // namespace
}  // namespace warpbeam
