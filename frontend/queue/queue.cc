#include "frontend/queue/queue.h"

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

// What all queues' ops take.
OpAttrs QueueAttrs(int64_t capacity, const std::vector<DType>& dtypes,
                   const std::vector<PartialShape>& shapes, const QueueOptions& options) {
  return OpAttrs()
      .Set("component_types", dtypes)
      .Set("shapes", shapes)
      .Set("capacity", capacity)
      .Set("shared_name", options.shared);
}

Output MakeQueue(const Scope& scope, const char* op, const char* name, const OpAttrs& attrs) {
  return BuildOutput(scope.Named(scope.OpNameOr(name)), op, {}, attrs);
}

bool CheckComponents(const Scope& scope, const char* kind, const std::vector<DType>& dtypes,
                     const std::vector<PartialShape>& shapes, const QueueOptions& options) {
  const size_t count = dtypes.size();
  const auto fits = [count](size_t size) { return size == 0 || size == count; };
  if (count > 0 && fits(shapes.size()) && fits(options.component_names.size())) return true;
  scope.Fail(InvalidArgument(kind, " has a type for each component, and as many shapes and names ",
                             "or none; got ", count, " types, ", shapes.size(), " shapes and ",
                             options.component_names.size(), " names"));
  return false;
}

// What elements of two queues have in common.
PartialShape CommonShape(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || a.rank() != b.rank()) return PartialShape();
  PartialShape common = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) common.set_dim(i, -1);
  }
  return common;
}

}  // namespace

QueueBase::QueueBase(const Output& handle, std::vector<DType> dtypes,
                     std::vector<PartialShape> shapes, std::vector<std::string> names)
    : handle_(handle),
      dtypes_(std::move(dtypes)),
      shapes_(std::move(shapes)),
      names_(std::move(names)) {
  shapes_.resize(dtypes_.size());
}

QueueBase QueueBase::FromList(ScopeRef scope_ref, const Input& index,
                              const std::vector<QueueBase>& queues) {
  const Scope scope = scope_ref.scope();
  if (scope.ok() && queues.empty()) scope.Fail(InvalidArgument("QueueBase::FromList of no queues"));
  if (!scope.ok()) return QueueBase();
  std::vector<PartialShape> shapes = queues[0].shapes();
  std::vector<Output> handles;
  for (const QueueBase& queue : queues) {
    if (queue.dtypes() != queues[0].dtypes() || queue.names() != queues[0].names()) {
      scope.Fail(InvalidArgument("QueueBase::FromList takes queues of the same types and names; '",
                                 queue.name(), "' differs from '", queues[0].name(), "'"));
      return QueueBase();
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      shapes[i] = CommonShape(shapes[i], queue.shapes()[i]);
    }
    handles.push_back(queue.queue_ref());
  }
  const Output all = Stack(scope, handles);
  const Output chosen = BuildOutput(scope, "GatherV2", {all, index, 0});
  return QueueBase(chosen, queues[0].dtypes(), shapes, queues[0].names());
}

Scope QueueBase::Suffixed(const Scope& scope, const char* suffix) const {
  const std::string whole = handle_.op().name();
  const size_t slash = whole.rfind('/');
  const std::string last = slash == std::string::npos ? whole : whole.substr(slash + 1);
  return scope.Named(scope.OpNameOr(absl::StrCat(last, suffix)));
}

bool QueueBase::CheckValid(const Scope& scope) const {
  if (scope.ok() && !handle_.valid()) scope.Fail(InvalidArgument("a queue that was never made"));
  return scope.ok();
}

