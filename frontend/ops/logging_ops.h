// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_LOGGING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_LOGGING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class AssertAttrs : public OpAttrs {
 public:
  AssertAttrs& summarize(int64_t value) {
    Set("summarize", value);
    return *this;
  }
};
// (condition: bool, data: T) -> ()
Operation Assert(ScopeRef scope, const Input& condition, const InputList& data,
    const AssertAttrs& attrs = AssertAttrs());

class AudioSummaryAttrs : public OpAttrs {
 public:
  AudioSummaryAttrs& max_outputs(int64_t value) {
    Set("max_outputs", value);
    return *this;
  }
};
// (tag: string, tensor: float) -> (summary: string)
// Deprecated: Use AudioSummaryV2.
Output AudioSummary(ScopeRef scope, const Input& tag, const Input& tensor, float sample_rate,
    const AudioSummaryAttrs& attrs = AudioSummaryAttrs());

class AudioSummaryV2Attrs : public OpAttrs {
 public:
  AudioSummaryV2Attrs& max_outputs(int64_t value) {
    Set("max_outputs", value);
    return *this;
  }
};
// (tag: string, tensor: float, sample_rate: float) -> (summary: string)
Output AudioSummaryV2(ScopeRef scope, const Input& tag, const Input& tensor,
    const Input& sample_rate, const AudioSummaryV2Attrs& attrs = AudioSummaryV2Attrs());

// (tag: string, values: T) -> (summary: string)
Output HistogramSummary(ScopeRef scope, const Input& tag, const Input& values);

class ImageSummaryAttrs : public OpAttrs {
 public:
  ImageSummaryAttrs& max_images(int64_t value) {
    Set("max_images", value);
    return *this;
  }
  ImageSummaryAttrs& bad_color(const Tensor& value) {
    Set("bad_color", value);
    return *this;
  }
};
// (tag: string, tensor: T) -> (summary: string)
Output ImageSummary(ScopeRef scope, const Input& tag, const Input& tensor,
    const ImageSummaryAttrs& attrs = ImageSummaryAttrs());

// (inputs: N * string) -> (summary: string)
Output MergeSummary(ScopeRef scope, const InputList& inputs);

class PrintAttrs : public OpAttrs {
 public:
  PrintAttrs& message(const std::string& value) {
    Set("message", value);
    return *this;
  }
  PrintAttrs& first_n(int64_t value) {
    Set("first_n", value);
    return *this;
  }
  PrintAttrs& summarize(int64_t value) {
    Set("summarize", value);
    return *this;
  }
};
// (input: T, data: U) -> (output: T)
Output Print(ScopeRef scope, const Input& input, const InputList& data,
    const PrintAttrs& attrs = PrintAttrs());

class PrintV2Attrs : public OpAttrs {
 public:
  PrintV2Attrs& output_stream(const std::string& value) {
    Set("output_stream", value);
    return *this;
  }
  PrintV2Attrs& end(const std::string& value) {
    Set("end", value);
    return *this;
  }
};
// (input: string) -> ()
Operation PrintV2(ScopeRef scope, const Input& input, const PrintV2Attrs& attrs = PrintV2Attrs());

// (tags: string, values: T) -> (summary: string)
Output ScalarSummary(ScopeRef scope, const Input& tags, const Input& values);

class TensorSummaryAttrs : public OpAttrs {
 public:
  TensorSummaryAttrs& description(const std::string& value) {
    Set("description", value);
    return *this;
  }
  TensorSummaryAttrs& labels(const std::vector<std::string>& value) {
    Set("labels", value);
    return *this;
  }
  TensorSummaryAttrs& display_name(const std::string& value) {
    Set("display_name", value);
    return *this;
  }
};
// (tensor: T) -> (summary: string)
Output TensorSummary(ScopeRef scope, const Input& tensor,
    const TensorSummaryAttrs& attrs = TensorSummaryAttrs());

// (tag: string, tensor: T, serialized_summary_metadata: string) -> (summary: string)
Output TensorSummaryV2(ScopeRef scope, const Input& tag, const Input& tensor,
    const Input& serialized_summary_metadata);

// () -> (ts: double)
Output Timestamp(ScopeRef scope);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_LOGGING_OPS_H_
