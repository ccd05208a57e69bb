#include "ops/data/iterator/iterator_resource.h"

#include <utility>

#include "ops/data/anonymous_resource.h"
#include "runtime/kernel/takings.h"

namespace warpbeam {

Status IteratorResource::SetDataset(DatasetRef dataset, FunctionRunner* functions,
                                    ResourceStore* resources) {
  if (!spec_.types.empty()) WB_RETURN_IF_ERROR(spec_.CheckCompatible(dataset->spec()));
  IteratorState state = BeginningOf(*dataset);
  const DatasetRef read = dataset;
  return Begin(std::move(dataset), read, std::move(state), functions, resources);
}

StatusOr<IteratorState> IteratorResource::Save(const FunctionLibrary* checked) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (pipeline_ == nullptr) {
    return FailedPrecondition(
        "Save() failed because the iterator has not been initialized. Ensure that you have run the "
        "initializer operation for this iterator before saving it.");
  }
  if (checked != nullptr) WB_RETURN_IF_ERROR(CheckNoExternalState(*dataset_, *checked));
  return state_;
}

Status IteratorResource::Restore(const IteratorState& state, FunctionRunner* functions,
                                 ResourceStore* resources) {
  DatasetRef dataset;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    dataset = dataset_;
  }
  if (dataset == nullptr) {
    return FailedPrecondition(
        "Restore() failed because the iterator has not been initialized. Ensure that you have run "
        "the initializer operation for this iterator before restoring it.");
  }
  WB_RETURN_IF_ERROR(ApplySeeds(state, *dataset));
  return Begin(dataset, ContinuedDataset(dataset, state.taken), state, functions, resources);
}

Status IteratorResource::Begin(DatasetRef dataset, const DatasetRef& read, IteratorState state,
                               FunctionRunner* functions, ResourceStore* resources) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Pipeline> pipeline,
                      Pipeline::Open(read, functions, resources));
  std::shared_ptr<DeviceElements> on_device;
  std::deque<Element> returned;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    returned_.swap(returned);
    pipeline_.swap(pipeline);
    on_device_.swap(on_device);
    dataset_.swap(dataset);
    state_ = std::move(state);
    place_ = Place::kNone;
  }
  // The old ones end here, outside the lock: their threads may take a while. Who reads goes first.
  on_device.reset();
  pipeline.reset();
  return OkStatus();
}

StatusOr<std::shared_ptr<Pipeline>> IteratorResource::OnHost() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (pipeline_ == nullptr) {
    return FailedPrecondition(
        "the iterator has not been initialized: run its initializer "
        "(MakeIterator) before asking for its next element");
  }
  if (place_ == Place::kDevice) return ElementsAreElsewhere(on_device_->device());
  place_ = Place::kHost;
  return pipeline_;
}

StatusOr<std::shared_ptr<DeviceElements>> IteratorResource::OnDevice(Device* device,
                                                                     int64_t buffer_size) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (pipeline_ == nullptr) {
    return FailedPrecondition(
        "the iterator has not been initialized: run its initializer "
        "(MakeIterator) before asking for its next element");
  }
  if (place_ == Place::kHost) return ElementsAreElsewhere(nullptr);
  if (on_device_ == nullptr) {
    DeviceElements::Source source = [pipeline = pipeline_](StepContext* step, Pipeline::Done done) {
      pipeline->GetNextAsync(step, std::move(done));
    };
    WB_ASSIGN_OR_RETURN(on_device_,
                        DeviceElements::Open(dataset_, std::move(source), device, buffer_size));
    place_ = Place::kDevice;
  }
  if (on_device_->device() != device) return ElementsAreElsewhere(on_device_->device());
  return on_device_;
}

