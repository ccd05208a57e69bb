// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/dataset_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output AnonymousIterator(ScopeRef scope, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "AnonymousIterator", {},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

AnonymousIteratorV2Outputs AnonymousIteratorV2(ScopeRef scope,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "AnonymousIteratorV2", {},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
  AnonymousIteratorV2Outputs outputs;
  outputs.handle = OutputOf(here, built, "handle");
  outputs.deleter = OutputOf(here, built, "deleter");
  outputs.op = built;
  return outputs;
}

Output AnonymousIteratorV3(ScopeRef scope, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "AnonymousIteratorV3", {},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

AnonymousMemoryCacheOutputs AnonymousMemoryCache(ScopeRef scope) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "AnonymousMemoryCache", {},
      OpAttrs());
  AnonymousMemoryCacheOutputs outputs;
  outputs.handle = OutputOf(here, built, "handle");
  outputs.deleter = OutputOf(here, built, "deleter");
  outputs.op = built;
  return outputs;
}

AnonymousMultiDeviceIteratorOutputs AnonymousMultiDeviceIterator(ScopeRef scope,
    const std::vector<std::string>& devices, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "AnonymousMultiDeviceIterator", {},
      OpAttrs()
          .Set("devices", devices)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
  AnonymousMultiDeviceIteratorOutputs outputs;
  outputs.handle = OutputOf(here, built, "handle");
  outputs.deleter = OutputOf(here, built, "deleter");
  outputs.op = built;
  return outputs;
}

Output AnonymousMultiDeviceIteratorV3(ScopeRef scope, const std::vector<std::string>& devices,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "AnonymousMultiDeviceIteratorV3", {},
      OpAttrs()
          .Set("devices", devices)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

AnonymousRandomSeedGeneratorOutputs AnonymousRandomSeedGenerator(ScopeRef scope, const Input& seed,
    const Input& seed2) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "AnonymousRandomSeedGenerator", {seed, seed2},
      OpAttrs());
  AnonymousRandomSeedGeneratorOutputs outputs;
  outputs.handle = OutputOf(here, built, "handle");
  outputs.deleter = OutputOf(here, built, "deleter");
  outputs.op = built;
  return outputs;
}

AnonymousSeedGeneratorOutputs AnonymousSeedGenerator(ScopeRef scope, const Input& seed,
    const Input& seed2, const Input& reshuffle) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "AnonymousSeedGenerator", {seed, seed2, reshuffle},
      OpAttrs());
  AnonymousSeedGeneratorOutputs outputs;
  outputs.handle = OutputOf(here, built, "handle");
  outputs.deleter = OutputOf(here, built, "deleter");
  outputs.op = built;
  return outputs;
}

Output BatchDataset(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const BatchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "BatchDataset", {input_dataset, batch_size},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output BatchDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const Input& drop_remainder, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const BatchDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "BatchDatasetV2", {input_dataset, batch_size, drop_remainder},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output CacheDataset(ScopeRef scope, const Input& input_dataset, const Input& filename,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const CacheDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "CacheDataset", {input_dataset, filename},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output CacheDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& filename,
    const Input& cache, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const CacheDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "CacheDatasetV2", {input_dataset, filename, cache},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ConcatenateDataset(ScopeRef scope, const Input& input_dataset, const Input& another_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ConcatenateDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ConcatenateDataset", {input_dataset, another_dataset},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output DatasetCardinality(ScopeRef scope, const Input& input_dataset,
    const DatasetCardinalityAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "DatasetCardinality", {input_dataset},
      attrs);
}

std::vector<Output> DatasetToSingleElement(ScopeRef scope, const Input& dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const DatasetToSingleElementAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "DatasetToSingleElement", {dataset},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Operation DeleteIterator(ScopeRef scope, const Input& handle, const Input& deleter) {
  return BuildOp(
      scope.scope(), "DeleteIterator", {handle, deleter},
      OpAttrs());
}

Operation DeleteMemoryCache(ScopeRef scope, const Input& handle, const Input& deleter) {
  return BuildOp(
      scope.scope(), "DeleteMemoryCache", {handle, deleter},
      OpAttrs());
}

Operation DeleteMultiDeviceIterator(ScopeRef scope, const Input& multi_device_iterator,
    const InputList& iterators, const Input& deleter) {
  return BuildOp(
      scope.scope(), "DeleteMultiDeviceIterator", {multi_device_iterator, iterators, deleter},
      OpAttrs());
}

Operation DeleteRandomSeedGenerator(ScopeRef scope, const Input& handle, const Input& deleter) {
  return BuildOp(
      scope.scope(), "DeleteRandomSeedGenerator", {handle, deleter},
      OpAttrs());
}

Operation DeleteSeedGenerator(ScopeRef scope, const Input& handle, const Input& deleter) {
  return BuildOp(
      scope.scope(), "DeleteSeedGenerator", {handle, deleter},
      OpAttrs());
}

Operation DeserializeIterator(ScopeRef scope, const Input& resource_handle, const Input& serialized) {
  return BuildOp(
      scope.scope(), "DeserializeIterator", {resource_handle, serialized},
      OpAttrs());
}

Output DummyMemoryCache(ScopeRef scope) {
  return BuildOutput(
      scope.scope(), "DummyMemoryCache", {},
      OpAttrs());
}

Output DummySeedGenerator(ScopeRef scope) {
  return BuildOutput(
      scope.scope(), "DummySeedGenerator", {},
      OpAttrs());
}

Output FilterDataset(ScopeRef scope, const Input& input_dataset, const InputList& other_arguments,
    const FunctionRef& predicate, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const FilterDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FilterDataset", {input_dataset, other_arguments},
      OpAttrs(attrs)
          .Set("predicate", predicate)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output FinalizeDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const FinalizeDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FinalizeDataset", {input_dataset},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output FixedLengthRecordDataset(ScopeRef scope, const Input& filenames, const Input& header_bytes,
    const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size,
    const FixedLengthRecordDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FixedLengthRecordDataset", {filenames, header_bytes, record_bytes,
          footer_bytes, buffer_size},
      attrs);
}

