#include "frontend/training/input_pipeline.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/control_flow/cond.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "frontend/summary/summary.h"
#include "frontend/training/queue_runner.h"
#include "frontend/variables/variable_builder.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

PartialShape RowShape(const PartialShape& shape) {
  if (!shape.has_rank() || shape.rank() == 0) return PartialShape();
  return PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
}

// "queue" of "batch/queue".
std::string ShortName(const Output& queue) {
  const std::string name = queue.op().name();
  return name.substr(name.rfind('/') + 1);
}

// Fails at the first run when there are no strings.
Output NotEmpty(const Scope& scope, const Output& strings) {
  const PartialShape known = strings.shape();
  const Output size = known.IsFullyDefined()
                          ? Constant(scope.Named("Size"), known.num_elements(), DType::kInt32)
                          : BuildOutput(scope.Named("Size"), "Size", {strings});
  const Output some = BuildOutput(scope.Named("Greater"), "Greater", {size, 0});
  const Scope inside = scope.NameScope("Assert");
  const Input message("string_input_producer requires a non-null input tensor");
  Constant(inside.Named("Const"), message);  // as Python makes it, beside the operation's own
  const Operation check = BuildOp(inside.Named("Assert"), "Assert", {some, InputList({message})});
  return BuildOutput(scope.ControlDependencies({check}).Named("Identity"), "Identity", {strings});
}

// First-in-first-out queues are on a CPU whatever the scope says.
Scope ForQueue(const Scope& inside, const std::string& op) {
  return op == "FIFOQueueV2" ? inside.Device("/device:CPU:*") : inside;
}

// The summary `name` of how much of a queue's capacity is used, beyond `reserved` elements.
void SummarizeFullness(const Scope& inside, const Output& queue, const std::string& name,
                       int64_t capacity, int64_t reserved) {
  Output size = BuildOutput(inside.Named(ShortName(queue) + "_Size"), "QueueSizeV2", {queue});
  if (reserved > 0) {
    const Output spare = BuildOutput(inside.Named("sub"), "Sub", {size, reserved});
    size = Maximum(inside, 0, spare);
  }
  const Output full = BuildOutput(
      inside.Named("mul"), "Mul",
      {Cast(inside, size, DType::kFloat), 1.0 / static_cast<double>(capacity - reserved)});
  summary::Scalar(inside, name, full);
}

std::string FullName(int64_t capacity) { return absl::StrCat("fraction_of_", capacity, "_full"); }

// `inside` is the name scope whose name the queue takes.
Output ProduceRows(const Scope& inside, Output rows, const InputProducerOptions& options) {
  if (options.shuffle_) {
    rows = BuildOutput(inside.Named("RandomShuffle"), "RandomShuffle", {rows},
                       SeedAttrs(inside, options.seed_));
  }
  if (options.num_epochs_ > 0) rows = LimitEpochs(inside, rows, options.num_epochs_);
  if (!inside.ok()) return Output();
  const PartialShape shape = RowShape(rows.shape());
  if (!shape.IsFullyDefined()) {
    inside.Fail(InvalidArgument("the rows of '", rows.name(),
                                "' must have a known shape to be put into a queue, not ",
                                shape.ToString()));
    return Output();
  }
  const Output queue =
      BuildOutput(ForQueue(inside, "FIFOQueueV2").Named(inside.name_scope()), "FIFOQueueV2", {},
                  OpAttrs()
                      .Set("component_types", std::vector<DType>{rows.dtype()})
                      .Set("shapes", std::vector<PartialShape>{shape})
                      .Set("capacity", options.capacity_)
                      .Set("shared_name", options.shared_name_));
  if (!inside.ok()) return Output();
  const Operation put = BuildOp(inside.Named(ShortName(queue) + "_EnqueueMany"),
                                "QueueEnqueueManyV2", {queue, InputList({rows})});
  AddQueueRunner(inside, MakeQueueRunner(inside, queue, {put}));
  SummarizeFullness(inside, queue, FullName(options.capacity_), options.capacity_, 0);
  return inside(queue);
}

