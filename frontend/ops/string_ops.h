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

// (input: string) -> (output: int64)
Output StringToHashBucketFast(ScopeRef scope, const Input& input, int64_t num_buckets);

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

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_STRING_OPS_H_
