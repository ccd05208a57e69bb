// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/experimental_dataset_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output AssertCardinalityDataset(ScopeRef scope, const Input& input_dataset,
    const Input& cardinality, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "AssertCardinalityDataset", {input_dataset, cardinality},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output AssertNextDataset(ScopeRef scope, const Input& input_dataset, const Input& transformations,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "AssertNextDataset", {input_dataset, transformations},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output AssertPrevDataset(ScopeRef scope, const Input& input_dataset, const Input& transformations,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "AssertPrevDataset", {input_dataset, transformations},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output AutoShardDataset(ScopeRef scope, const Input& input_dataset, const Input& num_workers,
    const Input& index, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const AutoShardDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "AutoShardDataset", {input_dataset, num_workers, index},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output BytesProducedStatsDataset(ScopeRef scope, const Input& input_dataset, const Input& tag,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "BytesProducedStatsDataset", {input_dataset, tag},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output CSVDataset(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const Input& header, const Input& field_delim,
    const Input& use_quote_delim, const Input& na_value, const Input& select_cols,
    const InputList& record_defaults, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "CSVDataset", {filenames, compression_type, buffer_size, header, field_delim,
          use_quote_delim, na_value, select_cols, record_defaults},
      OpAttrs()
          .Set("output_shapes", output_shapes));
}

Output CSVDatasetV2(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const Input& header, const Input& field_delim,
    const Input& use_quote_delim, const Input& na_value, const Input& select_cols,
    const InputList& record_defaults, const Input& exclude_cols,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "CSVDatasetV2", {filenames, compression_type, buffer_size, header, field_delim,
          use_quote_delim, na_value, select_cols, record_defaults, exclude_cols},
      OpAttrs()
          .Set("output_shapes", output_shapes));
}

Output ChooseFastestBranchDataset(ScopeRef scope, const Input& input_dataset,
    const Input& ratio_numerator, const Input& ratio_denominator, const InputList& other_arguments,
    int64_t num_elements_per_branch, const std::vector<FunctionRef>& branches,
    const std::vector<int64_t>& other_arguments_lengths, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ChooseFastestBranchDataset", {input_dataset, ratio_numerator,
          ratio_denominator, other_arguments},
      OpAttrs()
          .Set("num_elements_per_branch", num_elements_per_branch)
          .Set("branches", branches)
          .Set("other_arguments_lengths", other_arguments_lengths)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ChooseFastestDataset(ScopeRef scope, const InputList& input_datasets,
    int64_t num_experiments, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ChooseFastestDataset", {input_datasets},
      OpAttrs()
          .Set("num_experiments", num_experiments)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ComputeBatchSize(ScopeRef scope, const Input& input_dataset) {
  return BuildOutput(
      scope.scope(), "ComputeBatchSize", {input_dataset},
      OpAttrs());
}

Operation DatasetToTFRecord(ScopeRef scope, const Input& input_dataset, const Input& filename,
    const Input& compression_type) {
  return BuildOp(
      scope.scope(), "DatasetToTFRecord", {input_dataset, filename, compression_type},
      OpAttrs());
}

Output DenseToSparseBatchDataset(ScopeRef scope, const Input& input_dataset,
    const Input& batch_size, const Input& row_shape, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "DenseToSparseBatchDataset", {input_dataset, batch_size, row_shape},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output DirectedInterleaveDataset(ScopeRef scope, const Input& selector_input_dataset,
    const InputList& data_input_datasets, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const DirectedInterleaveDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "DirectedInterleaveDataset", {selector_input_dataset, data_input_datasets},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalAssertNextDataset(ScopeRef scope, const Input& input_dataset,
    const Input& transformations, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalAssertNextDataset", {input_dataset, transformations},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalAutoShardDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_workers, const Input& index, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ExperimentalAutoShardDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ExperimentalAutoShardDataset", {input_dataset, num_workers, index},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalBytesProducedStatsDataset(ScopeRef scope, const Input& input_dataset,
    const Input& tag, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalBytesProducedStatsDataset", {input_dataset, tag},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalCSVDataset(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const Input& header, const Input& field_delim,
    const Input& use_quote_delim, const Input& na_value, const Input& select_cols,
    const InputList& record_defaults, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalCSVDataset", {filenames, compression_type, buffer_size, header,
          field_delim, use_quote_delim, na_value, select_cols, record_defaults},
      OpAttrs()
          .Set("output_shapes", output_shapes));
}

Output ExperimentalChooseFastestDataset(ScopeRef scope, const InputList& input_datasets,
    int64_t num_experiments, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalChooseFastestDataset", {input_datasets},
      OpAttrs()
          .Set("num_experiments", num_experiments)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalDatasetCardinality(ScopeRef scope, const Input& input_dataset) {
  return BuildOutput(
      scope.scope(), "ExperimentalDatasetCardinality", {input_dataset},
      OpAttrs());
}

Operation ExperimentalDatasetToTFRecord(ScopeRef scope, const Input& input_dataset,
    const Input& filename, const Input& compression_type) {
  return BuildOp(
      scope.scope(), "ExperimentalDatasetToTFRecord", {input_dataset, filename, compression_type},
      OpAttrs());
}

Output ExperimentalDenseToSparseBatchDataset(ScopeRef scope, const Input& input_dataset,
    const Input& batch_size, const Input& row_shape, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalDenseToSparseBatchDataset", {input_dataset, batch_size, row_shape},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalDirectedInterleaveDataset(ScopeRef scope, const Input& selector_input_dataset,
    const InputList& data_input_datasets, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalDirectedInterleaveDataset", {selector_input_dataset,
          data_input_datasets},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalGroupByReducerDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& key_func_other_arguments, const InputList& init_func_other_arguments,
    const InputList& reduce_func_other_arguments, const InputList& finalize_func_other_arguments,
    const FunctionRef& key_func, const FunctionRef& init_func, const FunctionRef& reduce_func,
    const FunctionRef& finalize_func, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalGroupByReducerDataset", {input_dataset, key_func_other_arguments,
          init_func_other_arguments, reduce_func_other_arguments, finalize_func_other_arguments},
      OpAttrs()
          .Set("key_func", key_func)
          .Set("init_func", init_func)
          .Set("reduce_func", reduce_func)
          .Set("finalize_func", finalize_func)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalGroupByWindowDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& key_func_other_arguments, const InputList& reduce_func_other_arguments,
    const InputList& window_size_func_other_arguments, const FunctionRef& key_func,
    const FunctionRef& reduce_func, const FunctionRef& window_size_func,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalGroupByWindowDataset", {input_dataset, key_func_other_arguments,
          reduce_func_other_arguments, window_size_func_other_arguments},
      OpAttrs()
          .Set("key_func", key_func)
          .Set("reduce_func", reduce_func)
          .Set("window_size_func", window_size_func)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalIgnoreErrorsDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ExperimentalIgnoreErrorsDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ExperimentalIgnoreErrorsDataset", {input_dataset},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalIteratorGetDevice(ScopeRef scope, const Input& resource) {
  return BuildOutput(
      scope.scope(), "ExperimentalIteratorGetDevice", {resource},
      OpAttrs());
}

Output ExperimentalLatencyStatsDataset(ScopeRef scope, const Input& input_dataset, const Input& tag,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalLatencyStatsDataset", {input_dataset, tag},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalMapAndBatchDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& batch_size, const Input& num_parallel_calls,
    const Input& drop_remainder, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ExperimentalMapAndBatchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ExperimentalMapAndBatchDataset", {input_dataset, other_arguments, batch_size,
          num_parallel_calls, drop_remainder},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalMatchingFilesDataset(ScopeRef scope, const Input& patterns) {
  return BuildOutput(
      scope.scope(), "ExperimentalMatchingFilesDataset", {patterns},
      OpAttrs());
}

Output ExperimentalMaxIntraOpParallelismDataset(ScopeRef scope, const Input& input_dataset,
    const Input& max_intra_op_parallelism, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalMaxIntraOpParallelismDataset", {input_dataset,
          max_intra_op_parallelism},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalNonSerializableDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalNonSerializableDataset", {input_dataset},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalParallelInterleaveDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& sloppy, const Input& buffer_output_elements, const Input& prefetch_input_elements,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalParallelInterleaveDataset", {input_dataset, other_arguments,
          cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements},
      OpAttrs()
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalParseExampleDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_parallel_calls, const InputList& dense_defaults,
    const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ExperimentalParseExampleDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ExperimentalParseExampleDataset", {input_dataset, num_parallel_calls,
          dense_defaults},
      OpAttrs(attrs)
          .Set("sparse_keys", sparse_keys)
          .Set("dense_keys", dense_keys)
          .Set("sparse_types", sparse_types)
          .Set("dense_shapes", dense_shapes)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalPrivateThreadPoolDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_threads, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalPrivateThreadPoolDataset", {input_dataset, num_threads},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalRandomDataset(ScopeRef scope, const Input& seed, const Input& seed2,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalRandomDataset", {seed, seed2},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalRebatchDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_replicas, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ExperimentalRebatchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ExperimentalRebatchDataset", {input_dataset, num_replicas},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalScanDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& initial_state, const InputList& other_arguments, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ExperimentalScanDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ExperimentalScanDataset", {input_dataset, initial_state, other_arguments},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalSetStatsAggregatorDataset(ScopeRef scope, const Input& input_dataset,
    const Input& stats_aggregator, const Input& tag, const Input& counter_prefix,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalSetStatsAggregatorDataset", {input_dataset, stats_aggregator, tag,
          counter_prefix},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalSleepDataset(ScopeRef scope, const Input& input_dataset,
    const Input& sleep_microseconds, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalSleepDataset", {input_dataset, sleep_microseconds},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalSlidingWindowDataset(ScopeRef scope, const Input& input_dataset,
    const Input& window_size, const Input& window_shift, const Input& window_stride,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalSlidingWindowDataset", {input_dataset, window_size, window_shift,
          window_stride},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalStatsAggregatorHandle(ScopeRef scope,
    const ExperimentalStatsAggregatorHandleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ExperimentalStatsAggregatorHandle", {},
      attrs);
}

