// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/summary_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Operation CloseSummaryWriter(ScopeRef scope, const Input& writer) {
  return BuildOp(
      scope.scope(), "CloseSummaryWriter", {writer},
      OpAttrs());
}

Operation CreateSummaryFileWriter(ScopeRef scope, const Input& writer, const Input& logdir,
    const Input& max_queue, const Input& flush_millis, const Input& filename_suffix) {
  return BuildOp(
      scope.scope(), "CreateSummaryFileWriter", {writer, logdir, max_queue, flush_millis,
          filename_suffix},
      OpAttrs());
}

Operation FlushSummaryWriter(ScopeRef scope, const Input& writer) {
  return BuildOp(
      scope.scope(), "FlushSummaryWriter", {writer},
      OpAttrs());
}

Operation ImportEvent(ScopeRef scope, const Input& writer, const Input& event) {
  return BuildOp(
      scope.scope(), "ImportEvent", {writer, event},
      OpAttrs());
}

Output SummaryWriter(ScopeRef scope, const SummaryWriterAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SummaryWriter", {},
      attrs);
}

Operation WriteAudioSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tag, const Input& tensor, const Input& sample_rate,
    const WriteAudioSummaryAttrs& attrs) {
  return BuildOp(
      scope.scope(), "WriteAudioSummary", {writer, step, tag, tensor, sample_rate},
      attrs);
}

Operation WriteGraphSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tensor) {
  return BuildOp(
      scope.scope(), "WriteGraphSummary", {writer, step, tensor},
      OpAttrs());
}

Operation WriteHistogramSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tag, const Input& values) {
  return BuildOp(
      scope.scope(), "WriteHistogramSummary", {writer, step, tag, values},
      OpAttrs());
}

Operation WriteImageSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tag, const Input& tensor, const Input& bad_color,
    const WriteImageSummaryAttrs& attrs) {
  return BuildOp(
      scope.scope(), "WriteImageSummary", {writer, step, tag, tensor, bad_color},
      attrs);
}

Operation WriteRawProtoSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tensor) {
  return BuildOp(
      scope.scope(), "WriteRawProtoSummary", {writer, step, tensor},
      OpAttrs());
}

Operation WriteScalarSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tag, const Input& value) {
  return BuildOp(
      scope.scope(), "WriteScalarSummary", {writer, step, tag, value},
      OpAttrs());
}

Operation WriteSummary(ScopeRef scope, const Input& writer, const Input& step, const Input& tensor,
    const Input& tag, const Input& summary_metadata) {
  return BuildOp(
      scope.scope(), "WriteSummary", {writer, step, tensor, tag, summary_metadata},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
