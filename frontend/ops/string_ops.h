// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_STRING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_STRING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class AsStringAttrs : public OpAttrs {
 public:
  AsStringAttrs& precision(int64_t value) {
    Set("precision", value);
    return *this;
  }
  AsStringAttrs& scientific(bool value) {
    Set("scientific", value);
    return *this;
  }
  AsStringAttrs& shortest(bool value) {
    Set("shortest", value);
    return *this;
  }
  AsStringAttrs& width(int64_t value) {
    Set("width", value);
    return *this;
  }
  AsStringAttrs& fill(const std::string& value) {
    Set("fill", value);
    return *this;
  }
};
// (input: T) -> (output: string)
Output AsString(ScopeRef scope, const Input& input, const AsStringAttrs& attrs = AsStringAttrs());

// (input: string) -> (output: string)
Output DecodeBase64(ScopeRef scope, const Input& input);

class EncodeBase64Attrs : public OpAttrs {
 public:
  EncodeBase64Attrs& pad(bool value) {
    Set("pad", value);
    return *this;
  }
};
// (input: string) -> (output: string)
Output EncodeBase64(ScopeRef scope, const Input& input,
    const EncodeBase64Attrs& attrs = EncodeBase64Attrs());

class ReduceJoinAttrs : public OpAttrs {
 public:
  ReduceJoinAttrs& keep_dims(bool value) {
    Set("keep_dims", value);
    return *this;
  }
  ReduceJoinAttrs& separator(const std::string& value) {
    Set("separator", value);
    return *this;
  }
};
// (inputs: string, reduction_indices: int32) -> (output: string)
Output ReduceJoin(ScopeRef scope, const Input& inputs, const Input& reduction_indices,
    const ReduceJoinAttrs& attrs = ReduceJoinAttrs());

// (input: string, pattern: string) -> (output: bool)
Output RegexFullMatch(ScopeRef scope, const Input& input, const Input& pattern);

class RegexReplaceAttrs : public OpAttrs {
 public:
  RegexReplaceAttrs& replace_global(bool value) {
    Set("replace_global", value);
    return *this;
  }
};
// (input: string, pattern: string, rewrite: string) -> (output: string)
Output RegexReplace(ScopeRef scope, const Input& input, const Input& pattern, const Input& rewrite,
    const RegexReplaceAttrs& attrs = RegexReplaceAttrs());

// (input: string) -> (output: bool)
Output StaticRegexFullMatch(ScopeRef scope, const Input& input, const std::string& pattern);

class StaticRegexReplaceAttrs : public OpAttrs {
 public:
  StaticRegexReplaceAttrs& replace_global(bool value) {
    Set("replace_global", value);
    return *this;
  }
};
// (input: string) -> (output: string)
Output StaticRegexReplace(ScopeRef scope, const Input& input, const std::string& pattern,
    const std::string& rewrite, const StaticRegexReplaceAttrs& attrs = StaticRegexReplaceAttrs());

class StringFormatAttrs : public OpAttrs {
 public:
  StringFormatAttrs& template_(const std::string& value) {
    Set("template", value);
    return *this;
  }
  StringFormatAttrs& placeholder(const std::string& value) {
    Set("placeholder", value);
    return *this;
  }
  StringFormatAttrs& summarize(int64_t value) {
    Set("summarize", value);
    return *this;
  }
};
// (inputs: T) -> (output: string)
Output StringFormat(ScopeRef scope, const InputList& inputs,
    const StringFormatAttrs& attrs = StringFormatAttrs());

class StringJoinAttrs : public OpAttrs {
 public:
  StringJoinAttrs& separator(const std::string& value) {
    Set("separator", value);
    return *this;
  }
};
// (inputs: N * string) -> (output: string)
Output StringJoin(ScopeRef scope, const InputList& inputs,
    const StringJoinAttrs& attrs = StringJoinAttrs());

class StringLengthAttrs : public OpAttrs {
 public:
  StringLengthAttrs& unit(const std::string& value) {
    Set("unit", value);
    return *this;
  }
};
// (input: string) -> (output: int32)
Output StringLength(ScopeRef scope, const Input& input,
    const StringLengthAttrs& attrs = StringLengthAttrs());

class StringLowerAttrs : public OpAttrs {
 public:
  StringLowerAttrs& encoding(const std::string& value) {
    Set("encoding", value);
    return *this;
  }
};
// (input: string) -> (output: string)
Output StringLower(ScopeRef scope, const Input& input,
    const StringLowerAttrs& attrs = StringLowerAttrs());

struct StringNGramsOutputs {
  Output ngrams;
  Output ngrams_splits;
  Operation op;
};
// (data: string, data_splits: Tsplits) -> (ngrams: string, ngrams_splits: Tsplits)
StringNGramsOutputs StringNGrams(ScopeRef scope, const Input& data, const Input& data_splits,
    const std::string& separator, const std::vector<int64_t>& ngram_widths,
    const std::string& left_pad, const std::string& right_pad, int64_t pad_width,
    bool preserve_short_sequences);

class StringSplitAttrs : public OpAttrs {
 public:
  StringSplitAttrs& skip_empty(bool value) {
    Set("skip_empty", value);
    return *this;
  }
};
struct StringSplitOutputs {
  Output indices;
  Output values;
  Output shape;
  Operation op;
};
// (input: string, delimiter: string) -> (indices: int64, values: string, shape: int64)
StringSplitOutputs StringSplit(ScopeRef scope, const Input& input, const Input& delimiter,
    const StringSplitAttrs& attrs = StringSplitAttrs());

