#include "frontend/summary/summary.h"

#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "frontend/build.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace summary {
namespace {

// SummaryMetadata that names the plugin "text".
constexpr char kTextMetadata[] = "\n\x06\n\x04text";

std::string CleanTag(const std::string& name) {
  std::string clean = name;
  for (char& c : clean) {
    if (!absl::ascii_isalnum(c) && c != '-' && c != '/' && c != '_' && c != '.') c = '_';
  }
  while (!clean.empty() && clean[0] == '/') clean.erase(0, 1);
  return clean;
}

// Builds a summary in the name scope of its own; `build` gets it named as the summary, and the tag.
Output Build(ScopeRef scope_ref, const std::string& name, const SummaryOptions& options,
             const std::function<Output(const Scope& scope, const std::string& tag)>& build) {
  const Scope scope = scope_ref.scope();
  const std::string clean = CleanTag(name);
  if (clean.empty()) {
    scope.Fail(InvalidArgument("a summary needs a name, '", name, "' is none"));
    return Output();
  }
  const std::string family = CleanTag(options.family_name);
  const Scope inside = scope.NameScope(family.empty() ? clean : absl::StrCat(family, "/", clean));
  std::string tag(absl::StripSuffix(inside.name_scope(), "/"));
  if (!family.empty()) tag = absl::StrCat(family, "/", tag);
  const Output made = build(inside.Named(inside.name_scope()), tag);
  for (const std::string& key : options.keys) AddToCollection(scope, key, made);
  return scope(made);
}

}  // namespace

Output Scalar(ScopeRef scope, const std::string& name, const Input& value,
              const SummaryOptions& options) {
  return Build(scope, name, options, [&](const Scope& s, const std::string& tag) {
    return BuildOutput(s, "ScalarSummary", {tag, value});
  });
}

Output Histogram(ScopeRef scope, const std::string& name, const Input& values,
                 const SummaryOptions& options) {
  return Build(scope, name, options, [&](const Scope& s, const std::string& tag) {
    return BuildOutput(s, "HistogramSummary", {tag, values});
  });
}

Output Image(ScopeRef scope, const std::string& name, const Input& images,
             const SummaryOptions& options) {
  return Build(scope, name, options, [&](const Scope& s, const std::string& tag) {
    return BuildOutput(s, "ImageSummary", {tag, images},
                       OpAttrs().Set("max_images", options.outputs));
  });
}

Output Audio(ScopeRef scope, const std::string& name, const Input& sounds, const Input& sample_rate,
             const SummaryOptions& options) {
  return Build(scope, name, options, [&](const Scope& s, const std::string& tag) {
    return BuildOutput(s, "AudioSummaryV2", {tag, sounds, sample_rate},
                       OpAttrs().Set("max_outputs", options.outputs));
  });
}

Output Text(ScopeRef scope, const std::string& name, const Input& text,
            const SummaryOptions& options) {
  return TensorSummary(scope, name, text, options,
                       std::string(kTextMetadata, sizeof(kTextMetadata) - 1));
}

Output TensorSummary(ScopeRef scope, const std::string& name, const Input& tensor,
                     const SummaryOptions& options, const std::string& metadata) {
  return Build(scope, name, options, [&](const Scope& s, const std::string& tag) {
    return BuildOutput(s, "TensorSummaryV2", {tag, tensor, metadata});
  });
}

Output Merge(ScopeRef scope_ref, const std::vector<Output>& summaries) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("Merge");
  return scope(BuildOutput(inside, "MergeSummary", {InputList(summaries)}));
}

Output MergeAll(ScopeRef scope, const std::string& key, const std::string& filter) {
  const Scope here = scope.scope();
  const std::vector<Output> summaries = GetCollection(here, key, filter);
  return summaries.empty() ? Output() : Merge(here, summaries);
}

}  // namespace summary
}  // namespace frontend
}  // namespace warpbeam