Operation QueueBase::Put(const Scope& scope, const char* op, const char* suffix,
                         const InputList& components) const {
  if (!CheckValid(scope)) return Operation();
  const bool many = op == std::string("QueueEnqueueManyV2");
  if (components.size() != dtypes_.size()) {
    scope.Fail(InvalidArgument("the queue '", name(), "' takes ", dtypes_.size(),
                               " components, got ", components.size()));
    return Operation();
  }
  const Scope inside = Suffixed(scope, suffix).OpenScope(suffix);
  std::vector<Output> tensors;
  for (size_t i = 0; i < dtypes_.size(); ++i) {
    tensors.push_back(
        AsOutput(inside.Named(absl::StrCat("component_", i)), components.items()[i], dtypes_[i]));
    if (!scope.ok()) return Operation();
    const PartialShape shape = tensors[i].shape();
    PartialShape element = shape;
    if (many && shape.has_rank() && shape.rank() > 0) {
      element = PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
    }
    if (tensors[i].dtype() != dtypes_[i] || (many && shape.rank() == 0) ||
        !element.IsCompatibleWith(shapes_[i])) {
      scope.Fail(InvalidArgument("component ", i, " of the queue '", name(), "' is ",
                                 DTypeName(dtypes_[i]), shapes_[i].ToString(),
                                 many ? ", a row each" : "", "; '", tensors[i].name(), "' is ",
                                 DTypeName(tensors[i].dtype()), shape.ToString()));
      return Operation();
    }
  }
  return BuildOp(inside.Named(inside.name_scope()), op, {handle_, InputList(tensors)});
}

OutputList QueueBase::Take(const Scope& scope, const char* op, const char* suffix,
                           const std::vector<Input>& count, int64_t known_count) const {
  std::vector<Output> taken(dtypes_.size());
  if (!CheckValid(scope)) return taken;
  std::vector<ArgumentInput> inputs = {handle_};
  for (const Input& n : count) inputs.push_back(n);
  taken = BuildOutputs(Suffixed(scope, suffix), op, inputs,
                       OpAttrs().Set("component_types", dtypes_), static_cast<int>(dtypes_.size()));
  if (!scope.ok()) return std::vector<Output>(dtypes_.size());
  for (size_t i = 0; i < taken.size(); ++i) {
    PartialShape shape = shapes_[i];
    if (!count.empty() && shape.has_rank()) {
      std::vector<int64_t> dims = {known_count};
      dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
      shape = PartialShape(dims);
    }
    taken[i].set_shape(shape);
  }
  return taken;
}

bool QueueBase::InOrder(const Scope& scope, const std::map<std::string, Input>& components,
                        std::vector<Input>* ordered) const {
  if (!CheckValid(scope)) return false;
  bool all = components.size() == names_.size();
  for (const std::string& component : names_) {
    const auto it = components.find(component);
    all = all && it != components.end();
    if (all) ordered->push_back(it->second);
  }
  if (!all || names_.empty()) {
    scope.Fail(InvalidArgument("the queue '", name(), "' takes its components by the ",
                               names_.size(), " names it was made with, each once; got ",
                               components.size()));
    return false;
  }
  return true;
}

Operation QueueBase::Enqueue(ScopeRef scope, const InputList& components) const {
  return Put(scope.scope(), "QueueEnqueueV2", "_enqueue", components);
}

Operation QueueBase::EnqueueByName(ScopeRef scope_ref,
                                   const std::map<std::string, Input>& components) const {
  const Scope scope = scope_ref.scope();
  std::vector<Input> ordered;
  return InOrder(scope, components, &ordered) ? Enqueue(scope, InputList(ordered)) : Operation();
}

Operation QueueBase::EnqueueMany(ScopeRef scope, const InputList& components) const {
  return Put(scope.scope(), "QueueEnqueueManyV2", "_EnqueueMany", components);
}

Operation QueueBase::EnqueueManyByName(ScopeRef scope_ref,
                                       const std::map<std::string, Input>& components) const {
  const Scope scope = scope_ref.scope();
  std::vector<Input> ordered;
  return InOrder(scope, components, &ordered) ? EnqueueMany(scope, InputList(ordered))
                                              : Operation();
}

OutputList QueueBase::Dequeue(ScopeRef scope) const {
  return Take(scope.scope(), "QueueDequeueV2", "_Dequeue", {}, 0);
}

OutputList QueueBase::DequeueMany(ScopeRef scope, const Input& n) const {
  const StatusOr<Tensor> known =
      n.is_value() ? n.ValueAs(DType::kInt64) : StatusOr<Tensor>(Tensor());
  const bool is_known = n.is_value() && known.ok() && known->rank() == 0;
  return Take(scope.scope(), "QueueDequeueManyV2", "_DequeueMany", {n},
              is_known ? known->scalar<int64_t>() : -1);
}

OutputList QueueBase::DequeueUpTo(ScopeRef scope, const Input& n) const {
  return Take(scope.scope(), "QueueDequeueUpToV2", "_DequeueUpTo", {n}, -1);
}

