// PriorityQueue, PriorityQueueV2: the row with the smallest first component, an int64, comes out
// first. Rows of equal priority come in the order of the standard library's heap, as TensorFlow's.
#include <algorithm>

#include "graph/op/op_registry.h"
#include "ops/queue/queue_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class PriorityQueue final : public Queue {
 public:
  using Queue::Queue;
  bool KeepsRows() const override { return true; }
  bool TakesAtOnce() const override { return true; }

 private:
  struct Entry {
    int64_t priority;
    Row row;
  };
  static bool IsLater(const Entry& a, const Entry& b) { return a.priority > b.priority; }

  int64_t stored() const override { return static_cast<int64_t>(heap_.size()); }
  void Insert(Row row) override {
    const int64_t priority = row[0].scalar<int64_t>();
    heap_.push_back({priority, std::move(row)});
    std::push_heap(heap_.begin(), heap_.end(), IsLater);
  }
  Row Remove() override {
    std::pop_heap(heap_.begin(), heap_.end(), IsLater);
    Row row = std::move(heap_.back().row);
    heap_.pop_back();
    return row;
  }
  void GiveBack(Rows rows) override {
    for (Row& row : rows) Insert(std::move(row));
  }
  std::vector<Entry> heap_;
};

struct PriorityQueueKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(QueueSpec spec, ReadQueueSpec(init, "PriorityQueue"));
    WB_RETURN_IF_ERROR(CheckKnownShapes(spec));
    if (spec.shapes.size() != spec.types.size()) {
      return InvalidArgument("a PriorityQueue must know the shapes of its ", spec.types.size(),
                             " components");
    }
    spec.types.insert(spec.types.begin(), DType::kInt64);
    spec.shapes.insert(spec.shapes.begin(), PartialShape(Shape()));
    return NewQueueKernel(init, std::move(spec), &MakeQueue<PriorityQueue>);
  }
};

WB_OP("PriorityQueue")
    .Role(OpRole::kQueue)
    .DependsOn(Chance::kFullness)
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 0 = []")
    .Attr("shapes: list(shape) >= 0")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(PriorityQueueHandleShape);
WB_OP("PriorityQueueV2")
    .Role(OpRole::kQueue)
    .DependsOn(Chance::kFullness)
    .Output("handle: resource")
    .Attr("component_types: list(type) >= 0 = []")
    .Attr("shapes: list(shape) >= 0")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(PriorityQueueHandleShape);
WB_KERNEL("PriorityQueue", PriorityQueueKernel).Cpu().Cheap();
WB_KERNEL("PriorityQueueV2", PriorityQueueKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
