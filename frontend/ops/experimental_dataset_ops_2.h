// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_EXPERIMENTAL_DATASET_OPS_2_H_
#define WARPBEAM_FRONTEND_OPS_EXPERIMENTAL_DATASET_OPS_2_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class ListDatasetAttrs : public OpAttrs {
 public:
  ListDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (tensors: Tinput_types) -> (handle: variant)
Output ListDataset(ScopeRef scope, const InputList& tensors, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ListDatasetAttrs& attrs = ListDatasetAttrs());

class LoadDatasetAttrs : public OpAttrs {
 public:
  LoadDatasetAttrs& compression(const std::string& value) {
    Set("compression", value);
    return *this;
  }
};
// (path: string, reader_func_other_args: Treader_func_args) -> (handle: variant)
Output LoadDataset(ScopeRef scope, const Input& path, const InputList& reader_func_other_args,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const FunctionRef& reader_func, const LoadDatasetAttrs& attrs = LoadDatasetAttrs());

class MapAndBatchDatasetAttrs : public OpAttrs {
 public:
  MapAndBatchDatasetAttrs& preserve_cardinality(bool value) {
    Set("preserve_cardinality", value);
    return *this;
  }
  MapAndBatchDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls:
//     int64, drop_remainder: bool) -> (handle: variant)
Output MapAndBatchDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& batch_size, const Input& num_parallel_calls,
    const Input& drop_remainder, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const MapAndBatchDatasetAttrs& attrs = MapAndBatchDatasetAttrs());

// (patterns: string) -> (handle: variant)
Output MatchingFilesDataset(ScopeRef scope, const Input& patterns);

// (input_dataset: variant, max_intra_op_parallelism: int64) -> (handle: variant)
Output MaxIntraOpParallelismDataset(ScopeRef scope, const Input& input_dataset,
    const Input& max_intra_op_parallelism, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant) -> (handle: variant)
Output NonSerializableDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class ParallelInterleaveDatasetAttrs : public OpAttrs {
 public:
  ParallelInterleaveDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64,
//     sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64) -> (handle:
//     variant)
Output ParallelInterleaveDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& sloppy, const Input& buffer_output_elements, const Input& prefetch_input_elements,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ParallelInterleaveDatasetAttrs& attrs = ParallelInterleaveDatasetAttrs());

class ParseExampleDatasetAttrs : public OpAttrs {
 public:
  ParseExampleDatasetAttrs& sloppy(bool value) {
    Set("sloppy", value);
    return *this;
  }
  ParseExampleDatasetAttrs& ragged_keys(const std::vector<std::string>& value) {
    Set("ragged_keys", value);
    return *this;
  }
  ParseExampleDatasetAttrs& ragged_value_types(const std::vector<DType>& value) {
    Set("ragged_value_types", value);
    return *this;
  }
  ParseExampleDatasetAttrs& ragged_split_types(const std::vector<DType>& value) {
    Set("ragged_split_types", value);
    return *this;
  }
};
// (input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) -> (handle: variant)
Output ParseExampleDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_parallel_calls, const InputList& dense_defaults,
    const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParseExampleDatasetAttrs& attrs = ParseExampleDatasetAttrs());

class ParseExampleDatasetV2Attrs : public OpAttrs {
 public:
  ParseExampleDatasetV2Attrs& deterministic(const std::string& value) {
    Set("deterministic", value);
    return *this;
  }
  ParseExampleDatasetV2Attrs& ragged_keys(const std::vector<std::string>& value) {
    Set("ragged_keys", value);
    return *this;
  }
  ParseExampleDatasetV2Attrs& ragged_value_types(const std::vector<DType>& value) {
    Set("ragged_value_types", value);
    return *this;
  }
  ParseExampleDatasetV2Attrs& ragged_split_types(const std::vector<DType>& value) {
    Set("ragged_split_types", value);
    return *this;
  }
};
// (input_dataset: variant, num_parallel_calls: int64, dense_defaults: Tdense) -> (handle: variant)
Output ParseExampleDatasetV2(ScopeRef scope, const Input& input_dataset,
    const Input& num_parallel_calls, const InputList& dense_defaults,
    const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys,
    const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParseExampleDatasetV2Attrs& attrs = ParseExampleDatasetV2Attrs());