std::map<std::string, Output> QueueBase::ByName(const std::vector<Output>& components) const {
  std::map<std::string, Output> named;
  for (size_t i = 0; i < names_.size() && i < components.size(); ++i) {
    named[names_[i]] = components[i];
  }
  return named;
}

Operation QueueBase::Close(ScopeRef scope_ref, bool cancel_pending_enqueues) const {
  const Scope scope = scope_ref.scope();
  if (!CheckValid(scope)) return Operation();
  return BuildOp(Suffixed(scope, "_Close"), "QueueCloseV2", {handle_},
                 OpAttrs().Set("cancel_pending_enqueues", cancel_pending_enqueues));
}

Output QueueBase::IsClosed(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  if (!CheckValid(scope)) return Output();
  return BuildOutput(Suffixed(scope, "_Is_Closed"), "QueueIsClosedV2", {handle_});
}

Output QueueBase::Size(ScopeRef scope_ref) const {
  const Scope scope = scope_ref.scope();
  if (!CheckValid(scope)) return Output();
  return BuildOutput(Suffixed(scope, "_Size"), "QueueSizeV2", {handle_});
}

FIFOQueue::FIFOQueue(ScopeRef scope_ref, int64_t capacity, const std::vector<DType>& dtypes,
                     const std::vector<PartialShape>& shapes, const QueueOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!CheckComponents(scope, "a FIFOQueue", dtypes, shapes, options)) return;
  const Output handle =
      MakeQueue(scope, "FIFOQueueV2", "fifo_queue", QueueAttrs(capacity, dtypes, shapes, options));
  *static_cast<QueueBase*>(this) = QueueBase(handle, dtypes, shapes, options.component_names);
}

RandomShuffleQueue::RandomShuffleQueue(ScopeRef scope_ref, int64_t capacity,
                                       int64_t min_after_dequeue, const std::vector<DType>& dtypes,
                                       const std::vector<PartialShape>& shapes,
                                       const QueueOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!CheckComponents(scope, "a RandomShuffleQueue", dtypes, shapes, options)) return;
  const auto seeds =
      scope.state().NextSeeds(options.op_seed.has_value() ? &*options.op_seed : nullptr);
  const Output handle = MakeQueue(scope, "RandomShuffleQueueV2", "random_shuffle_queue",
                                  QueueAttrs(capacity, dtypes, shapes, options)
                                      .Set("min_after_dequeue", min_after_dequeue)
                                      .Set("seed", seeds.first)
                                      .Set("seed2", seeds.second));
  *static_cast<QueueBase*>(this) = QueueBase(handle, dtypes, shapes, options.component_names);
}

PaddingFIFOQueue::PaddingFIFOQueue(ScopeRef scope_ref, int64_t capacity,
                                   const std::vector<DType>& dtypes,
                                   const std::vector<PartialShape>& shapes,
                                   const QueueOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!CheckComponents(scope, "a PaddingFIFOQueue", dtypes, shapes, options)) return;
  if (shapes.empty()) {
    scope.Fail(InvalidArgument("a PaddingFIFOQueue needs the shapes of its components"));
    return;
  }
  const Output handle = MakeQueue(scope, "PaddingFIFOQueueV2", "padding_fifo_queue",
                                  QueueAttrs(capacity, dtypes, shapes, options));
  *static_cast<QueueBase*>(this) = QueueBase(handle, dtypes, shapes, options.component_names);
}

PriorityQueue::PriorityQueue(ScopeRef scope_ref, int64_t capacity, const std::vector<DType>& types,
                             const std::vector<PartialShape>& shapes, const QueueOptions& options) {
  const Scope scope = scope_ref.scope();
  std::vector<DType> dtypes = types;
  dtypes.insert(dtypes.begin(), DType::kInt64);
  std::vector<PartialShape> all = shapes;
  if (!shapes.empty()) all.insert(all.begin(), PartialShape(Shape()));
  if (!CheckComponents(scope, "a PriorityQueue", dtypes, all, options)) return;
  const Output handle = MakeQueue(scope, "PriorityQueueV2", "priority_queue",
                                  QueueAttrs(capacity, types, shapes, options));
  *static_cast<QueueBase*>(this) = QueueBase(handle, dtypes, all, options.component_names);
}

}  // namespace frontend
}  // namespace warpbeam
