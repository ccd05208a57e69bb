// What makes datasets of other datasets, but for the plainest (dataset.cc).
#include <limits>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/data/dataset.h"
#include "frontend/data/dataset_function.h"
#include "frontend/graph_state.h"
#include "frontend/host_tensor/tensor_shape.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

ElementSpec Join(const ElementSpec& a, const ElementSpec& b) {
  ElementSpec both = a;
  both.types.insert(both.types.end(), b.types.begin(), b.types.end());
  both.shapes.insert(both.shapes.end(), b.shapes.begin(), b.shapes.end());
  return both;
}

PartialShape WithoutFirst(const PartialShape& shape) {
  if (shape.rank() < 1) return PartialShape();
  return PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
}

PartialShape WithFirst(const PartialShape& shape, int64_t first) {
  if (!shape.has_rank()) return PartialShape();
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin(), first);
  return PartialShape(std::move(dims));
}

// The function of a state and an element, built again with a less known shape of the state where
// it makes another one of it.
template <typename Build>
DatasetFunction WithState(const Scope& scope, const char* name, ElementSpec* state,
                          const ElementSpec& element, const Build& build) {
  for (;;) {
    const size_t size = state->types.size();
    const DatasetFunction call = MakeDatasetFunction(
        scope, Join(*state, element),
        [&](const Scope& body, const Element& all) {
          return build(body, Element(all.begin(), all.begin() + size),
                       Element(all.begin() + size, all.end()));
        },
        name);
    if (!scope.ok()) return call;
    bool fits = call.results.types.size() >= size;
    for (size_t i = 0; fits && i < size; ++i) fits = call.results.types[i] == state->types[i];
    if (!fits) {
      scope.Fail(InvalidArgument(name, ": the function must give the state's ", size,
                                 " tensors in their types first"));
      return call;
    }
    bool is_known = true;
    for (size_t i = 0; i < size; ++i) {
      const PartialShape common =
          MostSpecificCompatibleShape(state->shapes[i], call.results.shapes[i]);
      is_known = is_known && common.ToString() == state->shapes[i].ToString();
      state->shapes[i] = common;
    }
    if (is_known) return call;
  }
}

std::vector<Output> InitialState(const Scope& scope, const InputList& initial_state) {
  std::vector<Output> state;
  for (const Input& part : initial_state.items()) {
    const std::string name = absl::StrCat("component_", state.size());
    state.push_back(AsOutput(scope.Named(name), part));
  }
  return state;
}

// tf.data maps elements so, for some of them might be sparse.
Element Unchanged(const Scope&, const Element& element) { return element; }

// As tf.data marks the numbers of Enumerate.
Dataset ReplicatedOnSplit(const Scope& scope, const Dataset& dataset) {
  return Dataset(scope,
                 BuildOutput(scope, "RewriteDataset", {dataset.variant(), "replicate_on_split"},
                             SpecAttrs(dataset.spec())),
                 dataset.spec());
}

}  // namespace

Dataset Dataset::Interleave(const DatasetMapFunction& function, const Input& cycle_length,
                            const Input& block_length, std::optional<int64_t> num_parallel_calls,
                            Where where) const {
  const Scope scope = At(where);
  const auto [call, inner] = MakeFunctionToDataset(scope, spec_, function, "Dataset_interleave");
  OpAttrs attrs = SpecAttrs(inner);
  attrs.Set("f", call.function);
  const Output cycle = Int64(scope, "cycle_length", cycle_length);
  const Output block = Int64(scope, "block_length", block_length);
  if (!num_parallel_calls.has_value()) {
    return Next(BuildOutput(scope, "InterleaveDataset",
                            {variant_, InputList(call.captures), cycle, block}, attrs),
                inner);
  }
  const Output buffer = Int64(scope, "buffer_output_elements", kAutotune);
  const Output prefetch = Int64(scope, "prefetch_input_elements", kAutotune);
  const Output calls = Int64(scope, "num_parallel_calls", *num_parallel_calls);
  attrs.Set("deterministic", "default");
  return Next(
      BuildOutput(scope, "ParallelInterleaveDatasetV4",
                  {variant_, InputList(call.captures), cycle, block, buffer, prefetch, calls},
                  attrs),
      inner);
}

