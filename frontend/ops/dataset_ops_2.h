// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_DATASET_OPS_2_H_
#define WARPBEAM_FRONTEND_OPS_DATASET_OPS_2_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class ParallelInterleaveDatasetV3Attrs : public OpAttrs {
 public:
  ParallelInterleaveDatasetV3Attrs& deterministic(const std::string& value) {
    Set("deterministic", value);
    return *this;
  }
  ParallelInterleaveDatasetV3Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64,
//     num_parallel_calls: int64) -> (handle: variant)
Output ParallelInterleaveDatasetV3(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ParallelInterleaveDatasetV3Attrs& attrs = ParallelInterleaveDatasetV3Attrs());

class ParallelInterleaveDatasetV4Attrs : public OpAttrs {
 public:
  ParallelInterleaveDatasetV4Attrs& deterministic(const std::string& value) {
    Set("deterministic", value);
    return *this;
  }
  ParallelInterleaveDatasetV4Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64,
//     buffer_output_elements: int64, prefetch_input_elements: int64, num_parallel_calls: int64) ->
//     (handle: variant)
Output ParallelInterleaveDatasetV4(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& buffer_output_elements, const Input& prefetch_input_elements,
    const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ParallelInterleaveDatasetV4Attrs& attrs = ParallelInterleaveDatasetV4Attrs());

class ParallelMapDatasetAttrs : public OpAttrs {
 public:
  ParallelMapDatasetAttrs& use_inter_op_parallelism(bool value) {
    Set("use_inter_op_parallelism", value);
    return *this;
  }
  ParallelMapDatasetAttrs& sloppy(bool value) {
    Set("sloppy", value);
    return *this;
  }
  ParallelMapDatasetAttrs& preserve_cardinality(bool value) {
    Set("preserve_cardinality", value);
    return *this;
  }
  ParallelMapDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32) -> (handle:
//     variant)
Output ParallelMapDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& num_parallel_calls, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParallelMapDatasetAttrs& attrs = ParallelMapDatasetAttrs());

class ParallelMapDatasetV2Attrs : public OpAttrs {
 public:
  ParallelMapDatasetV2Attrs& use_inter_op_parallelism(bool value) {
    Set("use_inter_op_parallelism", value);
    return *this;
  }
  ParallelMapDatasetV2Attrs& deterministic(const std::string& value) {
    Set("deterministic", value);
    return *this;
  }
  ParallelMapDatasetV2Attrs& preserve_cardinality(bool value) {
    Set("preserve_cardinality", value);
    return *this;
  }
  ParallelMapDatasetV2Attrs& use_unbounded_threadpool(bool value) {
    Set("use_unbounded_threadpool", value);
    return *this;
  }
  ParallelMapDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) -> (handle:
//     variant)
Output ParallelMapDatasetV2(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& num_parallel_calls, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParallelMapDatasetV2Attrs& attrs = ParallelMapDatasetV2Attrs());

class PrefetchDatasetAttrs : public OpAttrs {
 public:
  PrefetchDatasetAttrs& slack_period(int64_t value) {
    Set("slack_period", value);
    return *this;
  }
  PrefetchDatasetAttrs& legacy_autotune(bool value) {
    Set("legacy_autotune", value);
    return *this;
  }
  PrefetchDatasetAttrs& buffer_size_min(int64_t value) {
    Set("buffer_size_min", value);
    return *this;
  }
  PrefetchDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, buffer_size: int64) -> (handle: variant)
Output PrefetchDataset(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const PrefetchDatasetAttrs& attrs = PrefetchDatasetAttrs());

class RangeDatasetAttrs : public OpAttrs {
 public:
  RangeDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
  RangeDatasetAttrs& replicate_on_split(bool value) {
    Set("replicate_on_split", value);
    return *this;
  }
};
// (start: int64, stop: int64, step: int64) -> (handle: variant)
Output RangeDataset(ScopeRef scope, const Input& start, const Input& stop, const Input& step,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const RangeDatasetAttrs& attrs = RangeDatasetAttrs());

class ReduceDatasetAttrs : public OpAttrs {
 public:
  ReduceDatasetAttrs& use_inter_op_parallelism(bool value) {
    Set("use_inter_op_parallelism", value);
    return *this;
  }
  ReduceDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, initial_state: Tstate, other_arguments: Targuments) -> (components:
//     output_types)
std::vector<Output> ReduceDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& initial_state, const InputList& other_arguments, const FunctionRef& f,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ReduceDatasetAttrs& attrs = ReduceDatasetAttrs());

class RepeatDatasetAttrs : public OpAttrs {
 public:
  RepeatDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, count: int64) -> (handle: variant)
Output RepeatDataset(ScopeRef scope, const Input& input_dataset, const Input& count,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const RepeatDatasetAttrs& attrs = RepeatDatasetAttrs());

// (input_dataset: variant, rewrite_name: string) -> (handle: variant)
Output RewriteDataset(ScopeRef scope, const Input& input_dataset, const Input& rewrite_name,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class SerializeIteratorAttrs : public OpAttrs {
 public:
  SerializeIteratorAttrs& external_state_policy(int64_t value) {
    Set("external_state_policy", value);
    return *this;
  }
};
// (resource_handle: resource) -> (serialized: variant)
Output SerializeIterator(ScopeRef scope, const Input& resource_handle,
    const SerializeIteratorAttrs& attrs = SerializeIteratorAttrs());

class ShardDatasetAttrs : public OpAttrs {
 public:
  ShardDatasetAttrs& require_non_empty(bool value) {
    Set("require_non_empty", value);
    return *this;
  }
  ShardDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, num_shards: int64, index: int64) -> (handle: variant)
Output ShardDataset(ScopeRef scope, const Input& input_dataset, const Input& num_shards,
    const Input& index, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ShardDatasetAttrs& attrs = ShardDatasetAttrs());

class ShuffleAndRepeatDatasetAttrs : public OpAttrs {
 public:
  ShuffleAndRepeatDatasetAttrs& reshuffle_each_iteration(bool value) {
    Set("reshuffle_each_iteration", value);
    return *this;
  }
  ShuffleAndRepeatDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64) -> (handle:
//     variant)
Output ShuffleAndRepeatDataset(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const Input& seed, const Input& seed2, const Input& count,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ShuffleAndRepeatDatasetAttrs& attrs = ShuffleAndRepeatDatasetAttrs());

class ShuffleAndRepeatDatasetV2Attrs : public OpAttrs {
 public:
  ShuffleAndRepeatDatasetV2Attrs& reshuffle_each_iteration(bool value) {
    Set("reshuffle_each_iteration", value);
    return *this;
  }
  ShuffleAndRepeatDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64,
//     seed_generator: resource) -> (handle: variant)
Output ShuffleAndRepeatDatasetV2(ScopeRef scope, const Input& input_dataset,
    const Input& buffer_size, const Input& seed, const Input& seed2, const Input& count,
    const Input& seed_generator, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ShuffleAndRepeatDatasetV2Attrs& attrs = ShuffleAndRepeatDatasetV2Attrs());

class ShuffleDatasetAttrs : public OpAttrs {
 public:
  ShuffleDatasetAttrs& reshuffle_each_iteration(bool value) {
    Set("reshuffle_each_iteration", value);
    return *this;
  }
  ShuffleDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64) -> (handle: variant)
Output ShuffleDataset(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const Input& seed, const Input& seed2, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ShuffleDatasetAttrs& attrs = ShuffleDatasetAttrs());

class ShuffleDatasetV2Attrs : public OpAttrs {
 public:
  ShuffleDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, buffer_size: int64, seed_generator: resource) -> (handle: variant)
Output ShuffleDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const Input& seed_generator, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ShuffleDatasetV2Attrs& attrs = ShuffleDatasetV2Attrs());

class ShuffleDatasetV3Attrs : public OpAttrs {
 public:
  ShuffleDatasetV3Attrs& reshuffle_each_iteration(bool value) {
    Set("reshuffle_each_iteration", value);
    return *this;
  }
  ShuffleDatasetV3Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, seed_generator: resource)
//     -> (handle: variant)
Output ShuffleDatasetV3(ScopeRef scope, const Input& input_dataset, const Input& buffer_size,
    const Input& seed, const Input& seed2, const Input& seed_generator,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ShuffleDatasetV3Attrs& attrs = ShuffleDatasetV3Attrs());

class SkipDatasetAttrs : public OpAttrs {
 public:
  SkipDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, count: int64) -> (handle: variant)
Output SkipDataset(ScopeRef scope, const Input& input_dataset, const Input& count,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const SkipDatasetAttrs& attrs = SkipDatasetAttrs());

// (indices: int64, values: Tvalues, dense_shape: int64) -> (handle: variant)
Output SparseTensorSliceDataset(ScopeRef scope, const Input& indices, const Input& values,
    const Input& dense_shape);

class TFRecordDatasetAttrs : public OpAttrs {
 public:
  TFRecordDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (filenames: string, compression_type: string, buffer_size: int64) -> (handle: variant)
Output TFRecordDataset(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const TFRecordDatasetAttrs& attrs = TFRecordDatasetAttrs());

class TFRecordDatasetV2Attrs : public OpAttrs {
 public:
  TFRecordDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64) ->
//     (handle: variant)
Output TFRecordDatasetV2(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const Input& byte_offsets,
    const TFRecordDatasetV2Attrs& attrs = TFRecordDatasetV2Attrs());

class TakeDatasetAttrs : public OpAttrs {
 public:
  TakeDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, count: int64) -> (handle: variant)
Output TakeDataset(ScopeRef scope, const Input& input_dataset, const Input& count,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const TakeDatasetAttrs& attrs = TakeDatasetAttrs());

class TensorDatasetAttrs : public OpAttrs {
 public:
  TensorDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (components: Toutput_types) -> (handle: variant)
Output TensorDataset(ScopeRef scope, const InputList& components,
    const std::vector<PartialShape>& output_shapes,
    const TensorDatasetAttrs& attrs = TensorDatasetAttrs());

class TensorSliceDatasetAttrs : public OpAttrs {
 public:
  TensorSliceDatasetAttrs& is_files(bool value) {
    Set("is_files", value);
    return *this;
  }
  TensorSliceDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
  TensorSliceDatasetAttrs& replicate_on_split(bool value) {
    Set("replicate_on_split", value);
    return *this;
  }
};
// (components: Toutput_types) -> (handle: variant)
Output TensorSliceDataset(ScopeRef scope, const InputList& components,
    const std::vector<PartialShape>& output_shapes,
    const TensorSliceDatasetAttrs& attrs = TensorSliceDatasetAttrs());

class TextLineDatasetAttrs : public OpAttrs {
 public:
  TextLineDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (filenames: string, compression_type: string, buffer_size: int64) -> (handle: variant)
Output TextLineDataset(ScopeRef scope, const Input& filenames, const Input& compression_type,
    const Input& buffer_size, const TextLineDatasetAttrs& attrs = TextLineDatasetAttrs());

// (input_handle: variant) -> (output_handle: variant)
Output UnwrapDatasetVariant(ScopeRef scope, const Input& input_handle);

class WindowDatasetAttrs : public OpAttrs {
 public:
  WindowDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool) ->
//     (handle: variant)
Output WindowDataset(ScopeRef scope, const Input& input_dataset, const Input& size,
    const Input& shift, const Input& stride, const Input& drop_remainder,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const WindowDatasetAttrs& attrs = WindowDatasetAttrs());

// (inputs: Tinputs) -> (handle: variant)
Output WindowOp(ScopeRef scope, const InputList& inputs, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// (input_handle: variant) -> (output_handle: variant)
Output WrapDatasetVariant(ScopeRef scope, const Input& input_handle);

class ZipDatasetAttrs : public OpAttrs {
 public:
  ZipDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_datasets: N * variant) -> (handle: variant)
Output ZipDataset(ScopeRef scope, const InputList& input_datasets,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ZipDatasetAttrs& attrs = ZipDatasetAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_DATASET_OPS_2_H_