class StringSplitV2Attrs : public OpAttrs {
 public:
  StringSplitV2Attrs& maxsplit(int64_t value) {
    Set("maxsplit", value);
    return *this;
  }
};
struct StringSplitV2Outputs {
  Output indices;
  Output values;
  Output shape;
  Operation op;
};
// (input: string, sep: string) -> (indices: int64, values: string, shape: int64)
StringSplitV2Outputs StringSplitV2(ScopeRef scope, const Input& input, const Input& sep,
    const StringSplitV2Attrs& attrs = StringSplitV2Attrs());

// (input: string) -> (output: string)
Output StringStrip(ScopeRef scope, const Input& input);

// (string_tensor: string) -> (output: int64)
Output StringToHashBucket(ScopeRef scope, const Input& string_tensor, int64_t num_buckets);

// (input: string) -> (output: int64)
Output StringToHashBucketFast(ScopeRef scope, const Input& input, int64_t num_buckets);

// (input: string) -> (output: int64)
Output StringToHashBucketStrong(ScopeRef scope, const Input& input, int64_t num_buckets,
    const std::vector<int64_t>& key);

class StringUpperAttrs : public OpAttrs {
 public:
  StringUpperAttrs& encoding(const std::string& value) {
    Set("encoding", value);
    return *this;
  }
};
// (input: string) -> (output: string)
Output StringUpper(ScopeRef scope, const Input& input,
    const StringUpperAttrs& attrs = StringUpperAttrs());

class SubstrAttrs : public OpAttrs {
 public:
  SubstrAttrs& unit(const std::string& value) {
    Set("unit", value);
    return *this;
  }
};
// (input: string, pos: T, len: T) -> (output: string)
Output Substr(ScopeRef scope, const Input& input, const Input& pos, const Input& len,
    const SubstrAttrs& attrs = SubstrAttrs());

class UnicodeDecodeAttrs : public OpAttrs {
 public:
  UnicodeDecodeAttrs& errors(const std::string& value) {
    Set("errors", value);
    return *this;
  }
  UnicodeDecodeAttrs& replacement_char(int64_t value) {
    Set("replacement_char", value);
    return *this;
  }
  UnicodeDecodeAttrs& replace_control_characters(bool value) {
    Set("replace_control_characters", value);
    return *this;
  }
  UnicodeDecodeAttrs& Tsplits(DType value) {
    Set("Tsplits", value);
    return *this;
  }
};
struct UnicodeDecodeOutputs {
  Output row_splits;
  Output char_values;
  Operation op;
};
// (input: string) -> (row_splits: Tsplits, char_values: int32)
UnicodeDecodeOutputs UnicodeDecode(ScopeRef scope, const Input& input,
    const std::string& input_encoding, const UnicodeDecodeAttrs& attrs = UnicodeDecodeAttrs());

class UnicodeDecodeWithOffsetsAttrs : public OpAttrs {
 public:
  UnicodeDecodeWithOffsetsAttrs& errors(const std::string& value) {
    Set("errors", value);
    return *this;
  }
  UnicodeDecodeWithOffsetsAttrs& replacement_char(int64_t value) {
    Set("replacement_char", value);
    return *this;
  }
  UnicodeDecodeWithOffsetsAttrs& replace_control_characters(bool value) {
    Set("replace_control_characters", value);
    return *this;
  }
  UnicodeDecodeWithOffsetsAttrs& Tsplits(DType value) {
    Set("Tsplits", value);
    return *this;
  }
};
struct UnicodeDecodeWithOffsetsOutputs {
  Output row_splits;
  Output char_values;
  Output char_to_byte_starts;
  Operation op;
};
// (input: string) -> (row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64)
UnicodeDecodeWithOffsetsOutputs UnicodeDecodeWithOffsets(ScopeRef scope, const Input& input,
    const std::string& input_encoding,
    const UnicodeDecodeWithOffsetsAttrs& attrs = UnicodeDecodeWithOffsetsAttrs());

class UnicodeEncodeAttrs : public OpAttrs {
 public:
  UnicodeEncodeAttrs& errors(const std::string& value) {
    Set("errors", value);
    return *this;
  }
  UnicodeEncodeAttrs& replacement_char(int64_t value) {
    Set("replacement_char", value);
    return *this;
  }
};
// (input_values: int32, input_splits: Tsplits) -> (output: string)
Output UnicodeEncode(ScopeRef scope, const Input& input_values, const Input& input_splits,
    const std::string& output_encoding, const UnicodeEncodeAttrs& attrs = UnicodeEncodeAttrs());

// (input: int32) -> (output: int32)
Output UnicodeScript(ScopeRef scope, const Input& input);

class UnicodeTranscodeAttrs : public OpAttrs {
 public:
  UnicodeTranscodeAttrs& errors(const std::string& value) {
    Set("errors", value);
    return *this;
  }
  UnicodeTranscodeAttrs& replacement_char(int64_t value) {
    Set("replacement_char", value);
    return *this;
  }
  UnicodeTranscodeAttrs& replace_control_characters(bool value) {
    Set("replace_control_characters", value);
    return *this;
  }
};
// (input: string) -> (output: string)
Output UnicodeTranscode(ScopeRef scope, const Input& input, const std::string& input_encoding,
    const std::string& output_encoding, const UnicodeTranscodeAttrs& attrs = UnicodeTranscodeAttrs());

class UnsortedSegmentJoinAttrs : public OpAttrs {
 public:
  UnsortedSegmentJoinAttrs& separator(const std::string& value) {
    Set("separator", value);
    return *this;
  }
};
// (inputs: string, segment_ids: Tindices, num_segments: Tnumsegments) -> (output: string)
Output UnsortedSegmentJoin(ScopeRef scope, const Input& inputs, const Input& segment_ids,
    const Input& num_segments, const UnsortedSegmentJoinAttrs& attrs = UnsortedSegmentJoinAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_STRING_OPS_H_
