// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/string_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output AsString(ScopeRef scope, const Input& input, const AsStringAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "AsString", {input},
      attrs);
}

Output DecodeBase64(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "DecodeBase64", {input},
      OpAttrs());
}

Output EncodeBase64(ScopeRef scope, const Input& input, const EncodeBase64Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "EncodeBase64", {input},
      attrs);
}

Output ReduceJoin(ScopeRef scope, const Input& inputs, const Input& reduction_indices,
    const ReduceJoinAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ReduceJoin", {inputs, reduction_indices},
      attrs);
}

Output RegexFullMatch(ScopeRef scope, const Input& input, const Input& pattern) {
  return BuildOutput(
      scope.scope(), "RegexFullMatch", {input, pattern},
      OpAttrs());
}

Output RegexReplace(ScopeRef scope, const Input& input, const Input& pattern, const Input& rewrite,
    const RegexReplaceAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RegexReplace", {input, pattern, rewrite},
      attrs);
}

Output StaticRegexFullMatch(ScopeRef scope, const Input& input, const std::string& pattern) {
  return BuildOutput(
      scope.scope(), "StaticRegexFullMatch", {input},
      OpAttrs()
          .Set("pattern", pattern));
}

Output StaticRegexReplace(ScopeRef scope, const Input& input, const std::string& pattern,
    const std::string& rewrite, const StaticRegexReplaceAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StaticRegexReplace", {input},
      OpAttrs(attrs)
          .Set("pattern", pattern)
          .Set("rewrite", rewrite));
}

Output StringFormat(ScopeRef scope, const InputList& inputs, const StringFormatAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StringFormat", {inputs},
      attrs);
}

Output StringJoin(ScopeRef scope, const InputList& inputs, const StringJoinAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StringJoin", {inputs},
      attrs);
}

Output StringLength(ScopeRef scope, const Input& input, const StringLengthAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StringLength", {input},
      attrs);
}

Output StringLower(ScopeRef scope, const Input& input, const StringLowerAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StringLower", {input},
      attrs);
}

StringNGramsOutputs StringNGrams(ScopeRef scope, const Input& data, const Input& data_splits,
    const std::string& separator, const std::vector<int64_t>& ngram_widths,
    const std::string& left_pad, const std::string& right_pad, int64_t pad_width,
    bool preserve_short_sequences) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "StringNGrams", {data, data_splits},
      OpAttrs()
          .Set("separator", separator)
          .Set("ngram_widths", ngram_widths)
          .Set("left_pad", left_pad)
          .Set("right_pad", right_pad)
          .Set("pad_width", pad_width)
          .Set("preserve_short_sequences", preserve_short_sequences));
  StringNGramsOutputs outputs;
  outputs.ngrams = OutputOf(here, built, "ngrams");
  outputs.ngrams_splits = OutputOf(here, built, "ngrams_splits");
  outputs.op = built;
  return outputs;
}

StringSplitOutputs StringSplit(ScopeRef scope, const Input& input, const Input& delimiter,
    const StringSplitAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "StringSplit", {input, delimiter},
      attrs);
  StringSplitOutputs outputs;
  outputs.indices = OutputOf(here, built, "indices");
  outputs.values = OutputOf(here, built, "values");
  outputs.shape = OutputOf(here, built, "shape");
  outputs.op = built;
  return outputs;
}

StringSplitV2Outputs StringSplitV2(ScopeRef scope, const Input& input, const Input& sep,
    const StringSplitV2Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "StringSplitV2", {input, sep},
      attrs);
  StringSplitV2Outputs outputs;
  outputs.indices = OutputOf(here, built, "indices");
  outputs.values = OutputOf(here, built, "values");
  outputs.shape = OutputOf(here, built, "shape");
  outputs.op = built;
  return outputs;
}

Output StringStrip(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "StringStrip", {input},
      OpAttrs());
}

Output StringToHashBucket(ScopeRef scope, const Input& string_tensor, int64_t num_buckets) {
  return BuildOutput(
      scope.scope(), "StringToHashBucket", {string_tensor},
      OpAttrs()
          .Set("num_buckets", num_buckets));
}

Output StringToHashBucketFast(ScopeRef scope, const Input& input, int64_t num_buckets) {
  return BuildOutput(
      scope.scope(), "StringToHashBucketFast", {input},
      OpAttrs()
          .Set("num_buckets", num_buckets));
}

Output StringToHashBucketStrong(ScopeRef scope, const Input& input, int64_t num_buckets,
    const std::vector<int64_t>& key) {
  return BuildOutput(
      scope.scope(), "StringToHashBucketStrong", {input},
      OpAttrs()
          .Set("num_buckets", num_buckets)
          .Set("key", key));
}

Output StringUpper(ScopeRef scope, const Input& input, const StringUpperAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StringUpper", {input},
      attrs);
}

Output Substr(ScopeRef scope, const Input& input, const Input& pos, const Input& len,
    const SubstrAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Substr", {input, pos, len},
      attrs);
}

UnicodeDecodeOutputs UnicodeDecode(ScopeRef scope, const Input& input,
    const std::string& input_encoding, const UnicodeDecodeAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "UnicodeDecode", {input},
      OpAttrs(attrs)
          .Set("input_encoding", input_encoding));
  UnicodeDecodeOutputs outputs;
  outputs.row_splits = OutputOf(here, built, "row_splits");
  outputs.char_values = OutputOf(here, built, "char_values");
  outputs.op = built;
  return outputs;
}

UnicodeDecodeWithOffsetsOutputs UnicodeDecodeWithOffsets(ScopeRef scope, const Input& input,
    const std::string& input_encoding, const UnicodeDecodeWithOffsetsAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "UnicodeDecodeWithOffsets", {input},
      OpAttrs(attrs)
          .Set("input_encoding", input_encoding));
  UnicodeDecodeWithOffsetsOutputs outputs;
  outputs.row_splits = OutputOf(here, built, "row_splits");
  outputs.char_values = OutputOf(here, built, "char_values");
  outputs.char_to_byte_starts = OutputOf(here, built, "char_to_byte_starts");
  outputs.op = built;
  return outputs;
}

Output UnicodeEncode(ScopeRef scope, const Input& input_values, const Input& input_splits,
    const std::string& output_encoding, const UnicodeEncodeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "UnicodeEncode", {input_values, input_splits},
      OpAttrs(attrs)
          .Set("output_encoding", output_encoding));
}

Output UnicodeScript(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "UnicodeScript", {input},
      OpAttrs());
}

Output UnicodeTranscode(ScopeRef scope, const Input& input, const std::string& input_encoding,
    const std::string& output_encoding, const UnicodeTranscodeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "UnicodeTranscode", {input},
      OpAttrs(attrs)
          .Set("input_encoding", input_encoding)
          .Set("output_encoding", output_encoding));
}

Output UnsortedSegmentJoin(ScopeRef scope, const Input& inputs, const Input& segment_ids,
    const Input& num_segments, const UnsortedSegmentJoinAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "UnsortedSegmentJoin", {inputs, segment_ids, num_segments},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
