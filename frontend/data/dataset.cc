#include "frontend/data/dataset.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/data/dataset_function.h"
#include "frontend/function_graph.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

Scope WithoutLocation(const Scope& scope) {
  return Scope(scope.shared_state(), scope.shared_context());
}

// What dimensions of batches can know of their size; -1 for nothing.
int64_t KnownNumber(const Input& number) {
  if (!number.is_value()) return -1;
  const StatusOr<Tensor> value = number.ValueAs(DType::kInt64);
  return value.ok() && value->num_elements() == 1 ? value->data<int64_t>()[0] : -1;
}

}  // namespace

Dataset::Dataset(const Scope& scope, Output variant, ElementSpec spec)
    : scope_(WithoutLocation(scope)), variant_(std::move(variant)), spec_(std::move(spec)) {
  CheckSpec(scope, &spec_);
}

Scope Dataset::At(Where where) const {
  const Scope scope = scope_.At(where);
  if (!target_.device.empty()) {
    scope.Fail(InvalidArgument("PrefetchToDevice must be the last of a dataset's transformations"));
  }
  return scope;
}

Dataset Dataset::Chain(const Scope& scope, const char* op, const std::vector<Input>& arguments,
                       ElementSpec spec, AttrMap attrs) const {
  std::vector<ArgumentInput> inputs = {variant_};
  for (const Input& argument : arguments) inputs.push_back(argument);
  OpAttrs all = SpecAttrs(spec);
  for (const AttrMap::Entry& entry : attrs) all.Set(entry.first.c_str(), entry.second);
  return Next(BuildOutput(scope, op, inputs, all), std::move(spec));
}

Dataset Dataset::Next(Output variant, ElementSpec spec) const {
  Dataset next(scope_, std::move(variant), std::move(spec));
  next.options_ = options_;
  return next;
}

Dataset Dataset::Map(const MapFunction& function, Where where) const {
  const Scope scope = At(where);
  const DatasetFunction call = MakeDatasetFunction(scope, spec_, function, "Dataset_map");
  OpAttrs attrs = SpecAttrs(call.results);
  attrs.Set("f", call.function).Set("use_inter_op_parallelism", true);
  return Next(BuildOutput(scope, "MapDataset", {variant_, InputList(call.captures)}, attrs),
              call.results);
}

Dataset Dataset::Map(const MapFunction& function, int64_t num_parallel_calls, Where where) const {
  const Scope scope = At(where);
  const DatasetFunction call = MakeDatasetFunction(scope, spec_, function, "Dataset_map");
  OpAttrs attrs = SpecAttrs(call.results);
  attrs.Set("f", call.function).Set("use_inter_op_parallelism", true);
  attrs.Set("deterministic", "default");
  const Output count = Int64(scope, "num_parallel_calls", num_parallel_calls);
  return Next(BuildOutput(scope, "ParallelMapDatasetV2",
                          {variant_, InputList(call.captures), count}, attrs),
              call.results);
}

Dataset Dataset::FlatMap(const DatasetMapFunction& function, Where where) const {
  const Scope scope = At(where);
  const auto [call, inner] = MakeFunctionToDataset(scope, spec_, function, "Dataset_flat_map");
  OpAttrs attrs = SpecAttrs(inner);
  attrs.Set("f", call.function);
  return Next(BuildOutput(scope, "FlatMapDataset", {variant_, InputList(call.captures)}, attrs),
              inner);
}

Dataset Dataset::Filter(const Predicate& predicate, Where where) const {
  const Scope scope = At(where);
  const DatasetFunction call =
      MakeDatasetFunction(scope, spec_, MapOf(predicate), "Dataset_filter");
  OpAttrs attrs = SpecAttrs(spec_);
  attrs.Set("predicate", call.function);
  return Next(BuildOutput(scope, "FilterDataset", {variant_, InputList(call.captures)}, attrs),
              spec_);
}

Dataset Dataset::Shuffle(const Input& buffer_size, std::optional<int64_t> seed,
                         bool reshuffle_each_iteration, Where where) const {
  const Scope scope = At(where);
  const Output size = Int64(scope, "buffer_size", buffer_size);
  const auto seeds = scope.state().NextSeeds(seed.has_value() ? &*seed : nullptr);
  const Output first = Int64(scope, "seed", seeds.first);
  const Output second = Int64(scope, "seed2", seeds.second);
  AttrMap attrs;
  attrs.Set("reshuffle_each_iteration", reshuffle_each_iteration);
  return Chain(scope, "ShuffleDataset", {size, first, second}, spec_, attrs);
}

Dataset Dataset::Repeat(const Input& count, Where where) const {
  const Scope scope = At(where);
  return Chain(scope, "RepeatDataset", {Int64(scope, "count", count)}, spec_, {});
}

