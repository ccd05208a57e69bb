#include "ops/data/iterator/multi_device_iterator_resource.h"

#include <condition_variable>
#include <utility>

#include "ops/data/anonymous_resource.h"
#include "ops/data/iterator/iterator_resource.h"
#include "ops/data/pipeline.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

// The dataset's iterator, which shards ask in turn.
class SharedIterator {
 public:
  static StatusOr<std::shared_ptr<SharedIterator>> Open(DatasetRef dataset,
                                                        FunctionRunner* functions,
                                                        ResourceStore* resources,
                                                        size_t num_shards) {
    auto shared = std::make_shared<SharedIterator>();
    shared->num_shards_ = num_shards;
    shared->dataset_ = std::move(dataset);
    shared->context_ = std::make_unique<PipelineContext>(
        functions == nullptr ? nullptr : functions->Clone(), resources, &PoolAllocator::Process());
    WB_ASSIGN_OR_RETURN(shared->iterator_, shared->dataset_->MakeIterator(*shared->context_));
    return shared;
  }

  Status GetNext(size_t shard, Element* element, bool* end) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      turn_changed_.wait(lock,
                         [&] { return turn_ == shard || has_ended_ || context_->IsCancelled(); });
      *end = has_ended_;
      if (*end) return OkStatus();
      if (context_->IsCancelled()) return context_->cancel_reason();
    }
    // Nobody else is here while it is this shard's turn.
    Status status = iterator_->GetNext(element, end);
    if (!status.ok()) *end = false;
    std::lock_guard<std::mutex> lock(mutex_);
    has_ended_ = *end;
    turn_ = (turn_ + 1) % num_shards_;
    turn_changed_.notify_all();
    return status;
  }

  void Cancel() {
    context_->Cancel();
    std::lock_guard<std::mutex> lock(mutex_);
    turn_changed_.notify_all();
  }

 private:
  size_t num_shards_ = 1;
  DatasetRef dataset_;
  std::unique_ptr<PipelineContext> context_;
  std::unique_ptr<DatasetIterator> iterator_;  // belongs to the shard whose turn it is
  std::mutex mutex_;
  std::condition_variable turn_changed_;
  size_t turn_ = 0;         // guarded by mutex_
  bool has_ended_ = false;  // guarded by mutex_
};

class ShardIterator final : public DatasetIterator {
 public:
  ShardIterator(std::shared_ptr<SharedIterator> shared, size_t shard)
      : shared_(std::move(shared)), shard_(shard) {}
  Status GetNext(Element* element, bool* end) override {
    return shared_->GetNext(shard_, element, end);
  }

 private:
  const std::shared_ptr<SharedIterator> shared_;
  const size_t shard_;
};

Status NoSuchShard(int64_t shard, size_t num_shards) {
  return InvalidArgument("the iterator has shards 0 to ", num_shards - 1, ", not ", shard);
}

}  // namespace

// One incarnation.
class MultiDeviceIteratorResource::Shards {
 public:
  Shards(DatasetRef dataset, std::shared_ptr<SharedIterator> shared, size_t count,
         int64_t max_buffer_size)
      : dataset_(std::move(dataset)), shared_(std::move(shared)), shards_(count) {
    ElementBuffer::Options options;
    options.capacity = max_buffer_size;
    options.close_ms = Pipeline::kCloseMs;
    for (size_t i = 0; i < count; ++i) {
      auto context = std::make_unique<PipelineContext>(nullptr, nullptr, &PoolAllocator::Process());
      shards_[i].buffer = std::make_unique<ElementBuffer>(
          dataset_, std::move(context), std::make_unique<ShardIterator>(shared_, i), options);
    }
  }
  ~Shards() {
    shared_->Cancel();
    for (Shard& shard : shards_) shard.on_device.reset();
  }

