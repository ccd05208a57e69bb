// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/experimental_dataset_ops_2.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output ListDataset(ScopeRef scope, const InputList& tensors, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ListDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ListDataset", {tensors},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output LoadDataset(ScopeRef scope, const Input& path, const InputList& reader_func_other_args,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const FunctionRef& reader_func, const LoadDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "LoadDataset", {path, reader_func_other_args},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes)
          .Set("reader_func", reader_func));
}

Output MapAndBatchDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& batch_size, const Input& num_parallel_calls,
    const Input& drop_remainder, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const MapAndBatchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MapAndBatchDataset", {input_dataset, other_arguments, batch_size,
          num_parallel_calls, drop_remainder},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output MatchingFilesDataset(ScopeRef scope, const Input& patterns) {
  return BuildOutput(
      scope.scope(), "MatchingFilesDataset", {patterns},
      OpAttrs());
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

Output ParseExampleDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_parallel_calls, const InputList& dense_defaults,
    const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParseExampleDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParseExampleDataset", {input_dataset, num_parallel_calls, dense_defaults},
      OpAttrs(attrs)
          .Set("sparse_keys", sparse_keys)
          .Set("dense_keys", dense_keys)
          .Set("sparse_types", sparse_types)
          .Set("dense_shapes", dense_shapes)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ParseExampleDatasetV2(ScopeRef scope, const Input& input_dataset,
    const Input& num_parallel_calls, const InputList& dense_defaults,
    const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParseExampleDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParseExampleDatasetV2", {input_dataset, num_parallel_calls, dense_defaults},
      OpAttrs(attrs)
          .Set("sparse_keys", sparse_keys)
          .Set("dense_keys", dense_keys)
          .Set("sparse_types", sparse_types)
          .Set("dense_shapes", dense_shapes)
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

Output RandomDatasetV2(ScopeRef scope, const Input& seed, const Input& seed2,
    const Input& seed_generator, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const RandomDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomDatasetV2", {seed, seed2, seed_generator},
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

Output SamplingDataset(ScopeRef scope, const Input& input_dataset, const Input& rate,
    const Input& seed, const Input& seed2, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "SamplingDataset", {input_dataset, rate, seed, seed2},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Operation SaveDataset(ScopeRef scope, const Input& input_dataset, const Input& path,
    const InputList& shard_func_other_args, const FunctionRef& shard_func,
    const SaveDatasetAttrs& attrs) {
  return BuildOp(
      scope.scope(), "SaveDataset", {input_dataset, path, shard_func_other_args},
      OpAttrs(attrs)
          .Set("shard_func", shard_func));
}

Output SaveDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& path,
    const InputList& shard_func_other_args, const FunctionRef& shard_func,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const SaveDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "SaveDatasetV2", {input_dataset, path, shard_func_other_args},
      OpAttrs(attrs)
          .Set("shard_func", shard_func)
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

Output SetStatsAggregatorDataset(ScopeRef scope, const Input& input_dataset,
    const Input& stats_aggregator, const Input& tag, const Input& counter_prefix,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "SetStatsAggregatorDataset", {input_dataset, stats_aggregator, tag,
          counter_prefix},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output SleepDataset(ScopeRef scope, const Input& input_dataset, const Input& sleep_microseconds,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "SleepDataset", {input_dataset, sleep_microseconds},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output SlidingWindowDataset(ScopeRef scope, const Input& input_dataset, const Input& window_size,
    const Input& window_shift, const Input& window_stride, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const SlidingWindowDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SlidingWindowDataset", {input_dataset, window_size, window_shift,
          window_stride},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output SnapshotDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& path,
    const InputList& reader_func_other_args, const InputList& shard_func_other_args,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const FunctionRef& reader_func, const FunctionRef& shard_func,
    const SnapshotDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "SnapshotDatasetV2", {input_dataset, path, reader_func_other_args,
          shard_func_other_args},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes)
          .Set("reader_func", reader_func)
          .Set("shard_func", shard_func));
}

Output StatsAggregatorHandle(ScopeRef scope, const StatsAggregatorHandleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatsAggregatorHandle", {},
      attrs);
}

Output StatsAggregatorHandleV2(ScopeRef scope, const StatsAggregatorHandleV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatsAggregatorHandleV2", {},
      attrs);
}

Output StatsAggregatorSummary(ScopeRef scope, const Input& iterator) {
  return BuildOutput(
      scope.scope(), "StatsAggregatorSummary", {iterator},
      OpAttrs());
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

Output ThreadPoolDataset(ScopeRef scope, const Input& input_dataset, const Input& thread_pool,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "ThreadPoolDataset", {input_dataset, thread_pool},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ThreadPoolHandle(ScopeRef scope, int64_t num_threads, const std::string& display_name,
    const ThreadPoolHandleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ThreadPoolHandle", {},
      OpAttrs(attrs)
          .Set("num_threads", num_threads)
          .Set("display_name", display_name));
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
