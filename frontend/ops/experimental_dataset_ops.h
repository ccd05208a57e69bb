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

// (input_dataset: variant, tag: string) -> (handle: variant)
Output LatencyStatsDataset(ScopeRef scope, const Input& input_dataset, const Input& tag,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

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

#endif  // WARPBEAM_FRONTEND_OPS_EXPERIMENTAL_DATASET_OPS_H_