Output ExperimentalStatsAggregatorSummary(ScopeRef scope, const Input& iterator) {
  return BuildOutput(
      scope.scope(), "ExperimentalStatsAggregatorSummary", {iterator},
      OpAttrs());
}

Output ExperimentalTakeWhileDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const FunctionRef& predicate,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalTakeWhileDataset", {input_dataset, other_arguments},
      OpAttrs()
          .Set("predicate", predicate)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalThreadPoolDataset(ScopeRef scope, const Input& input_dataset,
    const Input& thread_pool, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalThreadPoolDataset", {input_dataset, thread_pool},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalThreadPoolHandle(ScopeRef scope, int64_t num_threads,
    const std::string& display_name, const ExperimentalThreadPoolHandleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ExperimentalThreadPoolHandle", {},
      OpAttrs(attrs)
          .Set("num_threads", num_threads)
          .Set("display_name", display_name));
}

Output ExperimentalUnbatchDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalUnbatchDataset", {input_dataset},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ExperimentalUniqueDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ExperimentalUniqueDataset", {input_dataset},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output GroupByReducerDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& key_func_other_arguments, const InputList& init_func_other_arguments,
    const InputList& reduce_func_other_arguments, const InputList& finalize_func_other_arguments,
    const FunctionRef& key_func, const FunctionRef& init_func, const FunctionRef& reduce_func,
    const FunctionRef& finalize_func, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "GroupByReducerDataset", {input_dataset, key_func_other_arguments,
          init_func_other_arguments, reduce_func_other_arguments, finalize_func_other_arguments},
      OpAttrs()
          .Set("key_func", key_func)
          .Set("init_func", init_func)
          .Set("reduce_func", reduce_func)
          .Set("finalize_func", finalize_func)
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

Output IteratorGetDevice(ScopeRef scope, const Input& resource) {
  return BuildOutput(
      scope.scope(), "IteratorGetDevice", {resource},
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

Output LegacyParallelInterleaveDatasetV2(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& buffer_output_elements, const Input& prefetch_input_elements, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const LegacyParallelInterleaveDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "LegacyParallelInterleaveDatasetV2", {input_dataset, other_arguments,
          cycle_length, block_length, buffer_output_elements, prefetch_input_elements},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