Dataset Dataset::PaddedBatch(const Input& batch_size,
                             const std::vector<PartialShape>& padded_shapes,
                             const std::vector<Input>& padding_values, bool drop_remainder,
                             Where where) const {
  const Scope scope = At(where);
  const size_t components = spec_.types.size();
  if ((!padded_shapes.empty() && padded_shapes.size() != components) ||
      (!padding_values.empty() && padding_values.size() != components)) {
    scope.Fail(InvalidArgument("PaddedBatch: the elements have ", components, " components, but ",
                               padded_shapes.size(), " padded_shapes and ", padding_values.size(),
                               " padding_values are given"));
  }
  if (!scope.ok()) return Next(Output(), spec_);
  const Output size = Int64(scope, "batch_size", batch_size);
  std::vector<Output> shapes, values;
  ElementSpec spec = spec_;
  for (size_t i = 0; i < components; ++i) {
    const PartialShape& shape = padded_shapes.empty() ? spec_.shapes[i] : padded_shapes[i];
    if (!shape.has_rank()) {
      scope.Fail(InvalidArgument("PaddedBatch: component ", i, " has an unknown number of ",
                                 "dimensions; say it in padded_shapes"));
      return Next(Output(), spec_);
    }
    shapes.push_back(Constant(scope, shape.dims(), DType::kInt64));
    const bool known = drop_remainder && batch_size.is_value();
    const int64_t rows = known ? batch_size.ValueAs(DType::kInt64)
                                     .value_or(Tensor::Scalar<int64_t>(-1))
                                     .data<int64_t>()[0]
                               : -1;
    spec.shapes[i] = WithFirst(shape, rows);
  }
  for (size_t i = 0; i < components; ++i) {
    const Scope named = scope.Named("padding_value");
    const DType dtype = spec_.types[i];
    if (!padding_values.empty()) {
      values.push_back(AsOutput(named, padding_values[i], dtype));
    } else if (dtype == DType::kString) {
      values.push_back(Constant(named, ""));
    } else if (dtype == DType::kBool) {
      values.push_back(Constant(named, false));
    } else {
      values.push_back(Constant(named, 0, dtype));
    }
  }
  const Output drop = Named(scope, "drop_remainder", drop_remainder);
  return Next(BuildOutput(scope, "PaddedBatchDatasetV2",
                          {variant_, size, InputList(shapes), InputList(values), drop},
                          OpAttrs().Set("output_shapes", spec.shapes)),
              spec);
}

Dataset Dataset::TakeWhile(const Predicate& predicate, Where where) const {
  const Scope scope = At(where);
  const DatasetFunction call =
      MakeDatasetFunction(scope, spec_, MapOf(predicate), "Dataset_take_while");
  OpAttrs attrs = SpecAttrs(spec_);
  attrs.Set("predicate", call.function);
  return Next(BuildOutput(scope, "TakeWhileDataset", {variant_, InputList(call.captures)}, attrs),
              spec_);
}

Dataset Dataset::Shard(const Input& num_shards, const Input& index, Where where) const {
  const Scope scope = At(where);
  const Output count = Int64(scope, "num_shards", num_shards);
  return Chain(scope, "ShardDataset", {count, Int64(scope, "index", index)}, spec_, {});
}

Dataset Dataset::Concatenate(const Dataset& other, Where where) const {
  const Scope scope = At(where);
  if (other.spec_.types != spec_.types) {
    scope.Fail(InvalidArgument("Concatenate: the elements of the two datasets have other types"));
    return Next(Output(), spec_);
  }
  ElementSpec spec = spec_;
  for (size_t i = 0; i < spec.shapes.size(); ++i) {
    spec.shapes[i] = MostSpecificCompatibleShape(spec.shapes[i], other.spec_.shapes[i]);
  }
  return Chain(scope, "ConcatenateDataset", {other.variant_}, spec, {});
}

