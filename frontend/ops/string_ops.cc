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

Output StringToHashBucketFast(ScopeRef scope, const Input& input, int64_t num_buckets) {
  return BuildOutput(
      scope.scope(), "StringToHashBucketFast", {input},
      OpAttrs()
          .Set("num_buckets", num_buckets));
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

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
