// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/io_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output FixedLengthRecordReader(ScopeRef scope, int64_t record_bytes,
    const FixedLengthRecordReaderAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FixedLengthRecordReader", {},
      OpAttrs(attrs)
          .Set("record_bytes", record_bytes));
}

Output FixedLengthRecordReaderV2(ScopeRef scope, int64_t record_bytes,
    const FixedLengthRecordReaderV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "FixedLengthRecordReaderV2", {},
      OpAttrs(attrs)
          .Set("record_bytes", record_bytes));
}

Output IdentityReader(ScopeRef scope, const IdentityReaderAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "IdentityReader", {},
      attrs);
}

Output IdentityReaderV2(ScopeRef scope, const IdentityReaderV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "IdentityReaderV2", {},
      attrs);
}

Output MatchingFiles(ScopeRef scope, const Input& pattern) {
  return BuildOutput(
      scope.scope(), "MatchingFiles", {pattern},
      OpAttrs());
}

Operation MergeV2Checkpoints(ScopeRef scope, const Input& checkpoint_prefixes,
    const Input& destination_prefix, const MergeV2CheckpointsAttrs& attrs) {
  return BuildOp(
      scope.scope(), "MergeV2Checkpoints", {checkpoint_prefixes, destination_prefix},
      attrs);
}

Output ReadFile(ScopeRef scope, const Input& filename) {
  return BuildOutput(
      scope.scope(), "ReadFile", {filename},
      OpAttrs());
}

Output ReaderNumRecordsProduced(ScopeRef scope, const Input& reader_handle) {
  return BuildOutput(
      scope.scope(), "ReaderNumRecordsProduced", {reader_handle},
      OpAttrs());
}

Output ReaderNumRecordsProducedV2(ScopeRef scope, const Input& reader_handle) {
  return BuildOutput(
      scope.scope(), "ReaderNumRecordsProducedV2", {reader_handle},
      OpAttrs());
}

Output ReaderNumWorkUnitsCompleted(ScopeRef scope, const Input& reader_handle) {
  return BuildOutput(
      scope.scope(), "ReaderNumWorkUnitsCompleted", {reader_handle},
      OpAttrs());
}

Output ReaderNumWorkUnitsCompletedV2(ScopeRef scope, const Input& reader_handle) {
  return BuildOutput(
      scope.scope(), "ReaderNumWorkUnitsCompletedV2", {reader_handle},
      OpAttrs());
}

ReaderReadOutputs ReaderRead(ScopeRef scope, const Input& reader_handle, const Input& queue_handle) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ReaderRead", {reader_handle, queue_handle},
      OpAttrs());
  ReaderReadOutputs outputs;
  outputs.key = OutputOf(here, built, "key");
  outputs.value = OutputOf(here, built, "value");
  outputs.op = built;
  return outputs;
}

ReaderReadUpToOutputs ReaderReadUpTo(ScopeRef scope, const Input& reader_handle,
    const Input& queue_handle, const Input& num_records) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ReaderReadUpTo", {reader_handle, queue_handle, num_records},
      OpAttrs());
  ReaderReadUpToOutputs outputs;
  outputs.keys = OutputOf(here, built, "keys");
  outputs.values = OutputOf(here, built, "values");
  outputs.op = built;
  return outputs;
}

ReaderReadUpToV2Outputs ReaderReadUpToV2(ScopeRef scope, const Input& reader_handle,
    const Input& queue_handle, const Input& num_records) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ReaderReadUpToV2", {reader_handle, queue_handle, num_records},
      OpAttrs());
  ReaderReadUpToV2Outputs outputs;
  outputs.keys = OutputOf(here, built, "keys");
  outputs.values = OutputOf(here, built, "values");
  outputs.op = built;
  return outputs;
}

ReaderReadV2Outputs ReaderReadV2(ScopeRef scope, const Input& reader_handle,
    const Input& queue_handle) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ReaderReadV2", {reader_handle, queue_handle},
      OpAttrs());
  ReaderReadV2Outputs outputs;
  outputs.key = OutputOf(here, built, "key");
  outputs.value = OutputOf(here, built, "value");
  outputs.op = built;
  return outputs;
}

Operation ReaderReset(ScopeRef scope, const Input& reader_handle) {
  return BuildOp(
      scope.scope(), "ReaderReset", {reader_handle},
      OpAttrs());
}