Output FixedLengthRecordDatasetV2(ScopeRef scope, const Input& filenames, const Input& header_bytes,
    const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size,
    const Input& compression_type, const FixedLengthRecordDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "FixedLengthRecordDatasetV2", {filenames, header_bytes, record_bytes,
          footer_bytes, buffer_size, compression_type},
      attrs);
}

Output FlatMapDataset(ScopeRef scope, const Input& input_dataset, const InputList& other_arguments,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const FlatMapDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FlatMapDataset", {input_dataset, other_arguments},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output GeneratorDataset(ScopeRef scope, const InputList& init_func_other_args,
    const InputList& next_func_other_args, const InputList& finalize_func_other_args,
    const FunctionRef& init_func, const FunctionRef& next_func, const FunctionRef& finalize_func,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const GeneratorDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "GeneratorDataset", {init_func_other_args, next_func_other_args,
          finalize_func_other_args},
      OpAttrs(attrs)
          .Set("init_func", init_func)
          .Set("next_func", next_func)
          .Set("finalize_func", finalize_func)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output InterleaveDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const InterleaveDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "InterleaveDataset", {input_dataset, other_arguments, cycle_length,
          block_length},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output Iterator(ScopeRef scope, const std::string& shared_name, const std::string& container,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "Iterator", {},
      OpAttrs()
          .Set("shared_name", shared_name)
          .Set("container", container)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output IteratorFromStringHandle(ScopeRef scope, const Input& string_handle,
    const IteratorFromStringHandleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "IteratorFromStringHandle", {string_handle},
      attrs);
}

Output IteratorFromStringHandleV2(ScopeRef scope, const Input& string_handle,
    const IteratorFromStringHandleV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "IteratorFromStringHandleV2", {string_handle},
      attrs);
}

