// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_IO_OPS_H_
#define WARPBEAM_FRONTEND_OPS_IO_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class FixedLengthRecordReaderAttrs : public OpAttrs {
 public:
  FixedLengthRecordReaderAttrs& header_bytes(int64_t value) {
    Set("header_bytes", value);
    return *this;
  }
  FixedLengthRecordReaderAttrs& footer_bytes(int64_t value) {
    Set("footer_bytes", value);
    return *this;
  }
  FixedLengthRecordReaderAttrs& hop_bytes(int64_t value) {
    Set("hop_bytes", value);
    return *this;
  }
  FixedLengthRecordReaderAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  FixedLengthRecordReaderAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (reader_handle: Ref(string))
// Deprecated: Use tf.data: FixedLengthRecordDataset
Output FixedLengthRecordReader(ScopeRef scope, int64_t record_bytes,
    const FixedLengthRecordReaderAttrs& attrs = FixedLengthRecordReaderAttrs());

class FixedLengthRecordReaderV2Attrs : public OpAttrs {
 public:
  FixedLengthRecordReaderV2Attrs& header_bytes(int64_t value) {
    Set("header_bytes", value);
    return *this;
  }
  FixedLengthRecordReaderV2Attrs& footer_bytes(int64_t value) {
    Set("footer_bytes", value);
    return *this;
  }
  FixedLengthRecordReaderV2Attrs& hop_bytes(int64_t value) {
    Set("hop_bytes", value);
    return *this;
  }
  FixedLengthRecordReaderV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  FixedLengthRecordReaderV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  FixedLengthRecordReaderV2Attrs& encoding(const std::string& value) {
    Set("encoding", value);
    return *this;
  }
};
// () -> (reader_handle: resource)
Output FixedLengthRecordReaderV2(ScopeRef scope, int64_t record_bytes,
    const FixedLengthRecordReaderV2Attrs& attrs = FixedLengthRecordReaderV2Attrs());

