// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_EXPERIMENTAL_DATASET_OPS_H_
#define WARPBEAM_FRONTEND_OPS_EXPERIMENTAL_DATASET_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (input_dataset: variant, cardinality: int64) -> (handle: variant)
Output AssertCardinalityDataset(ScopeRef scope, const Input& input_dataset,
    const Input& cardinality, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, transformations: string) -> (handle: variant)
Output AssertNextDataset(ScopeRef scope, const Input& input_dataset, const Input& transformations,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, transformations: string) -> (handle: variant)
Output AssertPrevDataset(ScopeRef scope, const Input& input_dataset, const Input& transformations,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class AutoShardDatasetAttrs : public OpAttrs {
 public:
  AutoShardDatasetAttrs& auto_shard_policy(int64_t value) {
    Set("auto_shard_policy", value);
    return *this;
  }
  AutoShardDatasetAttrs& num_replicas(int64_t value) {
    Set("num_replicas", value);
    return *this;
  }
};
// (input_dataset: variant, num_workers: int64, index: int64) -> (handle: variant)
Output AutoShardDataset(ScopeRef scope, const Input& input_dataset, const Input& num_workers,
    const Input& index, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const AutoShardDatasetAttrs& attrs = AutoShardDatasetAttrs());

// (input_dataset: variant, tag: string) -> (handle: variant)
Output BytesProducedStatsDataset(ScopeRef scope, const Input& input_dataset, const Input& tag,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim:
//     string, use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults:
//     output_types) -> (handle: variant)
Output CSVDataset(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const Input& header, const Input& field_delim,
    const Input& use_quote_delim, const Input& na_value, const Input& select_cols,
    const InputList& record_defaults, const std::vector<PartialShape>& output_shapes);

// (filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim:
//     string, use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults:
//     output_types, exclude_cols: int64) -> (handle: variant)
Output CSVDatasetV2(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const Input& header, const Input& field_delim,
    const Input& use_quote_delim, const Input& na_value, const Input& select_cols,
    const InputList& record_defaults, const Input& exclude_cols,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, ratio_numerator: int64, ratio_denominator: int64, other_arguments:
//     Targuments) -> (handle: variant)
Output ChooseFastestBranchDataset(ScopeRef scope, const Input& input_dataset,
    const Input& ratio_numerator, const Input& ratio_denominator, const InputList& other_arguments,
    int64_t num_elements_per_branch, const std::vector<FunctionRef>& branches,
    const std::vector<int64_t>& other_arguments_lengths, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_datasets: N * variant) -> (handle: variant)
Output ChooseFastestDataset(ScopeRef scope, const InputList& input_datasets,
    int64_t num_experiments, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant) -> (batch_size: int64)
Output ComputeBatchSize(ScopeRef scope, const Input& input_dataset);

// (input_dataset: variant, filename: string, compression_type: string) -> ()
Operation DatasetToTFRecord(ScopeRef scope, const Input& input_dataset, const Input& filename,
    const Input& compression_type);

// (input_dataset: variant, batch_size: int64, row_shape: int64) -> (handle: variant)
Output DenseToSparseBatchDataset(ScopeRef scope, const Input& input_dataset,
    const Input& batch_size, const Input& row_shape, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

class DirectedInterleaveDatasetAttrs : public OpAttrs {
 public:
  DirectedInterleaveDatasetAttrs& stop_on_empty_dataset(bool value) {
    Set("stop_on_empty_dataset", value);
    return *this;
  }
};
// (selector_input_dataset: variant, data_input_datasets: N * variant) -> (handle: variant)
Output DirectedInterleaveDataset(ScopeRef scope, const Input& selector_input_dataset,
    const InputList& data_input_datasets, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const DirectedInterleaveDatasetAttrs& attrs = DirectedInterleaveDatasetAttrs());

// (input_dataset: variant, transformations: string) -> (handle: variant)
Output ExperimentalAssertNextDataset(ScopeRef scope, const Input& input_dataset,
    const Input& transformations, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

class ExperimentalAutoShardDatasetAttrs : public OpAttrs {
 public:
  ExperimentalAutoShardDatasetAttrs& auto_shard_policy(int64_t value) {
    Set("auto_shard_policy", value);
    return *this;
  }
};
// (input_dataset: variant, num_workers: int64, index: int64) -> (handle: variant)
Output ExperimentalAutoShardDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_workers, const Input& index, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ExperimentalAutoShardDatasetAttrs& attrs = ExperimentalAutoShardDatasetAttrs());

// (input_dataset: variant, tag: string) -> (handle: variant)
Output ExperimentalBytesProducedStatsDataset(ScopeRef scope, const Input& input_dataset,
    const Input& tag, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim:
//     string, use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults:
//     output_types) -> (handle: variant)
Output ExperimentalCSVDataset(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const Input& header, const Input& field_delim,
    const Input& use_quote_delim, const Input& na_value, const Input& select_cols,
    const InputList& record_defaults, const std::vector<PartialShape>& output_shapes);

// (input_datasets: N * variant) -> (handle: variant)
Output ExperimentalChooseFastestDataset(ScopeRef scope, const InputList& input_datasets,
    int64_t num_experiments, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant) -> (cardinality: int64)
Output ExperimentalDatasetCardinality(ScopeRef scope, const Input& input_dataset);

// (input_dataset: variant, filename: string, compression_type: string) -> ()
Operation ExperimentalDatasetToTFRecord(ScopeRef scope, const Input& input_dataset,
    const Input& filename, const Input& compression_type);

// (input_dataset: variant, batch_size: int64, row_shape: int64) -> (handle: variant)
Output ExperimentalDenseToSparseBatchDataset(ScopeRef scope, const Input& input_dataset,
    const Input& batch_size, const Input& row_shape, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (selector_input_dataset: variant, data_input_datasets: N * variant) -> (handle: variant)
Output ExperimentalDirectedInterleaveDataset(ScopeRef scope, const Input& selector_input_dataset,
    const InputList& data_input_datasets, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
//     init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments:
//     Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments)
//     -> (handle: variant)
Output ExperimentalGroupByReducerDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& key_func_other_arguments, const InputList& init_func_other_arguments,
    const InputList& reduce_func_other_arguments, const InputList& finalize_func_other_arguments,
    const FunctionRef& key_func, const FunctionRef& init_func, const FunctionRef& reduce_func,
    const FunctionRef& finalize_func, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
//     reduce_func_other_arguments: Treduce_func_other_arguments, window_size_func_other_arguments:
//     Twindow_size_func_other_arguments) -> (handle: variant)
Output ExperimentalGroupByWindowDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& key_func_other_arguments, const InputList& reduce_func_other_arguments,
    const InputList& window_size_func_other_arguments, const FunctionRef& key_func,
    const FunctionRef& reduce_func, const FunctionRef& window_size_func,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class ExperimentalIgnoreErrorsDatasetAttrs : public OpAttrs {
 public:
  ExperimentalIgnoreErrorsDatasetAttrs& log_warning(bool value) {
    Set("log_warning", value);
    return *this;
  }
};
// (input_dataset: variant) -> (handle: variant)
Output ExperimentalIgnoreErrorsDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ExperimentalIgnoreErrorsDatasetAttrs& attrs = ExperimentalIgnoreErrorsDatasetAttrs());

// (resource: resource) -> (device: string)
Output ExperimentalIteratorGetDevice(ScopeRef scope, const Input& resource);

// (input_dataset: variant, tag: string) -> (handle: variant)
Output ExperimentalLatencyStatsDataset(ScopeRef scope, const Input& input_dataset, const Input& tag,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class ExperimentalMapAndBatchDatasetAttrs : public OpAttrs {
 public:
  ExperimentalMapAndBatchDatasetAttrs& preserve_cardinality(bool value) {
    Set("preserve_cardinality", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls:
//     int64, drop_remainder: bool) -> (handle: variant)
Output ExperimentalMapAndBatchDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& batch_size, const Input& num_parallel_calls,
    const Input& drop_remainder, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ExperimentalMapAndBatchDatasetAttrs& attrs = ExperimentalMapAndBatchDatasetAttrs());

// (patterns: string) -> (handle: variant)
Output ExperimentalMatchingFilesDataset(ScopeRef scope, const Input& patterns);

// (input_dataset: variant, max_intra_op_parallelism: int64) -> (handle: variant)
Output ExperimentalMaxIntraOpParallelismDataset(ScopeRef scope, const Input& input_dataset,
    const Input& max_intra_op_parallelism, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant) -> (handle: variant)
Output ExperimentalNonSerializableDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64,
//     sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64) -> (handle:
//     variant)
Output ExperimentalParallelInterleaveDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& sloppy, const Input& buffer_output_elements, const Input& prefetch_input_elements,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

class ExperimentalParseExampleDatasetAttrs : public OpAttrs {
 public:
  ExperimentalParseExampleDatasetAttrs& sloppy(bool value) {
    Set("sloppy", value);
    return *this;
  }
};
// (input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) -> (handle: variant)
Output ExperimentalParseExampleDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_parallel_calls, const InputList& dense_defaults,
    const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ExperimentalParseExampleDatasetAttrs& attrs = ExperimentalParseExampleDatasetAttrs());

// (input_dataset: variant, num_threads: int64) -> (handle: variant)
Output ExperimentalPrivateThreadPoolDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_threads, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (seed: int64, seed2: int64) -> (handle: variant)
Output ExperimentalRandomDataset(ScopeRef scope, const Input& seed, const Input& seed2,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class ExperimentalRebatchDatasetAttrs : public OpAttrs {
 public:
  ExperimentalRebatchDatasetAttrs& use_fallback(bool value) {
    Set("use_fallback", value);
    return *this;
  }
};
// (input_dataset: variant, num_replicas: int64) -> (handle: variant)
Output ExperimentalRebatchDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_replicas, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ExperimentalRebatchDatasetAttrs& attrs = ExperimentalRebatchDatasetAttrs());

class ExperimentalScanDatasetAttrs : public OpAttrs {
 public:
  ExperimentalScanDatasetAttrs& preserve_cardinality(bool value) {
    Set("preserve_cardinality", value);
    return *this;
  }
};
// (input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (handle: variant)
Output ExperimentalScanDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& initial_state, const InputList& other_arguments, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ExperimentalScanDatasetAttrs& attrs = ExperimentalScanDatasetAttrs());

// (input_dataset: variant, stats_aggregator: resource, tag: string, counter_prefix: string) ->
//     (handle: variant)
Output ExperimentalSetStatsAggregatorDataset(ScopeRef scope, const Input& input_dataset,
    const Input& stats_aggregator, const Input& tag, const Input& counter_prefix,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, sleep_microseconds: int64) -> (handle: variant)
Output ExperimentalSleepDataset(ScopeRef scope, const Input& input_dataset,
    const Input& sleep_microseconds, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64) ->
//     (handle: variant)
Output ExperimentalSlidingWindowDataset(ScopeRef scope, const Input& input_dataset,
    const Input& window_size, const Input& window_shift, const Input& window_stride,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class ExperimentalStatsAggregatorHandleAttrs : public OpAttrs {
 public:
  ExperimentalStatsAggregatorHandleAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  ExperimentalStatsAggregatorHandleAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: resource)
Output ExperimentalStatsAggregatorHandle(ScopeRef scope,
    const ExperimentalStatsAggregatorHandleAttrs& attrs = ExperimentalStatsAggregatorHandleAttrs());

// (iterator: resource) -> (summary: string)
Output ExperimentalStatsAggregatorSummary(ScopeRef scope, const Input& iterator);

// (input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
Output ExperimentalTakeWhileDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const FunctionRef& predicate,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, thread_pool: resource) -> (handle: variant)
Output ExperimentalThreadPoolDataset(ScopeRef scope, const Input& input_dataset,
    const Input& thread_pool, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

class ExperimentalThreadPoolHandleAttrs : public OpAttrs {
 public:
  ExperimentalThreadPoolHandleAttrs& max_intra_op_parallelism(int64_t value) {
    Set("max_intra_op_parallelism", value);
    return *this;
  }
  ExperimentalThreadPoolHandleAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  ExperimentalThreadPoolHandleAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: resource)
Output ExperimentalThreadPoolHandle(ScopeRef scope, int64_t num_threads,
    const std::string& display_name,
    const ExperimentalThreadPoolHandleAttrs& attrs = ExperimentalThreadPoolHandleAttrs());

// (input_dataset: variant) -> (handle: variant)
Output ExperimentalUnbatchDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant) -> (handle: variant)
Output ExperimentalUniqueDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
//     init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments:
//     Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments)
//     -> (handle: variant)
Output GroupByReducerDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& key_func_other_arguments, const InputList& init_func_other_arguments,
    const InputList& reduce_func_other_arguments, const InputList& finalize_func_other_arguments,
    const FunctionRef& key_func, const FunctionRef& init_func, const FunctionRef& reduce_func,
    const FunctionRef& finalize_func, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

class GroupByWindowDatasetAttrs : public OpAttrs {
 public:
  GroupByWindowDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,
//     reduce_func_other_arguments: Treduce_func_other_arguments, window_size_func_other_arguments:
//     Twindow_size_func_other_arguments) -> (handle: variant)
Output GroupByWindowDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& key_func_other_arguments, const InputList& reduce_func_other_arguments,
    const InputList& window_size_func_other_arguments, const FunctionRef& key_func,
    const FunctionRef& reduce_func, const FunctionRef& window_size_func,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const GroupByWindowDatasetAttrs& attrs = GroupByWindowDatasetAttrs());

class IgnoreErrorsDatasetAttrs : public OpAttrs {
 public:
  IgnoreErrorsDatasetAttrs& log_warning(bool value) {
    Set("log_warning", value);
    return *this;
  }
};
// (input_dataset: variant) -> (handle: variant)
Output IgnoreErrorsDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const IgnoreErrorsDatasetAttrs& attrs = IgnoreErrorsDatasetAttrs());

// (table_handle: resource, dataset: variant) -> ()
Operation InitializeTableFromDataset(ScopeRef scope, const Input& table_handle, const Input& dataset);

// (resource: resource) -> (device: string)
Output IteratorGetDevice(ScopeRef scope, const Input& resource);

// (input_dataset: variant, tag: string) -> (handle: variant)
Output LatencyStatsDataset(ScopeRef scope, const Input& input_dataset, const Input& tag,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class LegacyParallelInterleaveDatasetV2Attrs : public OpAttrs {
 public:
  LegacyParallelInterleaveDatasetV2Attrs& deterministic(const std::string& value) {
    Set("deterministic", value);
    return *this;
  }
  LegacyParallelInterleaveDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64,
//     buffer_output_elements: int64, prefetch_input_elements: int64) -> (handle: variant)
Output LegacyParallelInterleaveDatasetV2(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& buffer_output_elements, const Input& prefetch_input_elements, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const LegacyParallelInterleaveDatasetV2Attrs& attrs = LegacyParallelInterleaveDatasetV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_EXPERIMENTAL_DATASET_OPS_H_