// (input_dataset: variant, num_threads: int64) -> (handle: variant)
Output PrivateThreadPoolDataset(ScopeRef scope, const Input& input_dataset,
    const Input& num_threads, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

class RandomDatasetAttrs : public OpAttrs {
 public:
  RandomDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (seed: int64, seed2: int64) -> (handle: variant)
Output RandomDataset(ScopeRef scope, const Input& seed, const Input& seed2,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const RandomDatasetAttrs& attrs = RandomDatasetAttrs());

class RandomDatasetV2Attrs : public OpAttrs {
 public:
  RandomDatasetV2Attrs& rerandomize_each_iteration(bool value) {
    Set("rerandomize_each_iteration", value);
    return *this;
  }
  RandomDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (seed: int64, seed2: int64, seed_generator: resource) -> (handle: variant)
Output RandomDatasetV2(ScopeRef scope, const Input& seed, const Input& seed2,
    const Input& seed_generator, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const RandomDatasetV2Attrs& attrs = RandomDatasetV2Attrs());

class RebatchDatasetAttrs : public OpAttrs {
 public:
  RebatchDatasetAttrs& use_fallback(bool value) {
    Set("use_fallback", value);
    return *this;
  }
};
// (input_dataset: variant, num_replicas: int64) -> (handle: variant)
Output RebatchDataset(ScopeRef scope, const Input& input_dataset, const Input& num_replicas,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const RebatchDatasetAttrs& attrs = RebatchDatasetAttrs());

// (input_dataset: variant, batch_sizes: int64, drop_remainder: bool) -> (handle: variant)
Output RebatchDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& batch_sizes,
    const Input& drop_remainder, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, rate: float, seed: int64, seed2: int64) -> (handle: variant)
Output SamplingDataset(ScopeRef scope, const Input& input_dataset, const Input& rate,
    const Input& seed, const Input& seed2, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

class SaveDatasetAttrs : public OpAttrs {
 public:
  SaveDatasetAttrs& compression(const std::string& value) {
    Set("compression", value);
    return *this;
  }
  SaveDatasetAttrs& use_shard_func(bool value) {
    Set("use_shard_func", value);
    return *this;
  }
};
// (input_dataset: variant, path: string, shard_func_other_args: Tshard_func_args) -> ()
Operation SaveDataset(ScopeRef scope, const Input& input_dataset, const Input& path,
    const InputList& shard_func_other_args, const FunctionRef& shard_func,
    const SaveDatasetAttrs& attrs = SaveDatasetAttrs());

class SaveDatasetV2Attrs : public OpAttrs {
 public:
  SaveDatasetV2Attrs& compression(const std::string& value) {
    Set("compression", value);
    return *this;
  }
  SaveDatasetV2Attrs& use_shard_func(bool value) {
    Set("use_shard_func", value);
    return *this;
  }
};
// (input_dataset: variant, path: string, shard_func_other_args: Tshard_func_args) -> (handle:
//     variant)
Output SaveDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& path,
    const InputList& shard_func_other_args, const FunctionRef& shard_func,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const SaveDatasetV2Attrs& attrs = SaveDatasetV2Attrs());

class ScanDatasetAttrs : public OpAttrs {
 public:
  ScanDatasetAttrs& preserve_cardinality(bool value) {
    Set("preserve_cardinality", value);
    return *this;
  }
  ScanDatasetAttrs& use_default_device(bool value) {
    Set("use_default_device", value);
    return *this;
  }
  ScanDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (handle: variant)
Output ScanDataset(ScopeRef scope, const Input& input_dataset, const InputList& initial_state,
    const InputList& other_arguments, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ScanDatasetAttrs& attrs = ScanDatasetAttrs());

// (input_dataset: variant, stats_aggregator: resource, tag: string, counter_prefix: string) ->
//     (handle: variant)
Output SetStatsAggregatorDataset(ScopeRef scope, const Input& input_dataset,
    const Input& stats_aggregator, const Input& tag, const Input& counter_prefix,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (input_dataset: variant, sleep_microseconds: int64) -> (handle: variant)
Output SleepDataset(ScopeRef scope, const Input& input_dataset, const Input& sleep_microseconds,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class SlidingWindowDatasetAttrs : public OpAttrs {
 public:
  SlidingWindowDatasetAttrs& drop_remainder(bool value) {
    Set("drop_remainder", value);
    return *this;
  }
};
// (input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64) ->
//     (handle: variant)
Output SlidingWindowDataset(ScopeRef scope, const Input& input_dataset, const Input& window_size,
    const Input& window_shift, const Input& window_stride, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const SlidingWindowDatasetAttrs& attrs = SlidingWindowDatasetAttrs());

class SnapshotDatasetV2Attrs : public OpAttrs {
 public:
  SnapshotDatasetV2Attrs& compression(const std::string& value) {
    Set("compression", value);
    return *this;
  }
  SnapshotDatasetV2Attrs& reader_prefix(const std::string& value) {
    Set("reader_prefix", value);
    return *this;
  }
  SnapshotDatasetV2Attrs& writer_prefix(const std::string& value) {
    Set("writer_prefix", value);
    return *this;
  }
  SnapshotDatasetV2Attrs& hash_valid(bool value) {
    Set("hash_valid", value);
    return *this;
  }
  SnapshotDatasetV2Attrs& hash(int64_t value) {
    Set("hash", value);
    return *this;
  }
  SnapshotDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, path: string, reader_func_other_args: Treader_func_args,
//     shard_func_other_args: Tshard_func_args) -> (handle: variant)
Output SnapshotDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& path,
    const InputList& reader_func_other_args, const InputList& shard_func_other_args,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const FunctionRef& reader_func, const FunctionRef& shard_func,
    const SnapshotDatasetV2Attrs& attrs = SnapshotDatasetV2Attrs());

class StatsAggregatorHandleAttrs : public OpAttrs {
 public:
  StatsAggregatorHandleAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  StatsAggregatorHandleAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: resource)
Output StatsAggregatorHandle(ScopeRef scope,
    const StatsAggregatorHandleAttrs& attrs = StatsAggregatorHandleAttrs());

class StatsAggregatorHandleV2Attrs : public OpAttrs {
 public:
  StatsAggregatorHandleV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  StatsAggregatorHandleV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: resource)
Output StatsAggregatorHandleV2(ScopeRef scope,
    const StatsAggregatorHandleV2Attrs& attrs = StatsAggregatorHandleV2Attrs());

// (iterator: resource) -> (summary: string)
Output StatsAggregatorSummary(ScopeRef scope, const Input& iterator);

class TakeWhileDatasetAttrs : public OpAttrs {
 public:
  TakeWhileDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
Output TakeWhileDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const FunctionRef& predicate,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const TakeWhileDatasetAttrs& attrs = TakeWhileDatasetAttrs());

// (input_dataset: variant, thread_pool: resource) -> (handle: variant)
Output ThreadPoolDataset(ScopeRef scope, const Input& input_dataset, const Input& thread_pool,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class ThreadPoolHandleAttrs : public OpAttrs {
 public:
  ThreadPoolHandleAttrs& max_intra_op_parallelism(int64_t value) {
    Set("max_intra_op_parallelism", value);
    return *this;
  }
  ThreadPoolHandleAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  ThreadPoolHandleAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: resource)
Output ThreadPoolHandle(ScopeRef scope, int64_t num_threads, const std::string& display_name,
    const ThreadPoolHandleAttrs& attrs = ThreadPoolHandleAttrs());

class UnbatchDatasetAttrs : public OpAttrs {
 public:
  UnbatchDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant) -> (handle: variant)
Output UnbatchDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const UnbatchDatasetAttrs& attrs = UnbatchDatasetAttrs());

class UniqueDatasetAttrs : public OpAttrs {
 public:
  UniqueDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant) -> (handle: variant)
Output UniqueDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const UniqueDatasetAttrs& attrs = UniqueDatasetAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_EXPERIMENTAL_DATASET_OPS_2_H_