std::vector<Output> IteratorGetNext(ScopeRef scope, const Input& iterator,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutputs(
      scope.scope(), "IteratorGetNext", {iterator},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output IteratorGetNextAsOptional(ScopeRef scope, const Input& iterator,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "IteratorGetNextAsOptional", {iterator},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

std::vector<Output> IteratorGetNextSync(ScopeRef scope, const Input& iterator,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutputs(
      scope.scope(), "IteratorGetNextSync", {iterator},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output IteratorToStringHandle(ScopeRef scope, const Input& resource_handle) {
  return BuildOutput(
      scope.scope(), "IteratorToStringHandle", {resource_handle},
      OpAttrs());
}

Output IteratorV2(ScopeRef scope, const std::string& shared_name, const std::string& container,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "IteratorV2", {},
      OpAttrs()
          .Set("shared_name", shared_name)
          .Set("container", container)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Operation MakeIterator(ScopeRef scope, const Input& dataset, const Input& iterator) {
  return BuildOp(
      scope.scope(), "MakeIterator", {dataset, iterator},
      OpAttrs());
}

Output MapDataset(ScopeRef scope, const Input& input_dataset, const InputList& other_arguments,
    const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const MapDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MapDataset", {input_dataset, other_arguments},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ModelDataset(ScopeRef scope, const Input& input_dataset,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ModelDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ModelDataset", {input_dataset},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output MultiDeviceIterator(ScopeRef scope, const std::vector<std::string>& devices,
    const std::string& shared_name, const std::string& container,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutput(
      scope.scope(), "MultiDeviceIterator", {},
      OpAttrs()
          .Set("devices", devices)
          .Set("shared_name", shared_name)
          .Set("container", container)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output MultiDeviceIteratorFromStringHandle(ScopeRef scope, const Input& string_handle,
    const MultiDeviceIteratorFromStringHandleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MultiDeviceIteratorFromStringHandle", {string_handle},
      attrs);
}

std::vector<Output> MultiDeviceIteratorGetNextFromShard(ScopeRef scope,
    const Input& multi_device_iterator, const Input& shard_num, const Input& incarnation_id,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutputs(
      scope.scope(), "MultiDeviceIteratorGetNextFromShard", {multi_device_iterator, shard_num,
          incarnation_id},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output MultiDeviceIteratorInit(ScopeRef scope, const Input& dataset,
    const Input& multi_device_iterator, const Input& max_buffer_size) {
  return BuildOutput(
      scope.scope(), "MultiDeviceIteratorInit", {dataset, multi_device_iterator, max_buffer_size},
      OpAttrs());
}

Output MultiDeviceIteratorToStringHandle(ScopeRef scope, const Input& multi_device_iterator) {
  return BuildOutput(
      scope.scope(), "MultiDeviceIteratorToStringHandle", {multi_device_iterator},
      OpAttrs());
}

Output OneShotIterator(ScopeRef scope, const FunctionRef& dataset_factory,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const OneShotIteratorAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "OneShotIterator", {},
      OpAttrs(attrs)
          .Set("dataset_factory", dataset_factory)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output OptimizeDataset(ScopeRef scope, const Input& input_dataset, const Input& optimizations,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const OptimizeDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "OptimizeDataset", {input_dataset, optimizations},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output OptimizeDatasetV2(ScopeRef scope, const Input& input_dataset,
    const Input& optimizations_enabled, const Input& optimizations_disabled,
    const Input& optimizations_default, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const OptimizeDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "OptimizeDatasetV2", {input_dataset, optimizations_enabled,
          optimizations_disabled, optimizations_default},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output OptionsDataset(ScopeRef scope, const Input& input_dataset,
    const std::string& serialized_options, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const OptionsDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "OptionsDataset", {input_dataset},
      OpAttrs(attrs)
          .Set("serialized_options", serialized_options)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output PaddedBatchDataset(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const InputList& padded_shapes, const InputList& padding_values,
    const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "PaddedBatchDataset", {input_dataset, batch_size, padded_shapes, padding_values},
      OpAttrs(attrs)
          .Set("output_shapes", output_shapes));
}

Output PaddedBatchDatasetV2(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const InputList& padded_shapes, const InputList& padding_values, const Input& drop_remainder,
    const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "PaddedBatchDatasetV2", {input_dataset, batch_size, padded_shapes,
          padding_values, drop_remainder},
      OpAttrs(attrs)
          .Set("output_shapes", output_shapes));
}

Output ParallelBatchDataset(ScopeRef scope, const Input& input_dataset, const Input& batch_size,
    const Input& num_parallel_calls, const Input& drop_remainder,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParallelBatchDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParallelBatchDataset", {input_dataset, batch_size, num_parallel_calls,
          drop_remainder},
      OpAttrs(attrs)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ParallelFilterDataset(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& num_parallel_calls, const FunctionRef& predicate,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes,
    const ParallelFilterDatasetAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParallelFilterDataset", {input_dataset, other_arguments, num_parallel_calls},
      OpAttrs(attrs)
          .Set("predicate", predicate)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output ParallelInterleaveDatasetV2(ScopeRef scope, const Input& input_dataset,
    const InputList& other_arguments, const Input& cycle_length, const Input& block_length,
    const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types,
    const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParallelInterleaveDatasetV2", {input_dataset, other_arguments, cycle_length,
          block_length, num_parallel_calls},
      OpAttrs(attrs)
          .Set("f", f)
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