Dataset Dataset::Enumerate(int64_t start, Where where) const {
  const Scope scope = At(where);
  const Dataset numbers =
      ReplicatedOnSplit(scope, Range(scope, start, std::numeric_limits<int64_t>::max()));
  return Zip({numbers, *this}, where);
}

Dataset Dataset::Cache(const std::string& filename, Where where) const {
  const Scope scope = At(where);
  return Chain(scope, "CacheDataset", {Named(scope, "filename", filename)}, spec_, {});
}

Dataset Dataset::Unique(Where where) const {
  return Chain(At(where), "UniqueDataset", {}, spec_, {});
}

Dataset Dataset::Unbatch(Where where) const {
  const Dataset dense = Map(Unchanged, where);
  ElementSpec spec = spec_;
  for (PartialShape& shape : spec.shapes) shape = WithoutFirst(shape);
  return dense.Chain(At(where), "UnbatchDataset", {}, std::move(spec), {});
}

Dataset Dataset::Rebatch(const Input& batch_size, bool drop_remainder, Where where) const {
  const Dataset dense = Map(Unchanged, where);
  ElementSpec spec = spec_;
  for (PartialShape& shape : spec.shapes) shape = WithFirst(WithoutFirst(shape), -1);
  return dense.Chain(At(where), "RebatchDatasetV2", {batch_size, drop_remainder}, std::move(spec),
                     {});
}

Dataset Dataset::Window(const Input& size, const Input& shift, const Input& stride,
                        bool drop_remainder, Where where) const {
  const Scope scope = At(where);
  const Output count = Int64(scope, "size", size);
  const StatusOr<Tensor> moved =
      shift.is_value() ? shift.ValueAs(DType::kInt64) : StatusOr<Tensor>(Tensor());
  const bool by_size = shift.is_value() && moved.ok() && moved->num_elements() == 1 &&
                       moved->data<int64_t>()[0] == 0;
  const Output step = Int64(scope, "shift", by_size ? size : shift);
  const Output every = Int64(scope, "stride", stride);
  const Output drop = Named(scope, "drop_remainder", drop_remainder);
  ElementSpec spec;
  for (size_t i = 0; i < spec_.types.size(); ++i) {
    spec = Join(spec, ScalarSpec(DType::kVariant));
  }
  return Chain(scope, "WindowDataset", {count, step, every, drop}, std::move(spec), {});
}

Dataset Dataset::Scan(const InputList& initial_state, const ScanFunction& function,
                      Where where) const {
  const Scope scope = At(where);
  const std::vector<Output> first =
      InitialState(scope.NameScope("normalize_element"), initial_state);
  ElementSpec state = SpecOf(first);
  CheckGiven(scope, function != nullptr, "Dataset_scan");
  const DatasetFunction call =
      WithState(scope, "Dataset_scan", &state, spec_,
                [&](const Scope& body, const Element& before, const Element& element) {
                  auto [after, made] = function(body, before, element);
                  for (const Output& component : made) after.push_back(component);
                  return after;
                });
  ElementSpec spec = call.results;
  if (!scope.ok()) return Next(Output(), spec_);
  spec.types.erase(spec.types.begin(), spec.types.begin() + first.size());
  spec.shapes.erase(spec.shapes.begin(), spec.shapes.begin() + first.size());
  OpAttrs attrs = SpecAttrs(spec);
  attrs.Set("f", call.function).Set("preserve_cardinality", true).Set("use_default_device", true);
  return Next(BuildOutput(scope, "ScanDataset",
                          {variant_, InputList(first), InputList(call.captures)}, attrs),
              spec);
}

Element Dataset::Reduce(const InputList& initial_state, const ReduceFunction& function,
                        Where where) const {
  const Scope scope = At(where);
  const std::vector<Output> first = InitialState(scope, initial_state);
  ElementSpec state = SpecOf(first);
  CheckGiven(scope, function != nullptr, "Dataset_reduce");
  const DatasetFunction call = WithState(scope, "Dataset_reduce", &state, spec_, function);
  if (!scope.ok()) return Element(first.size());
  if (call.results.types.size() != first.size()) {
    scope.Fail(InvalidArgument("Reduce: the state is ", first.size(), " tensors, the function ",
                               "gives ", call.results.types.size()));
    return Element(first.size());
  }
  OpAttrs attrs = SpecAttrs(state);
  attrs.Set("f", call.function).Set("use_inter_op_parallelism", true);
  return BuildOutputs(scope, "ReduceDataset",
                      {variant_, InputList(first), InputList(call.captures)}, attrs,
                      static_cast<int>(first.size()));
}

