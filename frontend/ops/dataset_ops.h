// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_DATASET_OPS_H_
#define WARPBEAM_FRONTEND_OPS_DATASET_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// () -> (handle: resource)
Output AnonymousIterator(ScopeRef scope, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

struct AnonymousIteratorV2Outputs {
  Output handle;
  Output deleter;
  Operation op;
};
// () -> (handle: resource, deleter: variant)
AnonymousIteratorV2Outputs AnonymousIteratorV2(ScopeRef scope,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// () -> (handle: resource)
Output AnonymousIteratorV3(ScopeRef scope, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

struct AnonymousMemoryCacheOutputs {
  Output handle;
  Output deleter;
  Operation op;
};
// () -> (handle: resource, deleter: variant)
AnonymousMemoryCacheOutputs AnonymousMemoryCache(ScopeRef scope);

struct AnonymousMultiDeviceIteratorOutputs {
  Output handle;
  Output deleter;
  Operation op;
};
// () -> (handle: resource, deleter: variant)
AnonymousMultiDeviceIteratorOutputs AnonymousMultiDeviceIterator(ScopeRef scope,
    const std::vector<std::string>& devices, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes);

// () -> (handle: resource)
Output AnonymousMultiDeviceIteratorV3(ScopeRef scope, const std::vector<std::string>& devices,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

struct AnonymousRandomSeedGeneratorOutputs {
  Output handle;
  Output deleter;
  Operation op;
};
// (seed: int64, seed2: int64) -> (handle: resource, deleter: variant)
AnonymousRandomSeedGeneratorOutputs AnonymousRandomSeedGenerator(ScopeRef scope, const Input& seed,
    const Input& seed2);

struct AnonymousSeedGeneratorOutputs {
  Output handle;
  Output deleter;
  Operation op;
};
// (seed: int64, seed2: int64, reshuffle: bool) -> (handle: resource, deleter: variant)
AnonymousSeedGeneratorOutputs AnonymousSeedGenerator(ScopeRef scope, const Input& seed,
    const Input& seed2, const Input& reshuffle);

class BatchDatasetAttrs : public OpAttrs {
 public:
  BatchDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, batch_size: int64) -> (handle: variant)
Output BatchDataset(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const BatchDatasetAttrs& attrs = BatchDatasetAttrs());

class BatchDatasetV2Attrs : public OpAttrs {
 public:
  BatchDatasetV2Attrs& parallel_copy(bool value) {
    Set("parallel_copy", value);
    return *this;
  }
  BatchDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, batch_size: int64, drop_remainder: bool) -> (handle: variant)
Output BatchDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const Input& drop_remainder, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const BatchDatasetV2Attrs& attrs = BatchDatasetV2Attrs());

class CacheDatasetAttrs : public OpAttrs {
 public:
  CacheDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, filename: string) -> (handle: variant)
Output CacheDataset(ScopeRef scope, const Input& input_dataset, const Input& filename,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const CacheDatasetAttrs& attrs = CacheDatasetAttrs());

class CacheDatasetV2Attrs : public OpAttrs {
 public:
  CacheDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, filename: string, cache: resource) -> (handle: variant)
Output CacheDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& filename,
    const Input& cache, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const CacheDatasetV2Attrs& attrs = CacheDatasetV2Attrs());

class ConcatenateDatasetAttrs : public OpAttrs {
 public:
  ConcatenateDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, another_dataset: variant) -> (handle: variant)
Output ConcatenateDataset(ScopeRef scope, const Input& input_dataset, const Input& another_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ConcatenateDatasetAttrs& attrs = ConcatenateDatasetAttrs());

class DatasetCardinalityAttrs : public OpAttrs {
 public:
  DatasetCardinalityAttrs& cardinality_options(const std::string& value) {
    Set("cardinality_options", value);
    return *this;
  }
};
// (input_dataset: variant) -> (cardinality: int64)
Output DatasetCardinality(ScopeRef scope, const Input& input_dataset,
    const DatasetCardinalityAttrs& attrs = DatasetCardinalityAttrs());

class DatasetToSingleElementAttrs : public OpAttrs {
 public:
  DatasetToSingleElementAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (dataset: variant) -> (components: output_types)
std::vector<Output> DatasetToSingleElement(ScopeRef scope, const Input& dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const DatasetToSingleElementAttrs& attrs = DatasetToSingleElementAttrs());

// (handle: resource, deleter: variant) -> ()
Operation DeleteIterator(ScopeRef scope, const Input& handle, const Input& deleter);

// (handle: resource, deleter: variant) -> ()
Operation DeleteMemoryCache(ScopeRef scope, const Input& handle, const Input& deleter);

// (multi_device_iterator: resource, iterators: N * resource, deleter: variant) -> ()
Operation DeleteMultiDeviceIterator(ScopeRef scope, const Input& multi_device_iterator,
    const InputList& iterators, const Input& deleter);

// (handle: resource, deleter: variant) -> ()
Operation DeleteRandomSeedGenerator(ScopeRef scope, const Input& handle, const Input& deleter);

// (handle: resource, deleter: variant) -> ()
Operation DeleteSeedGenerator(ScopeRef scope, const Input& handle, const Input& deleter);

// (resource_handle: resource, serialized: variant) -> ()
Operation DeserializeIterator(ScopeRef scope, const Input& resource_handle, const Input& serialized);

// () -> (handle: resource)
Output DummyMemoryCache(ScopeRef scope);

// () -> (handle: resource)
Output DummySeedGenerator(ScopeRef scope);

class FilterDatasetAttrs : public OpAttrs {
 public:
  FilterDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
Output FilterDataset(ScopeRef scope, const Input& input_dataset, const InputList& other_arguments,
    const FunctionRef& predicate, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const FilterDatasetAttrs& attrs = FilterDatasetAttrs());

class FinalizeDatasetAttrs : public OpAttrs {
 public:
  FinalizeDatasetAttrs& has_captured_ref(bool value) {
    Set("has_captured_ref", value);
    return *this;
  }
};
// (input_dataset: variant) -> (handle: variant)
Output FinalizeDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const FinalizeDatasetAttrs& attrs = FinalizeDatasetAttrs());

class FixedLengthRecordDatasetAttrs : public OpAttrs {
 public:
  FixedLengthRecordDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size:
//     int64) -> (handle: variant)
Output FixedLengthRecordDataset(ScopeRef scope, const Input& filenames, const Input& header_bytes,
    const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size,
    const FixedLengthRecordDatasetAttrs& attrs = FixedLengthRecordDatasetAttrs());

class FixedLengthRecordDatasetV2Attrs : public OpAttrs {
 public:
  FixedLengthRecordDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size:
//     int64, compression_type: string) -> (handle: variant)
Output FixedLengthRecordDatasetV2(ScopeRef scope, const Input& filenames, const Input& header_bytes,
    const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size,
    const Input& compression_type,
    const FixedLengthRecordDatasetV2Attrs& attrs = FixedLengthRecordDatasetV2Attrs());

class FlatMapDatasetAttrs : public OpAttrs {
 public:
  FlatMapDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
Output FlatMapDataset(ScopeRef scope, const Input& input_dataset, const InputList& other_arguments,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const FlatMapDatasetAttrs& attrs = FlatMapDatasetAttrs());

class GeneratorDatasetAttrs : public OpAttrs {
 public:
  GeneratorDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args,
//     finalize_func_other_args: Tfinalize_func_args) -> (handle: variant)
Output GeneratorDataset(ScopeRef scope, const InputList& init_func_other_args,
    const InputList& next_func_other_args, const InputList& finalize_func_other_args,
    const FunctionRef& init_func, const FunctionRef& next_func, const FunctionRef& finalize_func,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const GeneratorDatasetAttrs& attrs = GeneratorDatasetAttrs());

class InterleaveDatasetAttrs : public OpAttrs {
 public:
  InterleaveDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64)
//     -> (handle: variant)
Output InterleaveDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const InterleaveDatasetAttrs& attrs = InterleaveDatasetAttrs());

// () -> (handle: resource)
Output Iterator(ScopeRef scope, const std::string& shared_name, const std::string& container,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class IteratorFromStringHandleAttrs : public OpAttrs {
 public:
  IteratorFromStringHandleAttrs& output_types(const std::vector<DType>& value) {
    Set("output_types", value);
    return *this;
  }
  IteratorFromStringHandleAttrs& output_shapes(const std::vector<PartialShape>& value) {
    Set("output_shapes", value);
    return *this;
  }
};
// (string_handle: string) -> (resource_handle: resource)
Output IteratorFromStringHandle(ScopeRef scope, const Input& string_handle,
    const IteratorFromStringHandleAttrs& attrs = IteratorFromStringHandleAttrs());

class IteratorFromStringHandleV2Attrs : public OpAttrs {
 public:
  IteratorFromStringHandleV2Attrs& output_types(const std::vector<DType>& value) {
    Set("output_types", value);
    return *this;
  }
  IteratorFromStringHandleV2Attrs& output_shapes(const std::vector<PartialShape>& value) {
    Set("output_shapes", value);
    return *this;
  }
};
// (string_handle: string) -> (resource_handle: resource)
Output IteratorFromStringHandleV2(ScopeRef scope, const Input& string_handle,
    const IteratorFromStringHandleV2Attrs& attrs = IteratorFromStringHandleV2Attrs());

// (iterator: resource) -> (components: output_types)
std::vector<Output> IteratorGetNext(ScopeRef scope, const Input& iterator,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (iterator: resource) -> (optional: variant)
Output IteratorGetNextAsOptional(ScopeRef scope, const Input& iterator,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (iterator: resource) -> (components: output_types)
std::vector<Output> IteratorGetNextSync(ScopeRef scope, const Input& iterator,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (resource_handle: resource) -> (string_handle: string)
Output IteratorToStringHandle(ScopeRef scope, const Input& resource_handle);

// () -> (handle: resource)
Output IteratorV2(ScopeRef scope, const std::string& shared_name, const std::string& container,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (dataset: variant, iterator: resource) -> ()
Operation MakeIterator(ScopeRef scope, const Input& dataset, const Input& iterator);

class MapDatasetAttrs : public OpAttrs {
 public:
  MapDatasetAttrs& use_inter_op_parallelism(bool value) {
    Set("use_inter_op_parallelism", value);
    return *this;
  }
  MapDatasetAttrs& preserve_cardinality(bool value) {
    Set("preserve_cardinality", value);
    return *this;
  }
  MapDatasetAttrs& force_synchronous(bool value) {
    Set("force_synchronous", value);
    return *this;
  }
  MapDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments) -> (handle: variant)
Output MapDataset(ScopeRef scope, const Input& input_dataset, const InputList& other_arguments,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const MapDatasetAttrs& attrs = MapDatasetAttrs());

class ModelDatasetAttrs : public OpAttrs {
 public:
  ModelDatasetAttrs& algorithm(int64_t value) {
    Set("algorithm", value);
    return *this;
  }
  ModelDatasetAttrs& cpu_budget(int64_t value) {
    Set("cpu_budget", value);
    return *this;
  }
  ModelDatasetAttrs& ram_budget(int64_t value) {
    Set("ram_budget", value);
    return *this;
  }
};
// (input_dataset: variant) -> (handle: variant)
Output ModelDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ModelDatasetAttrs& attrs = ModelDatasetAttrs());

// () -> (handle: resource)
Output MultiDeviceIterator(ScopeRef scope, const std::vector<std::string>& devices,
    const std::string& shared_name, const std::string& container,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

class MultiDeviceIteratorFromStringHandleAttrs : public OpAttrs {
 public:
  MultiDeviceIteratorFromStringHandleAttrs& output_types(const std::vector<DType>& value) {
    Set("output_types", value);
    return *this;
  }
  MultiDeviceIteratorFromStringHandleAttrs& output_shapes(const std::vector<PartialShape>& value) {
    Set("output_shapes", value);
    return *this;
  }
};
// (string_handle: string) -> (multi_device_iterator: resource)
Output MultiDeviceIteratorFromStringHandle(ScopeRef scope, const Input& string_handle,
    const MultiDeviceIteratorFromStringHandleAttrs& attrs = MultiDeviceIteratorFromStringHandleAttrs());

// (multi_device_iterator: resource, shard_num: int32, incarnation_id: int64) -> (components:
//     output_types)
std::vector<Output> MultiDeviceIteratorGetNextFromShard(ScopeRef scope,
    const Input& multi_device_iterator, const Input& shard_num, const Input& incarnation_id,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (dataset: variant, multi_device_iterator: resource, max_buffer_size: int64) -> (incarnation_id:
//     int64)
Output MultiDeviceIteratorInit(ScopeRef scope, const Input& dataset,
    const Input& multi_device_iterator, const Input& max_buffer_size);

// (multi_device_iterator: resource) -> (string_handle: string)
Output MultiDeviceIteratorToStringHandle(ScopeRef scope, const Input& multi_device_iterator);

class OneShotIteratorAttrs : public OpAttrs {
 public:
  OneShotIteratorAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  OneShotIteratorAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: resource)
Output OneShotIterator(ScopeRef scope, const FunctionRef& dataset_factory,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const OneShotIteratorAttrs& attrs = OneShotIteratorAttrs());

class OptimizeDatasetAttrs : public OpAttrs {
 public:
  OptimizeDatasetAttrs& optimization_configs(const std::vector<std::string>& value) {
    Set("optimization_configs", value);
    return *this;
  }
};
// (input_dataset: variant, optimizations: string) -> (handle: variant)
Output OptimizeDataset(ScopeRef scope, const Input& input_dataset, const Input& optimizations,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const OptimizeDatasetAttrs& attrs = OptimizeDatasetAttrs());

class OptimizeDatasetV2Attrs : public OpAttrs {
 public:
  OptimizeDatasetV2Attrs& optimization_configs(const std::vector<std::string>& value) {
    Set("optimization_configs", value);
    return *this;
  }
};
// (input_dataset: variant, optimizations_enabled: string, optimizations_disabled: string,
//     optimizations_default: string) -> (handle: variant)
Output OptimizeDatasetV2(ScopeRef scope, const Input& input_dataset,
    const Input& optimizations_enabled, const Input& optimizations_disabled,
    const Input& optimizations_default, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const OptimizeDatasetV2Attrs& attrs = OptimizeDatasetV2Attrs());

class OptionsDatasetAttrs : public OpAttrs {
 public:
  OptionsDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant) -> (handle: variant)
Output OptionsDataset(ScopeRef scope, const Input& input_dataset,
    const std::string& serialized_options, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const OptionsDatasetAttrs& attrs = OptionsDatasetAttrs());

class PaddedBatchDatasetAttrs : public OpAttrs {
 public:
  PaddedBatchDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values:
//     Toutput_types) -> (handle: variant)
Output PaddedBatchDataset(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const InputList& padded_shapes, const InputList& padding_values,
    const std::vector<PartialShape>& output_shapes,
    const PaddedBatchDatasetAttrs& attrs = PaddedBatchDatasetAttrs());

class PaddedBatchDatasetV2Attrs : public OpAttrs {
 public:
  PaddedBatchDatasetV2Attrs& parallel_copy(bool value) {
    Set("parallel_copy", value);
    return *this;
  }
  PaddedBatchDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values:
//     Toutput_types, drop_remainder: bool) -> (handle: variant)
Output PaddedBatchDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const InputList& padded_shapes, const InputList& padding_values, const Input& drop_remainder,
    const std::vector<PartialShape>& output_shapes,
    const PaddedBatchDatasetV2Attrs& attrs = PaddedBatchDatasetV2Attrs());

class ParallelBatchDatasetAttrs : public OpAttrs {
 public:
  ParallelBatchDatasetAttrs& parallel_copy(bool value) {
    Set("parallel_copy", value);
    return *this;
  }
  ParallelBatchDatasetAttrs& deterministic(const std::string& value) {
    Set("deterministic", value);
    return *this;
  }
  ParallelBatchDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool) ->
//     (handle: variant)
Output ParallelBatchDataset(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const Input& num_parallel_calls, const Input& drop_remainder,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParallelBatchDatasetAttrs& attrs = ParallelBatchDatasetAttrs());

class ParallelFilterDatasetAttrs : public OpAttrs {
 public:
  ParallelFilterDatasetAttrs& deterministic(const std::string& value) {
    Set("deterministic", value);
    return *this;
  }
  ParallelFilterDatasetAttrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64) -> (handle:
//     variant)
Output ParallelFilterDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& num_parallel_calls, const FunctionRef& predicate,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParallelFilterDatasetAttrs& attrs = ParallelFilterDatasetAttrs());

class ParallelInterleaveDatasetV2Attrs : public OpAttrs {
 public:
  ParallelInterleaveDatasetV2Attrs& sloppy(bool value) {
    Set("sloppy", value);
    return *this;
  }
  ParallelInterleaveDatasetV2Attrs& metadata(const std::string& value) {
    Set("metadata", value);
    return *this;
  }
};
// (input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64,
//     num_parallel_calls: int64) -> (handle: variant)
Output ParallelInterleaveDatasetV2(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes,
    const ParallelInterleaveDatasetV2Attrs& attrs = ParallelInterleaveDatasetV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_DATASET_OPS_H_