  void GetNext(size_t shard, StepContext* step, ElementBuffer::Done done) {
    Status status;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (shards_[shard].on_device != nullptr) {
        status = ElementsAreElsewhere(shards_[shard].on_device->device());
      }
      shards_[shard].is_on_host = true;
    }
    if (status.ok()) status = StartAll();
    if (!status.ok()) return done(std::move(status), false, {});
    shards_[shard].buffer->GetNextAsync(step, std::move(done));
  }

  void GetNextOnDevice(size_t shard, Device* device, int64_t buffer_size, StepContext* step,
                       ElementBuffer::Done done) {
    StatusOr<DeviceElements*> elements = OnDevice(shard, device, buffer_size);
    if (elements.ok()) {
      if (Status s = StartAll(); !s.ok()) elements = s;
    }
    if (!elements.ok()) return done(elements.status(), false, {});
    (*elements)->GetNextAsync(step, std::move(done));
  }

 private:
  struct Shard {
    // Read by on_device, which goes first.
    std::unique_ptr<ElementBuffer> buffer;
    std::unique_ptr<DeviceElements> on_device;  // made once, under the lock
    bool is_on_host = false;                    // guarded by the lock
  };

  StatusOr<DeviceElements*> OnDevice(size_t shard, Device* device, int64_t buffer_size) {
    std::lock_guard<std::mutex> lock(mutex_);
    Shard& s = shards_[shard];
    if (s.is_on_host) return ElementsAreElsewhere(nullptr);
    if (s.on_device == nullptr) {
      DeviceElements::Source source = [buffer = s.buffer.get()](StepContext* step,
                                                                ElementBuffer::Done done) {
        buffer->GetNextAsync(step, std::move(done));
      };
      WB_ASSIGN_OR_RETURN(s.on_device,
                          DeviceElements::Open(dataset_, std::move(source), device, buffer_size));
    }
    if (s.on_device->device() != device) return ElementsAreElsewhere(s.on_device->device());
    return s.on_device.get();
  }

  Status StartAll() {
    for (Shard& shard : shards_) WB_RETURN_IF_ERROR(shard.buffer->Start());
    return OkStatus();
  }

  const DatasetRef dataset_;
  const std::shared_ptr<SharedIterator> shared_;
  std::mutex mutex_;
  std::vector<Shard> shards_;
};

StatusOr<int64_t> MultiDeviceIteratorResource::Init(DatasetRef dataset, int64_t max_buffer_size,
                                                    FunctionRunner* functions,
                                                    ResourceStore* resources) {
  if (max_buffer_size < 0) {
    return InvalidArgument("max_buffer_size must not be negative, got ", max_buffer_size);
  }
  WB_RETURN_IF_ERROR(spec_.CheckCompatible(dataset->spec()));
  WB_ASSIGN_OR_RETURN(std::shared_ptr<SharedIterator> shared,
                      SharedIterator::Open(dataset, functions, resources, num_shards_));
  auto shards =
      std::make_shared<Shards>(std::move(dataset), std::move(shared), num_shards_, max_buffer_size);
  int64_t incarnation;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    shards_.swap(shards);
    incarnation = ++incarnation_;
  }
  // The old ones end here, outside the lock: their threads may take a while.
  shards.reset();
  return incarnation;
}

StatusOr<std::shared_ptr<MultiDeviceIteratorResource::Shards>> MultiDeviceIteratorResource::Find(
    int64_t shard, int64_t* incarnation) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (shards_ == nullptr) {
    return FailedPrecondition(
        "the iterator has not been initialized: run its initializer "
        "(MultiDeviceIteratorInit) before asking for its next element");
  }
  if (shard < 0 || static_cast<uint64_t>(shard) >= num_shards_) {
    return NoSuchShard(shard, num_shards_);
  }
  *incarnation = incarnation_;
  return shards_;
}

void MultiDeviceIteratorResource::GetNextFromShard(int64_t shard, int64_t incarnation,
                                                   StepContext* step, ElementBuffer::Done done) {
  int64_t current = 0;
  const StatusOr<std::shared_ptr<Shards>> shards = Find(shard, &current);
  if (!shards.ok()) return done(shards.status(), false, {});
  if (incarnation != current) {
    return done(
        InvalidArgument("Invalid incarnation id. Provided: ", incarnation, "; Expected: ", current),
        false, {});
  }
  (*shards)->GetNext(static_cast<size_t>(shard), step, std::move(done));
}

void MultiDeviceIteratorResource::GetNextOnDeviceAsync(int64_t shard, Device* device,
                                                       int64_t buffer_size, StepContext* step,
                                                       ElementBuffer::Done done) {
  int64_t current = 0;
  const StatusOr<std::shared_ptr<Shards>> shards = Find(shard, &current);
  if (!shards.ok()) return done(shards.status(), false, {});
  (*shards)->GetNextOnDevice(static_cast<size_t>(shard), device, buffer_size, step,
                             std::move(done));
}

StatusOr<std::shared_ptr<MultiDeviceIteratorResource>> FindMultiDeviceIterator(
    const KernelContext& ctx, int i) {
  WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(i)));
  if (ctx.resources() == nullptr) return FailedPrecondition("there is no store of resources here");
  return ctx.resources()->Lookup<MultiDeviceIteratorResource>(handle);
}

}  // namespace warpbeam