Output ProduceRange(const Scope& inside, const Input& limit, const InputProducerOptions& options) {
  return ProduceRows(inside, BuildOutput(inside.Named("range"), "Range", {0, limit, 1}), options);
}

// What the elements of a queue are made of.
struct Components {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
};

// Those of one source of elements.
StatusOr<Components> ComponentsOf(const std::vector<Output>& tensors, bool enqueue_many) {
  if (tensors.empty()) return InvalidArgument("there is nothing to batch");
  Components components;
  for (const Output& t : tensors) {
    components.types.push_back(t.dtype());
    components.shapes.push_back(enqueue_many ? RowShape(t.shape()) : t.shape());
  }
  return components;
}

Status CheckShapes(const Components& components, const std::vector<Output>& tensors, bool pads) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const PartialShape& shape = components.shapes[i];
    if (pads ? !shape.has_rank() : !shape.IsFullyDefined()) {
      return InvalidArgument("All shapes must be fully defined, that of '", tensors[i].name(),
                             "' is ", shape.ToString(), "; say more with set_shape, or pad");
    }
  }
  return OkStatus();
}

// What all sources have in common.
StatusOr<Components> ComponentsOf(const std::vector<std::vector<Output>>& sources,
                                  const BatchOptions& options) {
  if (sources.empty()) return InvalidArgument("there is nothing to batch");
  WB_ASSIGN_OR_RETURN(Components all, ComponentsOf(sources[0], options.enqueue_many_));
  for (size_t i = 1; i < sources.size(); ++i) {
    WB_ASSIGN_OR_RETURN(const Components one, ComponentsOf(sources[i], options.enqueue_many_));
    if (one.types != all.types) {
      return InvalidArgument("the tensors to batch of source ", i,
                             " are not of the number and types of those of source 0");
    }
    for (size_t j = 0; j < all.shapes.size(); ++j) {
      const auto merged = PartialShape::Merge(all.shapes[j], one.shapes[j]);
      if (!merged.ok()) {
        return Annotate(merged.status(), absl::StrCat("'", sources[i][j].name(), "' of source ", i,
                                                      " and '", sources[0][j].name(), "'"));
      }
      all.shapes[j] = *merged;
    }
  }
  WB_RETURN_IF_ERROR(CheckShapes(all, sources[0], options.dynamic_pad_));
  return all;
}

// The shapes of a batch; `size` -1 where it is not known.
void SetBatchShapes(const std::vector<Output>& batch, const Components& components, int64_t size) {
  for (size_t i = 0; i < batch.size(); ++i) {
    if (!batch[i].valid() || !components.shapes[i].has_rank()) continue;
    std::vector<int64_t> dims = components.shapes[i].dims();
    dims.insert(dims.begin(), size);
    batch[i].set_shape(PartialShape(std::move(dims)));
  }
}

int64_t KnownSize(const Input& batch_size, const BatchOptions& options) {
  if (options.allow_smaller_ || !batch_size.is_value()) return -1;
  const auto value = batch_size.ValueAs(DType::kInt64);
  return value.ok() && value->rank() == 0 ? value->scalar<int64_t>() : -1;
}

// A queue and how the elements of a batch go through it.
struct BatchQueue {
  const char* op;
  const char* name;
  OpAttrs attrs;
  int64_t reserved = 0;  // elements that stay in it
};