Dataset Dataset::GroupByWindow(const Predicate& key, const WindowFunction& reduce,
                               int64_t window_size, Where where) const {
  return GroupByWindow(
      key, reduce,
      [&](const Scope& body, const Output&) { return Constant(body, window_size, DType::kInt64); },
      where);
}

Dataset Dataset::GroupByWindow(
    const Predicate& key, const WindowFunction& reduce,
    const std::function<Output(const Scope& scope, const Output& key)>& size, Where where) const {
  const Scope scope = At(where);
  CheckGiven(scope, reduce != nullptr, "Dataset_reduce_window");
  CheckGiven(scope, size != nullptr, "Dataset_window_size");
  const DatasetFunction keys = MakeDatasetFunction(scope, spec_, MapOf(key), "Dataset_key");
  if (scope.ok() && keys.results.types != std::vector<DType>{DType::kInt64}) {
    scope.Fail(InvalidArgument("GroupByWindow: the key must be one int64 number"));
  }
  const auto [made, spec] = MakeFunctionToDataset(
      scope, Join(ScalarSpec(DType::kInt64), ScalarSpec(DType::kVariant)),
      [&](const Scope& body, const Element& arguments) {
        return reduce(body, arguments[0], FromVariant(body, arguments[1], spec_));
      },
      "Dataset_reduce_window");
  const DatasetFunction sizes = MakeDatasetFunction(
      scope, ScalarSpec(DType::kInt64),
      [&](const Scope& body, const Element& arguments) -> Element {
        return {size(body, arguments[0])};
      },
      "Dataset_window_size");
  OpAttrs attrs = SpecAttrs(spec);
  attrs.Set("key_func", keys.function).Set("reduce_func", made.function);
  attrs.Set("window_size_func", sizes.function);
  return Next(BuildOutput(scope, "GroupByWindowDataset",
                          {variant_, InputList(keys.captures), InputList(made.captures),
                           InputList(sizes.captures)},
                          attrs),
              spec);
}

Dataset Dataset::BucketBySequenceLength(const Predicate& length,
                                        const std::vector<int32_t>& bucket_boundaries,
                                        const std::vector<int64_t>& bucket_batch_sizes,
                                        const std::vector<PartialShape>& padded_shapes,
                                        bool drop_remainder, Where where) const {
  const Scope scope = At(where);
  CheckGiven(scope, length != nullptr, "Dataset_key");
  if (bucket_batch_sizes.size() != bucket_boundaries.size() + 1) {
    scope.Fail(InvalidArgument("BucketBySequenceLength: ", bucket_boundaries.size(),
                               " boundaries want one size more, got ", bucket_batch_sizes.size()));
    return Next(Output(), spec_);
  }
  const Output sizes = Constant(scope, bucket_batch_sizes, DType::kInt64);
  const auto size_of = [sizes](const Scope& body, const Output& key) {
    const Output here = BuildOutput(body, "GatherV2", {sizes, key, 0});
    here.set_shape(Shape());
    return here;
  };
  const auto bucket_of = [&](const Scope& body, const Element& element) {
    const Output here = length(body, element);
    std::vector<int32_t> least = bucket_boundaries, most = bucket_boundaries;
    least.insert(least.begin(), std::numeric_limits<int32_t>::min());
    most.push_back(std::numeric_limits<int32_t>::max());
    const Output inside =
        BuildOutput(body, "LogicalAnd", {LessEqual(body, least, here), Less(body, here, most)});
    return ReduceMin(body, BuildOutput(body, "Where", {inside}));
  };
  const auto batch = [&](const Scope& body, const Output& key, const Dataset& window) {
    return window.PaddedBatch(size_of(body, key), padded_shapes, {}, drop_remainder, where);
  };
  return GroupByWindow(bucket_of, batch, size_of, where);
}

