// RandomShuffleQueue, RandomShuffleQueueV2: rows come out in a random order; while the queue is
// open takers leave min_after_dequeue rows in it, so that there is something to draw from.
//
// Which row comes next is the number that TensorFlow draws too, modulo the size; the last row takes
// its place. Equal seeds therefore give TensorFlow's order.
#include <random>

#include "graph/op/op_registry.h"
#include "ops/queue/queue_kernel.h"
#include "ops/random/philox.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Philox StreamOf(const QueueSpec& spec) {
  if (spec.seed != 0 || spec.seed2 != 0) {
    return Philox(static_cast<uint64_t>(spec.seed), static_cast<uint64_t>(spec.seed2));
  }
  std::random_device device;
  const auto draw = [&device] { return (static_cast<uint64_t>(device()) << 32) | device(); };
  const uint64_t seed = draw();
  return Philox(seed, draw());
}

class RandomShuffleQueue final : public Queue {
 public:
  explicit RandomShuffleQueue(QueueSpec spec)
      : Queue(std::move(spec)), numbers_(StreamOf(this->spec())) {}
  bool KeepsRows() const override { return true; }

 private:
  int64_t stored() const override { return static_cast<int64_t>(rows_.size()); }
  void Insert(Row row) override { rows_.push_back(std::move(row)); }
  Row Remove() override {
    const size_t i = numbers_.Next() % rows_.size();
    Row row = std::move(rows_[i]);
    if (i + 1 < rows_.size()) rows_[i] = std::move(rows_.back());
    rows_.pop_back();
    return row;
  }
  void GiveBack(Rows rows) override {
    for (Row& row : rows) rows_.push_back(std::move(row));
  }

  PhiloxNumbers numbers_;
  std::vector<Row> rows_;
};

struct RandomShuffleQueueKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(QueueSpec spec, ReadQueueSpec(init, "RandomShuffleQueue"));
    WB_RETURN_IF_ERROR(CheckKnownShapes(spec));
    WB_ASSIGN_OR_RETURN(spec.min_after_dequeue, init.attr<int64_t>("min_after_dequeue"));
    WB_ASSIGN_OR_RETURN(spec.seed, init.attr<int64_t>("seed"));
    WB_ASSIGN_OR_RETURN(spec.seed2, init.attr<int64_t>("seed2"));
    if (spec.min_after_dequeue < 0) {
      return InvalidArgument("min_after_dequeue must be >= 0, it is ", spec.min_after_dequeue);
    }
    if (spec.min_after_dequeue >= spec.capacity) {
      return InvalidArgument("min_after_dequeue must be < capacity, it is ", spec.min_after_dequeue,
                             " and the capacity ", spec.capacity);
    }
    return NewQueueKernel(init, std::move(spec), &MakeQueue<RandomShuffleQueue>);
  }
};

WB_OP("RandomShuffleQueue")
    .Role(OpRole::kQueue)
    .DependsOn(Chance::kFullness)
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("min_after_dequeue: int = 0")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(QueueHandleShape);
WB_OP("RandomShuffleQueueV2")
    .Role(OpRole::kQueue)
    .DependsOn(Chance::kFullness)
    .Output("handle: resource")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("min_after_dequeue: int = 0")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(QueueHandleShape);
WB_KERNEL("RandomShuffleQueue", RandomShuffleQueueKernel).Cpu().Cheap();
WB_KERNEL("RandomShuffleQueueV2", RandomShuffleQueueKernel).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