// Puts elements into the queue, or those of them that `options` keep.
StatusOr<Operation> PutKept(const Scope& named, const Output& queue,
                            const std::vector<Output>& tensors, const Output& keep,
                            const BatchOptions& options) {
  const char* const op = options.enqueue_many_ ? "QueueEnqueueManyV2" : "QueueEnqueueV2";
  const bool always = options.keep_input_.is_value();
  if (always) return BuildOp(named, op, {queue, InputList(tensors)});
  const Scope inside = named.Named("");
  const int rank = keep.shape().rank();
  if (keep.dtype() != DType::kBool || rank < 0 || rank > (options.enqueue_many_ ? 1 : 0)) {
    return InvalidArgument(
        "keep_input must be a boolean, of elements that come as rows one or one ", "each; '",
        keep.name(), "' is ", DTypeName(keep.dtype()), keep.shape().ToString());
  }
  if (rank == 1) {
    const Output rows = Reshape(inside, BuildOutput(inside, "Where", {keep}), {-1});
    std::vector<Output> kept;
    for (const Output& tensor : tensors) {
      kept.push_back(BuildOutput(inside, "GatherV2", {tensor, rows, 0}));
    }
    return BuildOp(named, op, {queue, InputList(kept)});
  }
  const std::vector<Output> done = Cond(
      inside, keep,
      [&](const Scope& s) -> std::vector<Output> {
        const Operation put = BuildOp(s, op, {queue, InputList(tensors)});
        return {Identity(s.ControlDependencies({put}), keep)};
      },
      [&](const Scope& s) -> std::vector<Output> { return {Identity(s, keep)}; });
  WB_RETURN_IF_ERROR(inside.status());
  return done[0].op();
}

StatusOr<std::vector<Output>> BatchThrough(const Scope& inside, BatchQueue kind,
                                           const std::vector<std::vector<Output>>& sources,
                                           int threads, const Input& batch_size,
                                           const BatchOptions& options) {
  WB_RETURN_IF_ERROR(inside.status());
  WB_ASSIGN_OR_RETURN(const Components components, ComponentsOf(sources, options));
  if (options.capacity_ <= kind.reserved) {
    return InvalidArgument("the capacity of a queue must be more than the ", kind.reserved,
                           " elements of min_after_dequeue, got ", options.capacity_);
  }
  const Output keep = AsOutput(inside.Named("Const"), options.keep_input_);
  const Output queue = BuildOutput(ForQueue(inside, kind.op).Named(kind.name), kind.op, {},
                                   kind.attrs.Set("component_types", components.types)
                                       .Set("shapes", components.shapes)
                                       .Set("capacity", options.capacity_)
                                       .Set("shared_name", options.shared_name_));
  WB_RETURN_IF_ERROR(inside.status());
  const std::string put_name =
      ShortName(queue) + (options.enqueue_many_ ? "_EnqueueMany" : "_enqueue");
  std::vector<Operation> puts;
  for (const std::vector<Output>& tensors : sources) {
    WB_ASSIGN_OR_RETURN(const Operation put,
                        PutKept(inside.Named(put_name), queue, tensors, keep, options));
    puts.insert(puts.end(), static_cast<size_t>(std::max(threads, 1)), put);
  }
  AddQueueRunner(inside, MakeQueueRunner(inside, queue, puts));
  const std::string fraction =
      kind.reserved == 0 && kind.attrs.map().Find("min_after_dequeue") == nullptr
          ? FullName(options.capacity_)
          : absl::StrCat("fraction_over_", kind.reserved, "_of_", options.capacity_ - kind.reserved,
                         "_full");
  SummarizeFullness(inside, queue, fraction, options.capacity_, kind.reserved);
  const std::vector<Output> batch =
      BuildOutputs(inside.Named(inside.name_scope()),
                   options.allow_smaller_ ? "QueueDequeueUpToV2" : "QueueDequeueManyV2",
                   {queue, batch_size}, OpAttrs().Set("component_types", components.types),
                   static_cast<int>(components.types.size()));
  SetBatchShapes(batch, components, KnownSize(batch_size, options));
  return batch;
}

std::vector<Output> BatchOrFail(const Scope& inside, BatchQueue kind,
                                const std::vector<std::vector<Output>>& sources, int threads,
                                const Input& batch_size, const BatchOptions& options) {
  auto batch = BatchThrough(inside, std::move(kind), sources, threads, batch_size, options);
  if (batch.ok()) return *std::move(batch);
  inside.Fail(batch.status());
  return std::vector<Output>(sources.empty() ? 0 : sources[0].size());
}

BatchQueue FirstInFirstOut(bool pads) {
  return {pads ? "PaddingFIFOQueueV2" : "FIFOQueueV2", pads ? "padding_fifo_queue" : "fifo_queue",
          OpAttrs()};
}