Dataset Dataset::Batch(const Input& batch_size, bool drop_remainder, Where where) const {
  const Scope scope = At(where);
  ElementSpec spec = spec_;
  for (PartialShape& shape : spec.shapes) {
    if (!shape.has_rank()) continue;
    std::vector<int64_t> dims = shape.dims();
    dims.insert(dims.begin(), drop_remainder ? KnownNumber(batch_size) : -1);
    shape = PartialShape(std::move(dims));
  }
  const Output size = Int64(scope, "batch_size", batch_size);
  const Output drop = Constant(scope.Named("drop_remainder"), drop_remainder);
  return Chain(scope, "BatchDatasetV2", {size, drop}, std::move(spec), {});
}

Dataset Dataset::Prefetch(const Input& buffer_size, Where where) const {
  const Scope scope = At(where);
  const Output size = Int64(scope, "buffer_size", buffer_size);
  AttrMap attrs;
  attrs.Set("legacy_autotune", false);
  return Chain(scope.ColocateWith(variant_), "PrefetchDataset", {size}, spec_, attrs);
}

Dataset Dataset::PrefetchToDevice(const std::string& device, int64_t buffer_size,
                                  Where where) const {
  const Scope scope = At(where);
  if (device.empty()) scope.Fail(InvalidArgument("PrefetchToDevice: no device is named"));
  if (buffer_size < 0 && buffer_size != kAutotune) {
    scope.Fail(InvalidArgument("PrefetchToDevice: buffer_size must be >= 0 or kAutotune, got ",
                               buffer_size));
  }
  Dataset result = *this;
  result.target_ = {device, buffer_size};
  return result;
}

Dataset Dataset::Take(const Input& count, Where where) const {
  const Scope scope = At(where);
  return Chain(scope, "TakeDataset", {Int64(scope, "count", count)}, spec_, {});
}

Dataset Dataset::Skip(const Input& count, Where where) const {
  const Scope scope = At(where);
  return Chain(scope, "SkipDataset", {Int64(scope, "count", count)}, spec_, {});
}

Iterator Dataset::MakeOneShotIterator(Where where) const {
  const Scope scope = scope_.At(where);
  if (!scope.ok()) return Iterator(spec_);
  StatusOr<FunctionRef> factory = CopyIntoFunction(scope, variant_, "make_dataset");
  if (!factory.ok()) {
    scope.Fail(factory.status());
    return Iterator(spec_);
  }
  const Scope beside = scope.ColocateWith(variant_);
  OpAttrs attrs = SpecAttrs(spec_);
  attrs.Set("dataset_factory", *factory);
  return Iterator(scope, variant_, BuildOutput(beside, "OneShotIterator", {}, attrs), spec_,
                  target_);
}

Iterator Dataset::MakeInitializableIterator(Where where) const {
  const Scope scope = scope_.At(where);
  if (!scope.ok()) return Iterator(spec_);
  const Scope beside = scope.ColocateWith(variant_);
  OpAttrs attrs = SpecAttrs(spec_);
  attrs.Set("shared_name", "").Set("container", "");
  const Output resource = BuildOutput(beside, "IteratorV2", {}, attrs);
  const Operation initializer =
      BuildOp(scope.ColocateWith(resource), "MakeIterator", {variant_, resource});
  Iterator iterator(scope, variant_, resource, spec_, target_);
  iterator.initializer_ = initializer;
  return iterator;
}

Iterator::Iterator(const Scope& outer, const Output& variant, Output resource, ElementSpec spec,
                   DeviceTarget target)
    : outer_(WithoutLocation(outer)),
      scope_(outer.ColocateWith(variant)),
      resource_(std::move(resource)),
      spec_(std::move(spec)),
      target_(std::move(target)) {
  // That of a dataset stands beside its iterator.
  string_handle_ = BuildOutput(variant.valid() ? scope_->ColocateWith(resource_) : *scope_,
                               "IteratorToStringHandle", {resource_});
  scope_ = WithoutLocation(*scope_);
}

Element Iterator::GetNext(SourceLocation where) const {
  if (!scope_.has_value() || !resource_.valid()) return Element(spec_.types.size());
  if (!target_.device.empty()) {
    const Scope scope = outer_->At(where).NoDevice().Device(target_.device);
    OpAttrs attrs = SpecAttrs(spec_);
    attrs.Set("buffer_size", target_.buffer_size);
    return BuildOutputs(scope.Named("IteratorGetNext"), "_IteratorGetNextOnDevice",
                        {string_handle_}, attrs, static_cast<int>(spec_.types.size()));
  }
  const Scope scope = scope_->At(where).ColocateWith(resource_);
  return BuildOutputs(scope, "IteratorGetNext", {resource_}, SpecAttrs(spec_),
                      static_cast<int>(spec_.types.size()));
}

Iterator Iterator::FromStringHandle(ScopeRef scope_ref, const Input& string_handle,
                                    ElementSpec spec) {
  const Scope scope = scope_ref.scope();
  CheckSpec(scope, &spec);
  const Output resource =
      BuildOutput(scope, "IteratorFromStringHandleV2", {string_handle}, SpecAttrs(spec));
  return Iterator(scope, Output(), resource, std::move(spec), {});
}