void IteratorResource::GetNextAsync(StepContext* step, Pipeline::Done done) {
  const StatusOr<std::shared_ptr<Pipeline>> pipeline = OnHost();
  if (!pipeline.ok()) return done(pipeline.status(), false, {});
  if (const auto takings = Takings::Of(step)) {
    done = [takings, self = shared_from_this(), from = std::weak_ptr<Pipeline>(*pipeline),
            done = std::move(done)](Status s, bool end, Element element) {
      if (s.ok() && !end) takings->Add([self, from, element] { self->Return(from, element); });
      done(std::move(s), end, std::move(element));
    };
  }
  done = Counted(*pipeline, std::move(done));
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!returned_.empty() && pipeline_ == *pipeline) {
      Element element = std::move(returned_.front());
      returned_.pop_front();
      lock.unlock();
      return done(OkStatus(), false, std::move(element));
    }
  }
  (*pipeline)->GetNextAsync(step, std::move(done));
}

Pipeline::Done IteratorResource::Counted(const std::weak_ptr<Pipeline>& from, Pipeline::Done done) {
  return [self = shared_from_this(), from, done = std::move(done)](Status s, bool end,
                                                                   Element element) {
    // An element that is an error has been passed over, too.
    if (!end && !IsCancelled(s)) {
      std::lock_guard<std::mutex> lock(self->mutex_);
      if (self->pipeline_ != nullptr && from.lock() == self->pipeline_) ++self->state_.taken;
    }
    done(std::move(s), end, std::move(element));
  };
}

void IteratorResource::Return(const std::weak_ptr<Pipeline>& from, Element element) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (pipeline_ == nullptr || from.lock() != pipeline_) return;
  returned_.push_front(std::move(element));
  --state_.taken;
}

void IteratorResource::GetNextOnDeviceAsync(Device* device, int64_t buffer_size, StepContext* step,
                                            Pipeline::Done done) {
  const StatusOr<std::shared_ptr<DeviceElements>> elements = OnDevice(device, buffer_size);
  if (!elements.ok()) return done(elements.status(), false, {});
  (*elements)->GetNextAsync(step, std::move(done));
}

Status ElementsAreElsewhere(const Device* device) {
  return FailedPrecondition(
      "the elements of this iterator are read ahead to one place, and here they are asked for in "
      "another; give each device its own part with MultiDeviceIterator, or initialize the iterator "
      "again. They go to ",
      device == nullptr ? std::string("host memory") : device->name().ToString());
}

void IteratorResource::Close() {
  DatasetRef dataset;
  std::shared_ptr<Pipeline> pipeline;
  std::shared_ptr<DeviceElements> on_device;
  std::deque<Element> returned;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    returned_.swap(returned);
    pipeline_.swap(pipeline);
    on_device_.swap(on_device);
    dataset_.swap(dataset);
    place_ = Place::kNone;
  }
  on_device.reset();  // who reads goes first
}

Status IteratorPlace::Init(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(container_, init.attr<std::string>("container"));
  WB_ASSIGN_OR_RETURN(name_, init.attr<std::string>("shared_name"));
  is_private_ = name_.empty();
  if (is_private_) name_ = UniqueResourceName(absl::StrCat("_", init.node_name, "_"));
  return OkStatus();
}

void IteratorPlace::Keep(const std::shared_ptr<IteratorResource>& iterator) {
  if (!is_private_) return;
  std::lock_guard<std::mutex> lock(mutex_);
  iterator_ = iterator;
}

IteratorPlace::~IteratorPlace() {
  if (const std::shared_ptr<IteratorResource> iterator = iterator_.lock()) iterator->Close();
}

StatusOr<std::shared_ptr<IteratorResource>> FindIterator(const KernelContext& ctx, int i) {
  WB_ASSIGN_OR_RETURN(const ResourceHandle handle, HandleFromTensor(ctx.input(i)));
  if (ctx.resources() == nullptr) return FailedPrecondition("there is no store of resources here");
  return ctx.resources()->Lookup<IteratorResource>(handle);
}

Tensor IteratorHandle(const Device* device, const std::string& container, const std::string& name) {
  return HandleTensor(MakeResourceHandle<IteratorResource>("", container, name, "Iterator"),
                      device);
}

Status EndOfSequence() { return OutOfRange("End of sequence"); }

}  // namespace warpbeam
