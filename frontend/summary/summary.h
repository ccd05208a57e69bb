// Summaries: values of a step for TensorBoard (tf.summary). Each operation makes a serialized
// Summary; FileWriter (file_writer.h) writes what a step fetched.
//
//   summary::Scalar(scope, "loss", loss);
//   summary::Histogram(scope, "layer1/weights", w);
//   Output all = summary::MergeAll(scope);
//   …
//   StatusOr<std::vector<Tensor>> out = session.Run({train, all});
//   Status s = writer->AddSummary((*out)[1], step);
//
// Tags, names and nodes are those of TensorFlow's functions: the tag is the name with its scopes,
// made unique; characters that no name may have become '_'.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_SUMMARY_SUMMARY_H_
#define WARPBEAM_FRONTEND_SUMMARY_SUMMARY_H_

#include <string>
#include <utility>
#include <vector>

#include "frontend/collections.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace summary {

struct SummaryOptions {
  SummaryOptions& collections(std::vector<std::string> value) {
    keys = std::move(value);
    return *this;
  }
  // The first part of the tag, by which TensorBoard groups.
  SummaryOptions& family(std::string value) {
    family_name = std::move(value);
    return *this;
  }
  // How many images or sounds of the batch at most.
  SummaryOptions& max_outputs(int value) {
    outputs = value;
    return *this;
  }

  std::vector<std::string> keys = {GraphKeys::kSummaries};
  std::string family_name;
  int outputs = 3;
};

// A number: a scalar of any real type.
Output Scalar(ScopeRef scope, const std::string& name, const Input& value,
              const SummaryOptions& options = SummaryOptions());
// How the values of a tensor are distributed; a value that is not finite is an error of the step.
Output Histogram(ScopeRef scope, const std::string& name, const Input& values,
                 const SummaryOptions& options = SummaryOptions());
// [batch, height, width, channels] with 1, 3 or 4 channels; uint8, or float scaled to fit.
Output Image(ScopeRef scope, const std::string& name, const Input& images,
             const SummaryOptions& options = SummaryOptions());
// [batch, frames] or [batch, frames, channels] in -1 to 1; `sample_rate` in hertz.
Output Audio(ScopeRef scope, const std::string& name, const Input& sounds, const Input& sample_rate,
             const SummaryOptions& options = SummaryOptions());
// Strings of any shape; TensorBoard reads them as Markdown.
Output Text(ScopeRef scope, const std::string& name, const Input& text,
            const SummaryOptions& options = SummaryOptions());

// A tensor of any type and shape, as it is. `metadata` is a serialized SummaryMetadata; "": none.
Output TensorSummary(ScopeRef scope, const std::string& name, const Input& tensor,
                     const SummaryOptions& options = SummaryOptions(),
                     const std::string& metadata = "");

// One summary of several. Its step fails where a tag occurs twice.
Output Merge(ScopeRef scope, const std::vector<Output>& summaries);
// Of all in the collection whose names begin with `filter`; not valid when there are none, as None
// in Python.
Output MergeAll(ScopeRef scope, const std::string& key = GraphKeys::kSummaries,
                const std::string& filter = "");

}  // namespace summary
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SUMMARY_SUMMARY_H_