Iterator Iterator::FromStructure(ScopeRef scope_ref, ElementSpec spec,
                                 const std::string& shared_name) {
  const Scope scope = scope_ref.scope();
  CheckSpec(scope, &spec);
  OpAttrs attrs = SpecAttrs(spec);
  attrs.Set("shared_name", shared_name).Set("container", "");
  const Output resource = BuildOutput(scope, "IteratorV2", {}, attrs);
  return Iterator(scope, Output(), resource, std::move(spec), {});
}

Operation Iterator::MakeInitializer(const Dataset& dataset, SourceLocation where) const {
  if (!scope_.has_value() || !resource_.valid()) return Operation();
  const Scope scope = outer_->At(where);
  if (dataset.spec().types != spec_.types) {
    scope.Fail(InvalidArgument("MakeInitializer: the dataset's elements have other types than the ",
                               "iterator's"));
    return Operation();
  }
  return BuildOp(scope.Named("make_initializer").ColocateWith(resource_), "MakeIterator",
                 {dataset.variant(), resource_});
}

Output Iterator::GetNextAsOptional(SourceLocation where) const {
  if (!scope_.has_value() || !resource_.valid()) return Output();
  return BuildOutput(scope_->At(where).ColocateWith(resource_), "IteratorGetNextAsOptional",
                     {resource_}, SpecAttrs(spec_));
}

Dataset TFRecordDataset(ScopeRef scope_ref, const std::vector<std::string>& filenames,
                        const std::string& compression) {
  const Scope scope = scope_ref.scope();
  const Output names = Constant(scope, filenames);
  const Output flat = Reshape(scope.Named("flat_filenames"), names, {-1});
  OpAttrs attrs;
  attrs.Set("Toutput_types", std::vector<DType>{DType::kString});
  attrs.Set("is_files", true);
  const ElementSpec spec = {{DType::kString}, {PartialShape(Shape())}};
  attrs.Set("output_shapes", spec.shapes);
  const Dataset files(scope, BuildOutput(scope, "TensorSliceDataset", {InputList({flat})}, attrs),
                      spec);
  return files.FlatMap(
      [&](const Scope& body, const Element& file) {
        const Output type = Constant(body.Named("compression_type"), compression);
        const Output buffer = Int64(body, "buffer_size", -1);  // the runtime's choice
        return Dataset(body, BuildOutput(body, "TFRecordDataset", {file[0], type, buffer}), spec);
      },
      scope.location());
}

namespace {

// The tensors of an element, as tf.data names them.
std::vector<Output> Components(const Scope& scope, const InputList& tensors) {
  const Scope inside = scope.NameScope("normalize_element");
  std::vector<Output> components;
  for (const Input& tensor : tensors.items()) {
    const std::string name = absl::StrCat("component_", components.size());
    components.push_back(AsOutput(inside.Named(name), tensor));
  }
  return components;
}

}  // namespace

Dataset FromTensorSlices(ScopeRef scope_ref, const InputList& tensors) {
  const Scope scope = scope_ref.scope();
  const std::vector<Output> components = Components(scope, tensors);
  ElementSpec spec;
  for (const Output& component : components) {
    const PartialShape shape = component.shape();
    if (component.valid() && shape.rank() == 0) {
      scope.Fail(InvalidArgument("FromTensorSlices: '", component.name(),
                                 "' is a scalar and has no rows; use FromTensors"));
    }
    spec.types.push_back(component.dtype());
    spec.shapes.push_back(shape.rank() > 0 ? PartialShape(std::vector<int64_t>(
                                                 shape.dims().begin() + 1, shape.dims().end()))
                                           : PartialShape());
  }
  OpAttrs attrs;
  attrs.Set("Toutput_types", spec.types).Set("output_shapes", spec.shapes);
  return Dataset(scope, BuildOutput(scope, "TensorSliceDataset", {InputList(components)}, attrs),
                 spec);
}

Dataset FromTensors(ScopeRef scope_ref, const InputList& tensors) {
  const Scope scope = scope_ref.scope();
  const std::vector<Output> components = Components(scope, tensors);
  const ElementSpec spec = SpecOf(components);
  OpAttrs attrs;
  attrs.Set("Toutput_types", spec.types).Set("output_shapes", spec.shapes);
  return Dataset(scope, BuildOutput(scope, "TensorDataset", {InputList(components)}, attrs), spec);
}

Dataset Range(ScopeRef scope_ref, int64_t start, int64_t stop, int64_t step) {
  const Scope scope = scope_ref.scope();
  const ElementSpec spec = {{DType::kInt64}, {PartialShape(Shape())}};
  const Output from = Int64(scope, "start", start);
  const Output to = Int64(scope, "stop", stop);
  const Output by = Int64(scope, "step", step);
  return Dataset(scope, BuildOutput(scope, "RangeDataset", {from, to, by}, SpecAttrs(spec)), spec);
}

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