Operation ReaderResetV2(ScopeRef scope, const Input& reader_handle) {
  return BuildOp(
      scope.scope(), "ReaderResetV2", {reader_handle},
      OpAttrs());
}

Operation ReaderRestoreState(ScopeRef scope, const Input& reader_handle, const Input& state) {
  return BuildOp(
      scope.scope(), "ReaderRestoreState", {reader_handle, state},
      OpAttrs());
}

Operation ReaderRestoreStateV2(ScopeRef scope, const Input& reader_handle, const Input& state) {
  return BuildOp(
      scope.scope(), "ReaderRestoreStateV2", {reader_handle, state},
      OpAttrs());
}

Output ReaderSerializeState(ScopeRef scope, const Input& reader_handle) {
  return BuildOutput(
      scope.scope(), "ReaderSerializeState", {reader_handle},
      OpAttrs());
}

Output ReaderSerializeStateV2(ScopeRef scope, const Input& reader_handle) {
  return BuildOutput(
      scope.scope(), "ReaderSerializeStateV2", {reader_handle},
      OpAttrs());
}

Output Restore(ScopeRef scope, const Input& file_pattern, const Input& tensor_name, DType dt,
    const RestoreAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Restore", {file_pattern, tensor_name},
      OpAttrs(attrs)
          .Set("dt", dt));
}

Output RestoreSlice(ScopeRef scope, const Input& file_pattern, const Input& tensor_name,
    const Input& shape_and_slice, DType dt, const RestoreSliceAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RestoreSlice", {file_pattern, tensor_name, shape_and_slice},
      OpAttrs(attrs)
          .Set("dt", dt));
}

std::vector<Output> RestoreV2(ScopeRef scope, const Input& prefix, const Input& tensor_names,
    const Input& shape_and_slices, const std::vector<DType>& dtypes) {
  return BuildOutputs(
      scope.scope(), "RestoreV2", {prefix, tensor_names, shape_and_slices},
      OpAttrs()
          .Set("dtypes", dtypes));
}

Operation Save(ScopeRef scope, const Input& filename, const Input& tensor_names,
    const InputList& data) {
  return BuildOp(
      scope.scope(), "Save", {filename, tensor_names, data},
      OpAttrs());
}

Operation SaveSlices(ScopeRef scope, const Input& filename, const Input& tensor_names,
    const Input& shapes_and_slices, const InputList& data) {
  return BuildOp(
      scope.scope(), "SaveSlices", {filename, tensor_names, shapes_and_slices, data},
      OpAttrs());
}

Operation SaveV2(ScopeRef scope, const Input& prefix, const Input& tensor_names,
    const Input& shape_and_slices, const InputList& tensors) {
  return BuildOp(
      scope.scope(), "SaveV2", {prefix, tensor_names, shape_and_slices, tensors},
      OpAttrs());
}

Output ShardedFilename(ScopeRef scope, const Input& basename, const Input& shard,
    const Input& num_shards) {
  return BuildOutput(
      scope.scope(), "ShardedFilename", {basename, shard, num_shards},
      OpAttrs());
}

Output ShardedFilespec(ScopeRef scope, const Input& basename, const Input& num_shards) {
  return BuildOutput(
      scope.scope(), "ShardedFilespec", {basename, num_shards},
      OpAttrs());
}

Output TFRecordReader(ScopeRef scope, const TFRecordReaderAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TFRecordReader", {},
      attrs);
}

Output TFRecordReaderV2(ScopeRef scope, const TFRecordReaderV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "TFRecordReaderV2", {},
      attrs);
}

Output TextLineReader(ScopeRef scope, const TextLineReaderAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TextLineReader", {},
      attrs);
}

Output TextLineReaderV2(ScopeRef scope, const TextLineReaderV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "TextLineReaderV2", {},
      attrs);
}

Output WholeFileReader(ScopeRef scope, const WholeFileReaderAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "WholeFileReader", {},
      attrs);
}

Output WholeFileReaderV2(ScopeRef scope, const WholeFileReaderV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "WholeFileReaderV2", {},
      attrs);
}

Operation WriteFile(ScopeRef scope, const Input& filename, const Input& contents) {
  return BuildOp(
      scope.scope(), "WriteFile", {filename, contents},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