BatchQueue Shuffled(const Scope& inside, const BatchOptions& options) {
  return {"RandomShuffleQueueV2", "random_shuffle_queue",
          SeedAttrs(inside, options.seed_).Set("min_after_dequeue", options.min_after_dequeue_),
          options.min_after_dequeue_};
}

BatchOptions Unpadded(BatchOptions options) {
  options.dynamic_pad_ = false;
  return options;
}

}  // namespace

Output InputProducer(ScopeRef scope, const Input& input_tensor,
                     const InputProducerOptions& options) {
  const Scope inside = scope.scope().OpenScope("input_producer");
  return ProduceRows(inside, AsOutput(inside.Named("Const"), input_tensor), options);
}

Output StringInputProducer(ScopeRef scope, const Input& string_tensor,
                           const InputProducerOptions& options) {
  const Scope inside = scope.scope().OpenScope("input_producer");
  const Output strings = AsOutput(inside.Named("Const"), string_tensor, DType::kString);
  if (!inside.ok()) return Output();
  return ProduceRows(inside, NotEmpty(inside, strings), options);
}

Output RangeInputProducer(ScopeRef scope, const Input& limit, const InputProducerOptions& options) {
  return ProduceRange(scope.scope().OpenScope("input_producer"), limit, options);
}

OutputList SliceInputProducer(ScopeRef scope_ref, const std::vector<Output>& tensors,
                              const InputProducerOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("input_producer");
  if (scope.ok() && tensors.empty()) {
    scope.Fail(InvalidArgument("slice_input_producer of no tensors"));
  }
  if (!scope.ok()) return std::vector<Output>(tensors.size());
  const Output count = ElementAt(inside, ShapeOf(inside, tensors[0]), 0);
  const Output queue = RangeInputProducer(inside, count, options);
  if (!scope.ok()) return std::vector<Output>(tensors.size());
  const Output index =
      BuildOutput(inside.Named(ShortName(queue) + "_Dequeue"), "QueueDequeueV2", {queue},
                  OpAttrs().Set("component_types", std::vector<DType>{count.dtype()}));
  if (index.valid()) index.set_shape(PartialShape(Shape()));
  std::vector<Output> rows;
  for (const Output& tensor : tensors) {
    rows.push_back(scope(BuildOutput(inside, "GatherV2", {tensor, index, 0})));
  }
  return rows;
}

Output LimitEpochs(ScopeRef scope_ref, const Output& tensor, int64_t num_epochs) {
  if (num_epochs <= 0) return tensor;
  const Scope inside = scope_ref.scope().Named("").OpenScope("limit_epochs");
  VariableBuilder builder(inside, "epochs", inside);
  builder.trainable(false).collections({GraphKeys::kLocalVariables});
  const Variable epochs =
      builder.FromValue(Constant(inside.Named("Const"), int64_t{0}), DType::kInt64);
  const Output counter = BuildOutput(inside.Named("CountUpTo"), "CountUpTo", {epochs},
                                     OpAttrs().Set("limit", num_epochs));
  return BuildOutput(inside.ControlDependencies({counter.op()}).Named(inside.name_scope()),
                     "Identity", {tensor});
}

OutputList Batch(ScopeRef scope, const std::vector<Output>& tensors, const Input& batch_size,
                 const BatchOptions& options) {
  const Scope inside = scope.scope().OpenScope("batch");
  return BatchOrFail(inside, FirstInFirstOut(options.dynamic_pad_), {tensors}, options.num_threads_,
                     batch_size, options);
}

OutputList BatchJoin(ScopeRef scope, const std::vector<std::vector<Output>>& tensors_list,
                     const Input& batch_size, const BatchOptions& options) {
  const Scope inside = scope.scope().OpenScope("batch_join");
  return BatchOrFail(inside, FirstInFirstOut(options.dynamic_pad_), tensors_list, 1, batch_size,
                     options);
}

