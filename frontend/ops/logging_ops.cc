// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/logging_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Operation Assert(ScopeRef scope, const Input& condition, const InputList& data,
    const AssertAttrs& attrs) {
  return BuildOp(
      scope.scope(), "Assert", {condition, data},
      attrs);
}

Output AudioSummary(ScopeRef scope, const Input& tag, const Input& tensor, float sample_rate,
    const AudioSummaryAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "AudioSummary", {tag, tensor},
      OpAttrs(attrs)
          .Set("sample_rate", sample_rate));
}

Output AudioSummaryV2(ScopeRef scope, const Input& tag, const Input& tensor,
    const Input& sample_rate, const AudioSummaryV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "AudioSummaryV2", {tag, tensor, sample_rate},
      attrs);
}

Output HistogramSummary(ScopeRef scope, const Input& tag, const Input& values) {
  return BuildOutput(
      scope.scope(), "HistogramSummary", {tag, values},
      OpAttrs());
}

Output ImageSummary(ScopeRef scope, const Input& tag, const Input& tensor,
    const ImageSummaryAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ImageSummary", {tag, tensor},
      attrs);
}

Output MergeSummary(ScopeRef scope, const InputList& inputs) {
  return BuildOutput(
      scope.scope(), "MergeSummary", {inputs},
      OpAttrs());
}

Output Print(ScopeRef scope, const Input& input, const InputList& data, const PrintAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Print", {input, data},
      attrs);
}

Operation PrintV2(ScopeRef scope, const Input& input, const PrintV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "PrintV2", {input},
      attrs);
}

Output ScalarSummary(ScopeRef scope, const Input& tags, const Input& values) {
  return BuildOutput(
      scope.scope(), "ScalarSummary", {tags, values},
      OpAttrs());
}

Output TensorSummary(ScopeRef scope, const Input& tensor, const TensorSummaryAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorSummary", {tensor},
      attrs);
}

Output TensorSummaryV2(ScopeRef scope, const Input& tag, const Input& tensor,
    const Input& serialized_summary_metadata) {
  return BuildOutput(
      scope.scope(), "TensorSummaryV2", {tag, tensor, serialized_summary_metadata},
      OpAttrs());
}

Output Timestamp(ScopeRef scope) {
  return BuildOutput(
      scope.scope(), "Timestamp", {},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
