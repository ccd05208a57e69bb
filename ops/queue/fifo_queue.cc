// FIFOQueue, FIFOQueueV2: rows come out in the order they went in. PaddingFIFOQueue and V2 take
// rows of different extents too and pad them to one shape where several are taken at once.
#include <algorithm>

#include "graph/op/op_registry.h"
#include "ops/queue/queue_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// A ring that grows by doubling.
class FifoQueue final : public Queue {
 public:
  using Queue::Queue;

 private:
  int64_t stored() const override { return static_cast<int64_t>(size_); }
  void Insert(Row row) override {
    if (size_ == ring_.size()) Grow();
    at(size_++) = std::move(row);
  }
  Row Remove() override {
    Row row = std::move(at(0));
    at(0).clear();
    begin_ = (begin_ + 1) & (ring_.size() - 1);
    --size_;
    return row;
  }
  void GiveBack(Rows rows) override {
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (size_ == ring_.size()) Grow();
      begin_ = (begin_ + ring_.size() - 1) & (ring_.size() - 1);
      ++size_;
      at(0) = std::move(*row);
    }
  }

  Row& at(size_t i) { return ring_[(begin_ + i) & (ring_.size() - 1)]; }
  void Grow() {
    std::vector<Row> larger(std::max<size_t>(16, ring_.size() * 2));
    for (size_t i = 0; i < size_; ++i) larger[i] = std::move(at(i));
    ring_ = std::move(larger);
    begin_ = 0;
  }

  std::vector<Row> ring_;  // a power of two of them
  size_t begin_ = 0;
  size_t size_ = 0;
};

struct FifoQueueKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(QueueSpec spec, ReadQueueSpec(init, "FIFOQueue"));
    WB_RETURN_IF_ERROR(CheckKnownShapes(spec));
    return NewQueueKernel(init, std::move(spec), &MakeQueue<FifoQueue>);
  }
};

struct PaddingFifoQueueKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(QueueSpec spec, ReadQueueSpec(init, "PaddingFIFOQueue"));
    if (spec.shapes.size() != spec.types.size()) {
      return InvalidArgument("Shapes must be provided for all components, but received ",
                             spec.shapes.size(), " for ", spec.types.size(), " components");
    }
    for (const PartialShape& s : spec.shapes) {
      if (!s.has_rank()) {
        return InvalidArgument("a PaddingFIFOQueue must know the rank of every component");
      }
    }
    return NewQueueKernel(init, std::move(spec), &MakeQueue<FifoQueue>);
  }
};

WB_OP("FIFOQueue")
    .Role(OpRole::kQueue)
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(QueueHandleShape);
WB_OP("FIFOQueueV2")
    .Role(OpRole::kQueue)
    .Output("handle: resource")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(QueueHandleShape);
WB_KERNEL("FIFOQueue", FifoQueueKernel).Cpu().Cheap();
WB_KERNEL("FIFOQueueV2", FifoQueueKernel).Cpu().Gpu().HostMemory({"handle"}).Cheap();

WB_OP("PaddingFIFOQueue")
    .Role(OpRole::kQueue)
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(QueueHandleShape);
WB_OP("PaddingFIFOQueueV2")
    .Role(OpRole::kQueue)
    .Output("handle: resource")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(QueueHandleShape);
WB_KERNEL("PaddingFIFOQueue", PaddingFifoQueueKernel).Cpu().Cheap();
WB_KERNEL("PaddingFIFOQueueV2", PaddingFifoQueueKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