Dataset Dataset::IgnoreErrors(bool log_warning, Where where) const {
  AttrMap attrs;
  attrs.Set("log_warning", log_warning);
  return Chain(At(where), "IgnoreErrorsDataset", {}, spec_, attrs);
}

Dataset Dataset::AssertCardinality(const Input& expected, Where where) const {
  const Scope scope = At(where);
  return Chain(scope, "AssertCardinalityDataset", {Int64(scope, "expected_cardinality", expected)},
               spec_, {});
}

Dataset Dataset::WithOptions(const Options& options, Where where) const {
  AttrMap attrs;
  attrs.Set("serialized_options", options.Serialize());
  Dataset result = Chain(At(where).ColocateWith(variant_), "OptionsDataset", {}, spec_, attrs);
  result.options_ = options_.Merge(options);
  return result;
}

Operation Dataset::Save(const std::string& path, Where where) const {
  const Scope scope = At(where);
  const DatasetFunction shard = MakeShardFunction(scope, spec_);
  return BuildOp(scope, "SaveDataset",
                 {variant_, Named(scope, "path", path), InputList(shard.captures)},
                 OpAttrs()
                     .Set("shard_func", shard.function)
                     .Set("compression", "")
                     .Set("use_shard_func", true));
}

Dataset Dataset::Snapshot(const std::string& path, const std::string& compression,
                          Where where) const {
  const Scope scope = At(where);
  const Dataset numbered = Enumerate(0, where);
  // Each element by its number to one of the files, and all of them back in turn.
  const DatasetFunction shard = MakeShardFunction(scope, numbered.spec_);
  const ElementSpec inner = numbered.spec_;
  const DatasetFunction reader = MakeReaderFunction(scope, inner, where);
  OpAttrs attrs = SpecAttrs(inner);
  attrs.Set("reader_func", reader.function).Set("shard_func", shard.function);
  attrs.Set("compression", compression);
  const Output written = BuildOutput(
      scope, "SnapshotDatasetV2",
      {numbered.variant_, path, InputList(reader.captures), InputList(shard.captures)}, attrs);
  return Next(written, inner)
      .Map(
          [](const Scope&, const Element& numbered_element) {
            Element element;
            for (size_t i = 1; i < numbered_element.size(); ++i) {
              element.push_back(numbered_element[i]);
            }
            return element;
          },
          where);
}

Dataset Dataset::SparseBatch(const Input& batch_size, const Shape& row_shape, Where where) const {
  const Scope scope = At(where);
  const Output size = Int64(scope, "batch_size", batch_size);
  const Output row = Constant(
      scope.Named("row_shape"),
      std::vector<int64_t>(row_shape.dims().begin(), row_shape.dims().end()), DType::kInt64);
  // A sparse tensor is one variant, as tf.data hands them on.
  const ElementSpec spec = {{DType::kVariant}, {PartialShape({3})}};
  return Chain(scope, "DenseToSparseBatchDataset", {size, row}, spec, {});
}

Output Dataset::Cardinality(Where where) const {
  return BuildOutput(At(where), "DatasetCardinality", {variant_});
}

Element Dataset::GetSingleElement(Where where) const {
  return BuildOutputs(At(where), "DatasetToSingleElement", {variant_}, SpecAttrs(spec_),
                      static_cast<int>(spec_.types.size()));
}

Dataset FromVariant(ScopeRef scope, const Output& variant, ElementSpec spec) {
  return Dataset(scope.scope(), variant, std::move(spec));
}

Dataset Zip(const std::vector<Dataset>& datasets, SourceLocation where) {
  if (datasets.empty()) return NoDataset("Zip", where);
  const Scope scope = datasets[0].scope().At(where);
  ElementSpec spec;
  std::vector<Output> variants;
  for (const Dataset& dataset : datasets) {
    spec = Join(spec, dataset.spec());
    variants.push_back(dataset.variant());
  }
  return Dataset(scope, BuildOutput(scope, "ZipDataset", {InputList(variants)}, SpecAttrs(spec)),
                 spec);
}

}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
