// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_SUMMARY_OPS_H_
#define WARPBEAM_FRONTEND_OPS_SUMMARY_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (writer: resource) -> ()
Operation CloseSummaryWriter(ScopeRef scope, const Input& writer);

// (writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix:
//     string) -> ()
Operation CreateSummaryFileWriter(ScopeRef scope, const Input& writer, const Input& logdir,
    const Input& max_queue, const Input& flush_millis, const Input& filename_suffix);

// (writer: resource) -> ()
Operation FlushSummaryWriter(ScopeRef scope, const Input& writer);

// (writer: resource, event: string) -> ()
Operation ImportEvent(ScopeRef scope, const Input& writer, const Input& event);

class SummaryWriterAttrs : public OpAttrs {
 public:
  SummaryWriterAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  SummaryWriterAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
};
// () -> (writer: resource)
Output SummaryWriter(ScopeRef scope, const SummaryWriterAttrs& attrs = SummaryWriterAttrs());

class WriteAudioSummaryAttrs : public OpAttrs {
 public:
  WriteAudioSummaryAttrs& max_outputs(int64_t value) {
    Set("max_outputs", value);
    return *this;
  }
};
// (writer: resource, step: int64, tag: string, tensor: float, sample_rate: float) -> ()
Operation WriteAudioSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tag, const Input& tensor, const Input& sample_rate,
    const WriteAudioSummaryAttrs& attrs = WriteAudioSummaryAttrs());

// (writer: resource, step: int64, tensor: string) -> ()
Operation WriteGraphSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tensor);

// (writer: resource, step: int64, tag: string, values: T) -> ()
Operation WriteHistogramSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tag, const Input& values);

class WriteImageSummaryAttrs : public OpAttrs {
 public:
  WriteImageSummaryAttrs& max_images(int64_t value) {
    Set("max_images", value);
    return *this;
  }
};
// (writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8) -> ()
Operation WriteImageSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tag, const Input& tensor, const Input& bad_color,
    const WriteImageSummaryAttrs& attrs = WriteImageSummaryAttrs());

// (writer: resource, step: int64, tensor: string) -> ()
Operation WriteRawProtoSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tensor);

// (writer: resource, step: int64, tag: string, value: T) -> ()
Operation WriteScalarSummary(ScopeRef scope, const Input& writer, const Input& step,
    const Input& tag, const Input& value);

// (writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string) -> ()
Operation WriteSummary(ScopeRef scope, const Input& writer, const Input& step, const Input& tensor,
    const Input& tag, const Input& summary_metadata);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_SUMMARY_OPS_H_
