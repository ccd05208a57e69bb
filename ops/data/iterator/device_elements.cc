#include "ops/data/iterator/device_elements.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

// Elements that are read ahead without being asked for may take one part in so many of the device's
// memory.
constexpr int64_t kMostPartOfMemory = 16;

// What the source has answered; the answer may come on another thread.
struct Answer {
  std::mutex mutex;
  std::condition_variable given;
  bool is_given = false;
  Status status;
  bool end = false;
  Element element;
};

class CopyingIterator final : public DatasetIterator {
 public:
  CopyingIterator(DeviceElements::Source source, PipelineContext& pipeline, Device* device,
                  std::unique_ptr<Stream> stream)
      : source_(std::move(source)),
        pipeline_(pipeline),
        device_(device),
        stream_(std::move(stream)) {}

  Status GetNext(Element* element, bool* end) override {
    // Cancelled, the source answers at once.
    const auto answer = std::make_shared<Answer>();
    source_(&pipeline_.cancellation(), [answer](Status status, bool ended, Element got) {
      std::lock_guard<std::mutex> lock(answer->mutex);
      answer->status = std::move(status);
      answer->end = ended;
      answer->element = std::move(got);
      answer->is_given = true;
      answer->given.notify_one();
    });
    {
      std::unique_lock<std::mutex> lock(answer->mutex);
      answer->given.wait(lock, [&] { return answer->is_given; });
    }
    WB_RETURN_IF_ERROR(answer->status);
    *end = answer->end;
    if (*end) return OkStatus();
    *element = std::move(answer->element);
    return stream_ == nullptr ? OkStatus() : Copy(element);
  }

 private:
  Status Copy(Element* element) {
    Element copies;
    for (const Tensor& host : *element) {
      if (!IsPlainData(host.dtype())) {
        copies.push_back(host);
        continue;
      }
      WB_ASSIGN_OR_RETURN(Tensor copy,
                          Tensor::Allocate(host.dtype(), host.shape(), device_->allocator()));
      copies.push_back(std::move(copy));
    }
    if (Status s = Enqueue(*element, copies); !s.ok()) {
      // What has been enqueued may still read and write both.
      stream_->Synchronize().IgnoreError();
      return s;
    }
    WB_RETURN_IF_ERROR(stream_->Synchronize());
    *element = std::move(copies);
    return OkStatus();
  }

  Status Enqueue(const Element& from, Element& to) {
    // Memory is given out in the order of the compute stream: until there, it is another's.
    WB_RETURN_IF_ERROR(device_->OrderBehindKernels(*stream_));
    for (size_t i = 0; i < from.size(); ++i) {
      if (!IsPlainData(from[i].dtype())) continue;
      WB_RETURN_IF_ERROR(stream_->Copy(to[i].raw_data(), from[i].raw_data(), from[i].bytes()));
    }
    return OkStatus();
  }

  const DeviceElements::Source source_;
  PipelineContext& pipeline_;
  Device* const device_;
  const std::unique_ptr<Stream> stream_;  // null where the device's memory is the host's
};

}  // namespace

StatusOr<std::unique_ptr<DeviceElements>> DeviceElements::Open(DatasetRef dataset, Source source,
                                                               Device* device,
                                                               int64_t buffer_size) {
  if (device == nullptr) return FailedPrecondition("there is no device to read elements ahead to");
  if (buffer_size < 0 && buffer_size != Dataset::kAutotune) {
    return InvalidArgument("buffer_size must be >= 0, or -1 to choose it by itself, got ",
                           buffer_size);
  }
  std::unique_ptr<Stream> stream;
  if (device->type() != DeviceType::kCpu) {
    WB_ASSIGN_OR_RETURN(stream, device->NewStream());
  }
  ElementBuffer::Options options;
  options.capacity = buffer_size == Dataset::kAutotune ? kFirstAhead : buffer_size;
  if (buffer_size == Dataset::kAutotune) {
    options.max_capacity = kMostAhead;
    if (stream != nullptr) options.max_bytes = device->memory_limit() / kMostPartOfMemory;
  }
  auto context = std::make_unique<PipelineContext>(nullptr, nullptr, &PoolAllocator::Process());
  auto input =
      std::make_unique<CopyingIterator>(std::move(source), *context, device, std::move(stream));
  std::unique_ptr<DeviceElements> elements(new DeviceElements(device));
  elements->buffer_ = std::make_unique<ElementBuffer>(std::move(dataset), std::move(context),
                                                      std::move(input), options);
  return elements;
}

}  // namespace warpbeam