class IdentityReaderAttrs : public OpAttrs {
 public:
  IdentityReaderAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  IdentityReaderAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (reader_handle: Ref(string))
// Deprecated: Use tf.data: TFRecordDataset, TextLineDataset
Output IdentityReader(ScopeRef scope, const IdentityReaderAttrs& attrs = IdentityReaderAttrs());

class IdentityReaderV2Attrs : public OpAttrs {
 public:
  IdentityReaderV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  IdentityReaderV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (reader_handle: resource)
Output IdentityReaderV2(ScopeRef scope, const IdentityReaderV2Attrs& attrs = IdentityReaderV2Attrs());

// (pattern: string) -> (filenames: string)
Output MatchingFiles(ScopeRef scope, const Input& pattern);

class MergeV2CheckpointsAttrs : public OpAttrs {
 public:
  MergeV2CheckpointsAttrs& delete_old_dirs(bool value) {
    Set("delete_old_dirs", value);
    return *this;
  }
  MergeV2CheckpointsAttrs& allow_missing_files(bool value) {
    Set("allow_missing_files", value);
    return *this;
  }
};
// (checkpoint_prefixes: string, destination_prefix: string) -> ()
Operation MergeV2Checkpoints(ScopeRef scope, const Input& checkpoint_prefixes,
    const Input& destination_prefix,
    const MergeV2CheckpointsAttrs& attrs = MergeV2CheckpointsAttrs());

// (filename: string) -> (contents: string)
Output ReadFile(ScopeRef scope, const Input& filename);

// (reader_handle: Ref(string)) -> (records_produced: int64)
Output ReaderNumRecordsProduced(ScopeRef scope, const Input& reader_handle);

// (reader_handle: resource) -> (records_produced: int64)
Output ReaderNumRecordsProducedV2(ScopeRef scope, const Input& reader_handle);

// (reader_handle: Ref(string)) -> (units_completed: int64)
Output ReaderNumWorkUnitsCompleted(ScopeRef scope, const Input& reader_handle);

// (reader_handle: resource) -> (units_completed: int64)
Output ReaderNumWorkUnitsCompletedV2(ScopeRef scope, const Input& reader_handle);

struct ReaderReadOutputs {
  Output key;
  Output value;
  Operation op;
};
// (reader_handle: Ref(string), queue_handle: Ref(string)) -> (key: string, value: string)
ReaderReadOutputs ReaderRead(ScopeRef scope, const Input& reader_handle, const Input& queue_handle);

struct ReaderReadUpToOutputs {
  Output keys;
  Output values;
  Operation op;
};
// (reader_handle: Ref(string), queue_handle: Ref(string), num_records: int64) -> (keys: string,
//     values: string)
ReaderReadUpToOutputs ReaderReadUpTo(ScopeRef scope, const Input& reader_handle,
    const Input& queue_handle, const Input& num_records);

struct ReaderReadUpToV2Outputs {
  Output keys;
  Output values;
  Operation op;
};
// (reader_handle: resource, queue_handle: resource, num_records: int64) -> (keys: string, values:
//     string)
ReaderReadUpToV2Outputs ReaderReadUpToV2(ScopeRef scope, const Input& reader_handle,
    const Input& queue_handle, const Input& num_records);

struct ReaderReadV2Outputs {
  Output key;
  Output value;
  Operation op;
};
// (reader_handle: resource, queue_handle: resource) -> (key: string, value: string)
ReaderReadV2Outputs ReaderReadV2(ScopeRef scope, const Input& reader_handle,
    const Input& queue_handle);

// (reader_handle: Ref(string)) -> ()
Operation ReaderReset(ScopeRef scope, const Input& reader_handle);

// (reader_handle: resource) -> ()
Operation ReaderResetV2(ScopeRef scope, const Input& reader_handle);

// (reader_handle: Ref(string), state: string) -> ()
Operation ReaderRestoreState(ScopeRef scope, const Input& reader_handle, const Input& state);

// (reader_handle: resource, state: string) -> ()
Operation ReaderRestoreStateV2(ScopeRef scope, const Input& reader_handle, const Input& state);

// (reader_handle: Ref(string)) -> (state: string)
Output ReaderSerializeState(ScopeRef scope, const Input& reader_handle);

// (reader_handle: resource) -> (state: string)
Output ReaderSerializeStateV2(ScopeRef scope, const Input& reader_handle);

class RestoreAttrs : public OpAttrs {
 public:
  RestoreAttrs& preferred_shard(int64_t value) {
    Set("preferred_shard", value);
    return *this;
  }
};
// (file_pattern: string, tensor_name: string) -> (tensor: dt)
Output Restore(ScopeRef scope, const Input& file_pattern, const Input& tensor_name, DType dt,
    const RestoreAttrs& attrs = RestoreAttrs());

class RestoreSliceAttrs : public OpAttrs {
 public:
  RestoreSliceAttrs& preferred_shard(int64_t value) {
    Set("preferred_shard", value);
    return *this;
  }
};
// (file_pattern: string, tensor_name: string, shape_and_slice: string) -> (tensor: dt)
Output RestoreSlice(ScopeRef scope, const Input& file_pattern, const Input& tensor_name,
    const Input& shape_and_slice, DType dt, const RestoreSliceAttrs& attrs = RestoreSliceAttrs());

// (prefix: string, tensor_names: string, shape_and_slices: string) -> (tensors: dtypes)
std::vector<Output> RestoreV2(ScopeRef scope, const Input& prefix, const Input& tensor_names,
    const Input& shape_and_slices, const std::vector<DType>& dtypes);

// (filename: string, tensor_names: string, data: T) -> ()
Operation Save(ScopeRef scope, const Input& filename, const Input& tensor_names,
    const InputList& data);

// (filename: string, tensor_names: string, shapes_and_slices: string, data: T) -> ()
Operation SaveSlices(ScopeRef scope, const Input& filename, const Input& tensor_names,
    const Input& shapes_and_slices, const InputList& data);

// (prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes) -> ()
Operation SaveV2(ScopeRef scope, const Input& prefix, const Input& tensor_names,
    const Input& shape_and_slices, const InputList& tensors);

// (basename: string, shard: int32, num_shards: int32) -> (filename: string)
Output ShardedFilename(ScopeRef scope, const Input& basename, const Input& shard,
    const Input& num_shards);

// (basename: string, num_shards: int32) -> (filename: string)
Output ShardedFilespec(ScopeRef scope, const Input& basename, const Input& num_shards);

class TFRecordReaderAttrs : public OpAttrs {
 public:
  TFRecordReaderAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  TFRecordReaderAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  TFRecordReaderAttrs& compression_type(const std::string& value) {
    Set("compression_type", value);
    return *this;
  }
};
// () -> (reader_handle: Ref(string))
// Deprecated: Use tf.data: TFRecordDataset, TextLineDataset
Output TFRecordReader(ScopeRef scope, const TFRecordReaderAttrs& attrs = TFRecordReaderAttrs());

class TFRecordReaderV2Attrs : public OpAttrs {
 public:
  TFRecordReaderV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  TFRecordReaderV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  TFRecordReaderV2Attrs& compression_type(const std::string& value) {
    Set("compression_type", value);
    return *this;
  }
};
// () -> (reader_handle: resource)
Output TFRecordReaderV2(ScopeRef scope, const TFRecordReaderV2Attrs& attrs = TFRecordReaderV2Attrs());

class TextLineReaderAttrs : public OpAttrs {
 public:
  TextLineReaderAttrs& skip_header_lines(int64_t value) {
    Set("skip_header_lines", value);
    return *this;
  }
  TextLineReaderAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  TextLineReaderAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (reader_handle: Ref(string))
// Deprecated: Use tf.data: TFRecordDataset, TextLineDataset
Output TextLineReader(ScopeRef scope, const TextLineReaderAttrs& attrs = TextLineReaderAttrs());

class TextLineReaderV2Attrs : public OpAttrs {
 public:
  TextLineReaderV2Attrs& skip_header_lines(int64_t value) {
    Set("skip_header_lines", value);
    return *this;
  }
  TextLineReaderV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  TextLineReaderV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (reader_handle: resource)
Output TextLineReaderV2(ScopeRef scope, const TextLineReaderV2Attrs& attrs = TextLineReaderV2Attrs());

class WholeFileReaderAttrs : public OpAttrs {
 public:
  WholeFileReaderAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  WholeFileReaderAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (reader_handle: Ref(string))
Output WholeFileReader(ScopeRef scope, const WholeFileReaderAttrs& attrs = WholeFileReaderAttrs());

class WholeFileReaderV2Attrs : public OpAttrs {
 public:
  WholeFileReaderV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  WholeFileReaderV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (reader_handle: resource)
Output WholeFileReaderV2(ScopeRef scope,
    const WholeFileReaderV2Attrs& attrs = WholeFileReaderV2Attrs());

// (filename: string, contents: string) -> ()
Operation WriteFile(ScopeRef scope, const Input& filename, const Input& contents);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_IO_OPS_H_
