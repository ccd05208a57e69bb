// MultiDeviceIteratorResource: one dataset whose elements go to several devices in turn: element k
// to shard k modulo the number of devices.
//
//   WB_ASSIGN_OR_RETURN(int64_t incarnation, iterator->Init(dataset, 2, functions, resources));
//   iterator->GetNextFromShard(0, incarnation, ctx.step(), done);
//   iterator->GetNextOnDeviceAsync(1, ctx.device(), /*buffer_size=*/2, ctx.step(), done);
//
// Each shard is read ahead by a thread, which makes an element when it is the shard's turn; so a
// shard that nobody reads stops the others once it is full. The threads start with the first
// request to any of them.
//
// Ownership: the session's ResourceStore, and steps while they use it. Init ends what was read
// before. Thread safety: any thread. Errors: INVALID_ARGUMENT for a dataset that is not what the
// iterator declares, for a shard that there is not and for an earlier incarnation;
// FAILED_PRECONDITION before Init and where a shard's elements are asked for in two places.
#ifndef WARPBEAM_OPS_DATA_ITERATOR_MULTI_DEVICE_ITERATOR_RESOURCE_H_
#define WARPBEAM_OPS_DATA_ITERATOR_MULTI_DEVICE_ITERATOR_RESOURCE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ops/data/iterator/device_elements.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

class MultiDeviceIteratorResource final : public Resource {
 public:
  MultiDeviceIteratorResource(ElementSpec spec, size_t num_shards)
      : spec_(std::move(spec)), num_shards_(num_shards) {}

  std::string DebugString() const override { return "an iterator for several devices"; }
  const ElementSpec& spec() const { return spec_; }
  size_t num_shards() const { return num_shards_; }

  // Begins at the dataset's first element. Shards are read up to `max_buffer_size` elements ahead.
  // What it returns names this pass over the data: 1, 2, ….
  StatusOr<int64_t> Init(DatasetRef dataset, int64_t max_buffer_size, FunctionRunner* functions,
                         ResourceStore* resources);
  void GetNextFromShard(int64_t shard, int64_t incarnation, StepContext* step,
                        ElementBuffer::Done done);
  // Asks the latest incarnation; `buffer_size` as in DeviceElements::Open.
  void GetNextOnDeviceAsync(int64_t shard, Device* device, int64_t buffer_size, StepContext* step,
                            ElementBuffer::Done done);

 private:
  class Shards;
  // `shard` of what is being read now.
  StatusOr<std::shared_ptr<Shards>> Find(int64_t shard, int64_t* incarnation);

  const ElementSpec spec_;
  const size_t num_shards_;
  std::mutex mutex_;  // of what follows
  std::shared_ptr<Shards> shards_;
  int64_t incarnation_ = 0;
};

// The iterator that input `i`, a handle, names.
StatusOr<std::shared_ptr<MultiDeviceIteratorResource>> FindMultiDeviceIterator(
    const KernelContext& ctx, int i);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_ITERATOR_MULTI_DEVICE_ITERATOR_RESOURCE_H_
