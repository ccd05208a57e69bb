// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/dataset_ops_2.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output ParallelInterleaveDatasetV3(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV3Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParallelInterleaveDatasetV3", {input_dataset, other_arguments, cycle_length,
          block_length, num_parallel_calls},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ParallelInterleaveDatasetV4(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& buffer_output_elements, const Input& prefetch_input_elements,
    const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV4Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParallelInterleaveDatasetV4", {input_dataset, other_arguments, cycle_length,
          block_length, buffer_output_elements, prefetch_input_elements, num_parallel_calls},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ParallelMapDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& num_parallel_calls, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParallelMapDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParallelMapDataset", {input_dataset, other_arguments, num_parallel_calls},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ParallelMapDatasetV2(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& num_parallel_calls, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParallelMapDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParallelMapDatasetV2", {input_dataset, other_arguments, num_parallel_calls},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output PrefetchDataset(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const PrefetchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "PrefetchDataset", {input_dataset, buffer_size},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output RangeDataset(ScopeRef scope, const Input& start, const Input& stop, const Input& step,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const RangeDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RangeDataset", {start, stop, step},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

std::vector<Output> ReduceDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& initial_state, const InputList& other_arguments, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ReduceDatasetAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "ReduceDataset", {input_dataset, initial_state, other_arguments},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output RepeatDataset(ScopeRef scope, const Input& input_dataset, const Input& count,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const RepeatDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RepeatDataset", {input_dataset, count},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output RewriteDataset(ScopeRef scope, const Input& input_dataset, const Input& rewrite_name,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "RewriteDataset", {input_dataset, rewrite_name},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output SerializeIterator(ScopeRef scope, const Input& resource_handle,
    const SerializeIteratorAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SerializeIterator", {resource_handle},
      attrs);
}

Output ShardDataset(ScopeRef scope, const Input& input_dataset, const Input& num_shards,
    const Input& index, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ShardDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ShardDataset", {input_dataset, num_shards, index},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ShuffleAndRepeatDataset(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const Input& seed, const Input& seed2, const Input& count,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ShuffleAndRepeatDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ShuffleAndRepeatDataset", {input_dataset, buffer_size, seed, seed2, count},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ShuffleAndRepeatDatasetV2(ScopeRef scope, const Input& input_dataset,
    const Input& buffer_size, const Input& seed, const Input& seed2, const Input& count,
    const Input& seed_generator, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ShuffleAndRepeatDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ShuffleAndRepeatDatasetV2", {input_dataset, buffer_size, seed, seed2, count,
          seed_generator},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ShuffleDataset(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const Input& seed, const Input& seed2, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ShuffleDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ShuffleDataset", {input_dataset, buffer_size, seed, seed2},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ShuffleDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const Input& seed_generator, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ShuffleDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ShuffleDatasetV2", {input_dataset, buffer_size, seed_generator},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ShuffleDatasetV3(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const Input& seed, const Input& seed2, const Input& seed_generator,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ShuffleDatasetV3Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ShuffleDatasetV3", {input_dataset, buffer_size, seed, seed2, seed_generator},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output SkipDataset(ScopeRef scope, const Input& input_dataset, const Input& count,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const SkipDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SkipDataset", {input_dataset, count},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output SparseTensorSliceDataset(ScopeRef scope, const Input& indices, const Input& values,
    const Input& dense_shape) {
  return BuildOutput(
      scope.scope(), "SparseTensorSliceDataset", {indices, values, dense_shape},
      OpAttrs());
}

Output TFRecordDataset(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const TFRecordDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TFRecordDataset", {filenames, compression_type, buffer_size},
      attrs);
}

Output TFRecordDatasetV2(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const Input& byte_offsets, const TFRecordDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "TFRecordDatasetV2", {filenames, compression_type, buffer_size, byte_offsets},
      attrs);
}

Output TakeDataset(ScopeRef scope, const Input& input_dataset, const Input& count,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const TakeDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TakeDataset", {input_dataset, count},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output TensorDataset(ScopeRef scope, const InputList& components,
    const std::vector<PartialShape>& output_shapes, const TensorDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorDataset", {components},
      OpAttrs(attrs)
          .Set("output_shapes", output_shapes));
}

Output TensorSliceDataset(ScopeRef scope, const InputList& components,
    const std::vector<PartialShape>& output_shapes, const TensorSliceDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorSliceDataset", {components},
      OpAttrs(attrs)
          .Set("output_shapes", output_shapes));
}

Output TextLineDataset(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const TextLineDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TextLineDataset", {filenames, compression_type, buffer_size},
      attrs);
}

Output UnwrapDatasetVariant(ScopeRef scope, const Input& input_handle) {
  return BuildOutput(
      scope.scope(), "UnwrapDatasetVariant", {input_handle},
      OpAttrs());
}

Output WindowDataset(ScopeRef scope, const Input& input_dataset, const Input& size,
    const Input& shift, const Input& stride, const Input& drop_remainder,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const WindowDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "WindowDataset", {input_dataset, size, shift, stride, drop_remainder},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output WindowOp(ScopeRef scope, const InputList& inputs, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "WindowOp", {inputs},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output WrapDatasetVariant(ScopeRef scope, const Input& input_handle) {
  return BuildOutput(
      scope.scope(), "WrapDatasetVariant", {input_handle},
      OpAttrs());
}

Output ZipDataset(ScopeRef scope, const InputList& input_datasets,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ZipDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ZipDataset", {input_datasets},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
