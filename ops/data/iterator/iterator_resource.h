// IteratorResource: what an iterator op's handle names: the pipeline that is being read, if any.
//
//   WB_ASSIGN_OR_RETURN(auto iterator, FindIterator(ctx, 0));
//   WB_RETURN_IF_ERROR(iterator->SetDataset(dataset, ctx.functions(), ctx.resources()));
//   iterator->GetNextAsync(ctx.step(), [](Status s, bool end, Element element) { … });
//
// GetNextOnDeviceAsync gives elements that lie on a device and are read ahead to there. A
// pipeline's elements go to one place: the first who asks says which.
//
// Ownership: the session's ResourceStore, and steps while they use it. A new dataset ends the
// pipeline before it; elements that somebody waits for then are answered with CANCELLED. Thread
// safety: any thread. Errors: INVALID_ARGUMENT for a dataset whose elements are not what the
// iterator declares; FAILED_PRECONDITION for elements asked for before there is a dataset, or in
// two places.
#ifndef WARPBEAM_OPS_DATA_ITERATOR_ITERATOR_RESOURCE_H_
#define WARPBEAM_OPS_DATA_ITERATOR_ITERATOR_RESOURCE_H_

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ops/data/iterator/device_elements.h"
#include "ops/data/iterator/iterator_state.h"
#include "ops/data/pipeline.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

class IteratorResource final : public Resource,
                               public std::enable_shared_from_this<IteratorResource> {
 public:
  explicit IteratorResource(ElementSpec spec) : spec_(std::move(spec)) {}

  std::string DebugString() const override { return "an iterator"; }
  const ElementSpec& spec() const { return spec_; }
  Status SetDataset(DatasetRef dataset, FunctionRunner* functions, ResourceStore* resources);
  // A step that its deadline ends has taken nothing: its elements go to those who ask next.
  void GetNextAsync(StepContext* step, Pipeline::Done done);
  // `buffer_size` as in DeviceElements::Open; that of the pipeline's first element counts.
  void GetNextOnDeviceAsync(Device* device, int64_t buffer_size, StepContext* step,
                            Pipeline::Done done);
  // How far the iterator has come; FAILED_PRECONDITION before it has a dataset, and where the
  // dataset has functions with a state of their own in `checked`, which may be null.
  StatusOr<IteratorState> Save(const FunctionLibrary* checked);
  // Goes on from there with the iterator's own dataset.
  Status Restore(const IteratorState& state, FunctionRunner* functions, ResourceStore* resources);
  // Ends the pipeline; without another dataset there are no more elements.
  void Close();

 private:
  // Reads `read` from now on, which gives what is left of `dataset` in `state`.
  Status Begin(DatasetRef dataset, const DatasetRef& read, IteratorState state,
               FunctionRunner* functions, ResourceStore* resources);
  // `done`, which counts what is given out.
  Pipeline::Done Counted(const std::weak_ptr<Pipeline>& from, Pipeline::Done done);
  // Undoes a GetNextAsync; nothing when the pipeline is not the iterator's any more.
  void Return(const std::weak_ptr<Pipeline>& from, Element element);
  enum class Place { kNone, kHost, kDevice };
  StatusOr<std::shared_ptr<Pipeline>> OnHost();
  StatusOr<std::shared_ptr<DeviceElements>> OnDevice(Device* device, int64_t buffer_size);

  const ElementSpec spec_;  // empty: anything
  std::mutex mutex_;        // of what follows
  DatasetRef dataset_;
  std::shared_ptr<Pipeline> pipeline_;
  Place place_ = Place::kNone;  // where the pipeline's elements go
  std::shared_ptr<DeviceElements> on_device_;
  IteratorState state_;           // at the beginning, but for `taken`
  std::deque<Element> returned_;  // of the pipeline, before all that it still has
};

// Why elements cannot be given out here as well as there.
Status ElementsAreElsewhere(const Device* device);

// The iterator that input `i`, a handle, names.
StatusOr<std::shared_ptr<IteratorResource>> FindIterator(const KernelContext& ctx, int i);

// Where a node's iterator is found: under the name that it shares, or, with an empty one, under a
// name that no other kernel has. Then no other session reads the iterator, and its pipeline ends
// with the kernel.
class IteratorPlace {
 public:
  ~IteratorPlace();
  Status Init(const KernelInit& init);
  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }
  // The iterator is this place's.
  void Keep(const std::shared_ptr<IteratorResource>& iterator);

 private:
  std::string container_, name_;
  bool is_private_ = false;
  std::mutex mutex_;
  std::weak_ptr<IteratorResource> iterator_;
};

// The handle of an iterator on that device, which may be null, as ops give it out.
Tensor IteratorHandle(const Device* device, const std::string& container, const std::string& name);

// The end of the sequence, as ops that give out elements report it.
Status EndOfSequence();

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_ITERATOR_ITERATOR_RESOURCE_H_
