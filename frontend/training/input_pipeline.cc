#include "frontend/training/input_pipeline.h"

#include <algorithm>
#include <utility>

#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/graph_state.h"
#include "frontend/training/queue_runner.h"
#include "frontend/variable_builder.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

OpAttrs SeedAttrs(const Scope& scope, const std::optional<int64_t>& seed) {
  const auto seeds = scope.state().NextSeeds(seed.has_value() ? &*seed : nullptr);
  return OpAttrs().Set("seed", seeds.first).Set("seed2", seeds.second);
}

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
  const Output size = BuildOutput(scope.Named("Size"), "Size", {strings});
  const Output some = BuildOutput(scope.Named("Greater"), "Greater", {size, 0});
  const Scope inside = scope.NameScope("Assert");
  const Operation check =
      BuildOp(inside.Named("Assert"), "Assert",
              {some, InputList({Input("string_input_producer requires a non-null input tensor")})});
  return BuildOutput(scope.ControlDependencies({check}).Named("Identity"), "Identity", {strings});
}

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
  const Output queue = BuildOutput(inside.Named(inside.name_scope()), "FIFOQueueV2", {},
                                   OpAttrs()
                                       .Set("component_types", std::vector<DType>{rows.dtype()})
                                       .Set("shapes", std::vector<PartialShape>{shape})
                                       .Set("capacity", options.capacity_)
                                       .Set("shared_name", options.shared_name_));
  if (!inside.ok()) return Output();
  const Operation put = BuildOp(inside.Named(ShortName(queue) + "_EnqueueMany"),
                                "QueueEnqueueManyV2", {queue, InputList({rows})});
  AddQueueRunner(inside, MakeQueueRunner(inside, queue, {put}));
  return queue;
}

absl::Status ComponentsOf(const std::vector<Output>& tensors, const BatchOptions& options,
                          std::vector<DType>* types, std::vector<PartialShape>* shapes) {
  if (tensors.empty()) return InvalidArgument("there is nothing to batch");
  for (const Output& t : tensors) {
    types->push_back(t.dtype());
    shapes->push_back(options.enqueue_many_ ? RowShape(t.shape()) : t.shape());
    const PartialShape& shape = shapes->back();
    if (options.dynamic_pad_ ? !shape.has_rank() : !shape.IsFullyDefined()) {
      return InvalidArgument("All shapes must be fully defined, that of '", t.name(), "' is ",
                             shape.ToString(), "; say more with set_shape, or pad");
    }
  }
  return absl::OkStatus();
}

std::vector<Output> BatchThrough(const Scope& inside, const char* queue_op, const char* queue_name,
                                 OpAttrs attrs, const std::vector<Output>& tensors,
                                 const Input& batch_size, const BatchOptions& options) {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
  if (inside.ok()) {
    const Status s = ComponentsOf(tensors, options, &types, &shapes);
    if (!s.ok()) inside.Fail(s);
  }
  if (!inside.ok()) return std::vector<Output>(tensors.size());
  const Output queue = BuildOutput(inside.Named(queue_name), queue_op, {},
                                   attrs.Set("component_types", types)
                                       .Set("shapes", shapes)
                                       .Set("capacity", options.capacity_)
                                       .Set("shared_name", options.shared_name_));
  if (!inside.ok()) return std::vector<Output>(tensors.size());
  const char* suffix = options.enqueue_many_ ? "_EnqueueMany" : "_enqueue";
  const Operation put = BuildOp(inside.Named(ShortName(queue) + suffix),
                                options.enqueue_many_ ? "QueueEnqueueManyV2" : "QueueEnqueueV2",
                                {queue, InputList(tensors)});
  const size_t threads = static_cast<size_t>(std::max(options.num_threads_, 1));
  AddQueueRunner(inside, MakeQueueRunner(inside, queue, std::vector<Operation>(threads, put)));
  return BuildOutputs(inside.Named(inside.name_scope()),
                      options.allow_smaller_ ? "QueueDequeueUpToV2" : "QueueDequeueManyV2",
                      {queue, batch_size}, OpAttrs().Set("component_types", types),
                      static_cast<int>(tensors.size()));
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

std::vector<Output> Batch(ScopeRef scope, const std::vector<Output>& tensors,
                          const Input& batch_size, const BatchOptions& options) {
  const Scope inside = scope.scope().OpenScope("batch");
  return BatchThrough(inside, options.dynamic_pad_ ? "PaddingFIFOQueueV2" : "FIFOQueueV2",
                      options.dynamic_pad_ ? "padding_fifo_queue" : "fifo_queue", OpAttrs(),
                      tensors, batch_size, options);
}

std::vector<Output> ShuffleBatch(ScopeRef scope, const std::vector<Output>& tensors,
                                 const Input& batch_size, const BatchOptions& options) {
  const Scope inside = scope.scope().OpenScope("shuffle_batch");
  BatchOptions known = options;
  known.dynamic_pad_ = false;
  return BatchThrough(
      inside, "RandomShuffleQueueV2", "random_shuffle_queue",
      SeedAttrs(inside, options.seed_).Set("min_after_dequeue", options.min_after_dequeue_),
      tensors, batch_size, known);
}

Operation LocalVariablesInitializer(ScopeRef scope) {
  return VariablesInitializer(scope, GetVariables(scope.scope(), GraphKeys::kLocalVariables));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
