// Batch: the rows of several steps put together. One of them gets all the rows, with whose they
// are; the others get none. A batch is complete when no more rows fit, or when its first has waited
// long enough. Batches do not queue up here, so that the attributes of queues and threads have no
// effect.
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/batching/alarm.h"
#include "ops/batching/batch_rows.h"
#include "ops/batching/concatenated_rows.h"
#include "runtime/comm/waiting_resource.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

struct BatchLimits {
  int64_t most_rows = 0;
  int64_t timeout_micros = 0;
  std::vector<int64_t> sizes;

  static StatusOr<BatchLimits> Read(const KernelInit& init) {
    BatchLimits limits;
    WB_ASSIGN_OR_RETURN(const int64_t threads, init.attr<int64_t>("num_batch_threads"));
    WB_ASSIGN_OR_RETURN(limits.most_rows, init.attr<int64_t>("max_batch_size"));
    WB_ASSIGN_OR_RETURN(limits.timeout_micros, init.attr<int64_t>("batch_timeout_micros"));
    WB_ASSIGN_OR_RETURN(limits.sizes, init.attr<std::vector<int64_t>>("allowed_batch_sizes"));
    if (threads < 1) return InvalidArgument("num_batch_threads must be positive; was ", threads);
    if (limits.most_rows < 1) {
      return InvalidArgument("input_batch_size_limit must be positive; was ", limits.most_rows);
    }
    if (limits.timeout_micros < 0) {
      return InvalidArgument("batch_timeout_micros must be non-negative; was ",
                             limits.timeout_micros);
    }
    const std::vector<int64_t>& sizes = limits.sizes;
    WB_RETURN_IF_ERROR(CheckAscending(sizes));
    if (!sizes.empty() && sizes.back() != limits.most_rows) {
      return InvalidArgument("final entry in allowed_batch_sizes must equal max_batch_size");
    }
    return limits;
  }
};

struct BatchTask;
struct TaskBatch {
  std::vector<std::shared_ptr<BatchTask>> tasks;
  int64_t rows = 0;
  Alarm::Time deadline;
  bool is_complete = false;
  bool is_taken = false;  // some step gets the rows
};

// What one step brings.
struct BatchTask {
  std::vector<Tensor> inputs;
  int64_t id = 0;
  bool gets_rows = false;
  // Null before it came to the batcher and after its step has ended, since the batch has the task.
  std::shared_ptr<TaskBatch> batch;

  int64_t rows() const { return inputs[0].dim(0); }
};

class Batcher final : public WaitingResource {
 public:
  Batcher(std::string name, BatchLimits limits)
      : name_(std::move(name)), limits_(std::move(limits)), ids_(std::random_device()()) {}
  std::string DebugString() const override { return absl::StrCat("batches '", name_, "'"); }
  const BatchLimits& limits() const { return limits_; }
  void StartAlarm() {
    alarm_.Start([weak = weak_from_this()] {
      const auto self = std::static_pointer_cast<Batcher>(weak.lock());
      if (self != nullptr) self->Now([&] { return self->CompleteLate(); }).IgnoreError();
    });
  }

  // An attempt: true when the task's batch is complete.
  bool TryLocked(const std::string& queue, const std::shared_ptr<BatchTask>& task, Status* status) {
    if (task->batch == nullptr) {
      *status = AddLocked(queue, task);
      if (!status->ok()) return true;
    }
    if (!task->batch->is_complete) return false;
    task->gets_rows = !std::exchange(task->batch->is_taken, true);
    return true;
  }

  // Takes out the task of a step that does not wait any more.
  void Remove(const BatchTask& task) {
    Now([&] {
      if (task.batch == nullptr || task.batch->is_complete) return OkStatus();
      auto& tasks = task.batch->tasks;
      tasks.erase(std::remove_if(tasks.begin(), tasks.end(),
                                 [&](const auto& other) { return other.get() == &task; }),
                  tasks.end());
      task.batch->rows -= task.rows();
      return OkStatus();
    }).IgnoreError();
  }

 private:
  Status AddLocked(const std::string& queue, const std::shared_ptr<BatchTask>& task) {
    std::shared_ptr<TaskBatch>& open = open_[queue];
    if (open != nullptr && open->rows + task->rows() > limits_.most_rows) {
      open->is_complete = true;
      open = nullptr;
    }
    if (open == nullptr) {
      open = std::make_shared<TaskBatch>();
      open->deadline = Alarm::After(limits_.timeout_micros);
      if (task->rows() < limits_.most_rows) {
        const Status set = alarm_.At(open->deadline);
        if (!set.ok()) {
          open = nullptr;
          return set;
        }
      }
    }
    task->id = static_cast<int64_t>(ids_());
    task->batch = open;
    open->tasks.push_back(task);
    open->rows += task->rows();
    if (open->rows == limits_.most_rows) {
      open->is_complete = true;
      open = nullptr;
    }
    return OkStatus();
  }

  Status CompleteLate() {
    const Alarm::Time now = Alarm::Clock::now();
    Status status;
    for (auto& [queue, open] : open_) {
      if (open == nullptr) continue;
      if (open->deadline > now) {
        status = alarm_.At(open->deadline);  // the thread is there
        continue;
      }
      open->is_complete = true;
      open = nullptr;
    }
    return status;
  }

  const std::string name_;
  const BatchLimits limits_;
  std::mt19937_64 ids_;
  std::map<std::string, std::shared_ptr<TaskBatch>> open_;
  Alarm alarm_;
};

class BatchKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<BatchKernel>();
    WB_ASSIGN_OR_RETURN(kernel->limits_, BatchLimits::Read(init));
    kernel->container_ = init.attrs.GetOr<std::string>("container", "");
    kernel->name_ = init.attrs.GetOr<std::string>("shared_name", "");
    if (kernel->name_.empty()) kernel->name_ = init.node_name;
    kernel->queue_ = init.attrs.GetOr<std::string>("batching_queue", "");
    if (kernel->queue_.empty()) kernel->queue_ = init.node_name;
    return kernel;
  }

  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<std::shared_ptr<Batcher>> found = Find(ctx);
    if (!found.ok()) return done(found.status());
    const std::shared_ptr<Batcher> batcher = *std::move(found);
    auto task = std::make_shared<BatchTask>();
    const Status read = ReadInputs(ctx, batcher->limits(), task.get());
    if (!read.ok()) return done(read);
    if (task->rows() == 0) return done(WriteNoRows(ctx));
    batcher->Attempt(
        ctx.step(),
        [this, batcher = batcher.get(), task](Status* status) {
          return batcher->TryLocked(queue_, task, status);
        },
        [&ctx, batcher, task, done = std::move(done)](Status status) {
          if (!status.ok()) {
            batcher->Remove(*task);
          } else if (task->gets_rows) {
            status = WriteBatch(ctx, batcher->limits(), *task->batch);
          } else {
            status = WriteEmpty(ctx, *task);
          }
          if (status.ok()) {
            ctx.set_output(ctx.num_outputs() - 1, Tensor::Scalar<int64_t>(task->id));
          }
          task->batch = nullptr;
          done(std::move(status));
        });
  }

 private:
  StatusOr<std::shared_ptr<Batcher>> Find(const KernelContext& ctx) const {
    if (ctx.resources() == nullptr) return FailedPrecondition("the step has no resource store");
    return ctx.resources()->LookupOrCreate<Batcher>(
        container_, name_, [&]() -> StatusOr<std::shared_ptr<Batcher>> {
          auto batcher = std::make_shared<Batcher>(name_, limits_);
          batcher->StartAlarm();
          return batcher;
        });
  }

  static Status ReadInputs(const KernelContext& ctx, const BatchLimits& limits, BatchTask* task) {
    WB_RETURN_IF_ERROR(RowsToBatch(ctx, ctx.num_inputs(), limits.most_rows).status());
    for (int i = 0; i < ctx.num_inputs(); ++i) task->inputs.push_back(ctx.input(i));
    return OkStatus();
  }

  // For a step whose rows another one gets.
  static Status WriteEmpty(KernelContext& ctx, const BatchTask& task) {
    const int num_inputs = ctx.num_inputs();
    for (int i = 0; i < num_inputs; ++i) {
      WB_ASSIGN_OR_RETURN(const Shape none, task.inputs[i].shape().WithDim(0, 0));
      WB_RETURN_IF_ERROR(ctx.Allocate(i, none).status());
    }
    return ctx.Allocate(num_inputs, Shape({0, 3})).status();
  }

  static Status WriteBatch(KernelContext& ctx, const BatchLimits& limits, const TaskBatch& batch) {
    const int64_t size = PaddedSize(limits.sizes, batch.rows);
    const int num_inputs = ctx.num_inputs();
    for (int i = 0; i < num_inputs; ++i) {
      std::vector<Tensor> parts;
      for (const auto& task : batch.tasks) {
        // Another node of the same shared name.
        if (static_cast<int>(task->inputs.size()) != num_inputs ||
            task->inputs[i].dtype() != ctx.input(i).dtype()) {
          return InvalidArgument("Batching inputs must have equal number of edges, of equal types");
        }
        parts.push_back(task->inputs[i]);
      }
      const Tensor padding = parts[0].Rows(0, 1);
      for (int64_t row = batch.rows; row < size; ++row) parts.push_back(padding);
      WB_ASSIGN_OR_RETURN(Tensor all, ConcatenatedRows(ctx, parts));
      ctx.set_output(i, std::move(all));
    }
    const auto num_tasks = static_cast<int64_t>(batch.tasks.size());
    WB_ASSIGN_OR_RETURN(Tensor * index, ctx.Allocate(num_inputs, Shape({num_tasks, 3})));
    int64_t* to = index->data<int64_t>();
    int64_t begin = 0;
    for (const auto& task : batch.tasks) {
      *to++ = task->id;
      *to++ = begin;
      begin += task->rows();
      *to++ = begin;
    }
    return OkStatus();
  }

  BatchLimits limits_;
  std::string container_, name_, queue_;
};

WB_OP("Batch")
    .Input("in_tensors: T")
    .Output("batched_tensors: T")
    .Output("batch_index: int64")
    .Output("id: int64")
    .Attr("num_batch_threads: int")
    .Attr("max_batch_size: int")
    .Attr("max_enqueued_batches: int = 10")
    .Attr("batch_timeout_micros: int")
    .Attr("allowed_batch_sizes: list(int) = []")
    .Attr("grad_timeout_micros: int")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("batching_queue: string = ''")
    .Attr("T: list(type) >= 1")
    .DistributedCommunication()
    .Shape(shapes::Unknown);
WB_KERNEL("Batch", BatchKernel).Cpu().Async().Unbounded();

}  // namespace
}  // namespace warpbeam
