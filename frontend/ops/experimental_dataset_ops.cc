// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/experimental_dataset_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output DirectedInterleaveDataset(ScopeRef scope, const Input& selector_input_dataset,
    const InputList& data_input_datasets, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const DirectedInterleaveDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "DirectedInterleaveDataset", {selector_input_dataset, data_input_datasets},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output GroupByWindowDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& key_func_other_arguments, const InputList& reduce_func_other_arguments,
    const InputList& window_size_func_other_arguments, const FunctionRef& key_func,
    const FunctionRef& reduce_func, const FunctionRef& window_size_func,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const GroupByWindowDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "GroupByWindowDataset", {input_dataset, key_func_other_arguments,
          reduce_func_other_arguments, window_size_func_other_arguments},
      OpAttrs(attrs)
          .Set("key_func", key_func)
          .Set("reduce_func", reduce_func)
          .Set("window_size_func", window_size_func)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output IgnoreErrorsDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const IgnoreErrorsDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "IgnoreErrorsDataset", {input_dataset},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Operation InitializeTableFromDataset(ScopeRef scope, const Input& table_handle, const Input& dataset) {
  return BuildOp(
      scope.scope(), "InitializeTableFromDataset", {table_handle, dataset},
      OpAttrs());
}

Output LatencyStatsDataset(ScopeRef scope, const Input& input_dataset, const Input& tag,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "LatencyStatsDataset", {input_dataset, tag},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output MaxIntraOpParallelismDataset(ScopeRef scope, const Input& input_dataset,
    const Input& max_intra_op_parallelism, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "MaxIntraOpParallelismDataset", {input_dataset, max_intra_op_parallelism},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output NonSerializableDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "NonSerializableDataset", {input_dataset},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ParallelInterleaveDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& sloppy, const Input& buffer_output_elements, const Input& prefetch_input_elements,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParallelInterleaveDataset", {input_dataset, other_arguments, cycle_length,
          block_length, sloppy, buffer_output_elements, prefetch_input_elements},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output PrivateThreadPoolDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_threads, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "PrivateThreadPoolDataset", {input_dataset, num_threads},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output RandomDataset(ScopeRef scope, const Input& seed, const Input& seed2,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const RandomDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomDataset", {seed, seed2},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output RebatchDataset(ScopeRef scope, const Input& input_dataset, const Input& num_replicas,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const RebatchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RebatchDataset", {input_dataset, num_replicas},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output RebatchDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& batch_sizes,
    const Input& drop_remainder, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "RebatchDatasetV2", {input_dataset, batch_sizes, drop_remainder},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ScanDataset(ScopeRef scope, const Input& input_dataset, const InputList& initial_state,
    const InputList& other_arguments, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ScanDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScanDataset", {input_dataset, initial_state, other_arguments},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output TakeWhileDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const FunctionRef& predicate,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const TakeWhileDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TakeWhileDataset", {input_dataset, other_arguments},
      OpAttrs(attrs)
          .Set("predicate", predicate)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output UnbatchDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const UnbatchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "UnbatchDataset", {input_dataset},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output UniqueDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const UniqueDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "UniqueDataset", {input_dataset},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