OutputList ShuffleBatch(ScopeRef scope, const std::vector<Output>& tensors, const Input& batch_size,
                        const BatchOptions& options) {
  const Scope inside = scope.scope().OpenScope("shuffle_batch");
  return BatchOrFail(inside, Shuffled(inside, options), {tensors}, options.num_threads_, batch_size,
                     Unpadded(options));
}

OutputList ShuffleBatchJoin(ScopeRef scope, const std::vector<std::vector<Output>>& tensors_list,
                            const Input& batch_size, const BatchOptions& options) {
  const Scope inside = scope.scope().OpenScope("shuffle_batch_join");
  return BatchOrFail(inside, Shuffled(inside, options), tensors_list, 1, batch_size,
                     Unpadded(options));
}

OutputList MaybeBatch(ScopeRef scope, const std::vector<Output>& tensors, const Output& keep_input,
                      const Input& batch_size, const BatchOptions& options) {
  return Batch(scope, tensors, batch_size, BatchOptions(options).keep_input(keep_input));
}

OutputList MaybeBatchJoin(ScopeRef scope, const std::vector<std::vector<Output>>& tensors_list,
                          const Output& keep_input, const Input& batch_size,
                          const BatchOptions& options) {
  return BatchJoin(scope, tensors_list, batch_size, BatchOptions(options).keep_input(keep_input));
}

OutputList MaybeShuffleBatch(ScopeRef scope, const std::vector<Output>& tensors,
                             const Output& keep_input, const Input& batch_size,
                             const BatchOptions& options) {
  return ShuffleBatch(scope, tensors, batch_size, BatchOptions(options).keep_input(keep_input));
}

OutputList MaybeShuffleBatchJoin(ScopeRef scope,
                                 const std::vector<std::vector<Output>>& tensors_list,
                                 const Output& keep_input, const Input& batch_size,
                                 const BatchOptions& options) {
  return ShuffleBatchJoin(scope, tensors_list, batch_size,
                          BatchOptions(options).keep_input(keep_input));
}

PrefetchQueue::PrefetchQueue(ScopeRef scope, const std::vector<Output>& tensors,
                             const PrefetchQueueOptions& options) {
  const Scope inside = scope.scope().OpenScope("prefetch_queue");
  if (!inside.ok()) return;
  StatusOr<Components> components = ComponentsOf(tensors, /*enqueue_many=*/false);
  Status status = components.status();
  if (status.ok()) status = CheckShapes(*components, tensors, options.dynamic_pad_);
  if (!status.ok()) {
    inside.Fail(Annotate(status, "prefetch_queue"));
    return;
  }
  types_ = components->types;
  shapes_ = components->shapes;
  const BatchQueue kind = FirstInFirstOut(options.dynamic_pad_);
  queue_ = BuildOutput(ForQueue(inside, kind.op).Named(kind.name), kind.op, {},
                       OpAttrs()
                           .Set("component_types", types_)
                           .Set("shapes", shapes_)
                           .Set("capacity", options.capacity_)
                           .Set("shared_name", options.shared_name_));
  if (!inside.ok()) return;
  const Operation put = BuildOp(inside.Named(ShortName(queue_) + "_enqueue"), "QueueEnqueueV2",
                                {queue_, InputList(tensors)});
  const size_t threads = static_cast<size_t>(std::max(options.num_threads_, 1));
  AddQueueRunner(inside, MakeQueueRunner(inside, queue_, std::vector<Operation>(threads, put)));
  SummarizeFullness(inside, queue_, FullName(options.capacity_), options.capacity_, 0);
}

OutputList PrefetchQueue::Dequeue(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return std::vector<Output>(types_.size());
  const std::string name = scope.OpNameOr(ShortName(queue_) + "_Dequeue");
  const std::vector<Output> batch =
      BuildOutputs(scope.Named(name), "QueueDequeueV2", {queue_},
                   OpAttrs().Set("component_types", types_), static_cast<int>(types_.size()));
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].valid()) batch[i].set_shape(shapes_[i]);
  }
  return batch;
}

Operation LocalVariablesInitializer(ScopeRef scope) {
  return VariablesInitializer(scope, GetVariables(scope.scope(), GraphKeys::kLocalVariables));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
