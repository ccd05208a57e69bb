#include "ops/math/einsum/einsum_equation.h"

#include <algorithm>

#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

StatusOr<EinsumEquation::Term> ParseTerm(const std::string& text) {
  EinsumEquation::Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "...") == 0) {
      if (term.ellipsis >= 0) return InvalidArgument("'", text, "' has two ellipses");
      term.ellipsis = static_cast<int>(term.letters.size());
      i += 2;
    } else if ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')) {
      term.letters += text[i];
    } else {
      return InvalidArgument("'", text, "' has something else than letters and an ellipsis");
    }
  }
  return term;
}

LabelList LabelsOf(const EinsumEquation::Term& term, int ellipsis_rank) {
  LabelList labels;
  for (int i = 0; i <= static_cast<int>(term.letters.size()); ++i) {
    if (i == term.ellipsis) {
      for (int d = ellipsis_rank; d > 0; --d) labels.push_back(-d);
    }
    if (i < static_cast<int>(term.letters.size())) labels.push_back(term.letters[i]);
  }
  return labels;
}

}  // namespace

std::string EinsumEquation::Term::ToString() const {
  std::string text = letters;
  if (ellipsis >= 0) text.insert(ellipsis, "...");
  return text;
}

StatusOr<EinsumEquation> EinsumEquation::Parse(const std::string& equation, int num_inputs) {
  const std::vector<std::string> sides = absl::StrSplit(equation, "->");
  if (sides.size() != 2) {
    return InvalidArgument("the equation '", equation, "' must have exactly one '->'");
  }
  const std::vector<std::string> terms = absl::StrSplit(sides[0], ',');
  if (static_cast<int>(terms.size()) != num_inputs) {
    return InvalidArgument("the equation '", equation, "' is about ", terms.size(),
                           " operands, but there are ", num_inputs);
  }
  EinsumEquation parsed;
  for (const std::string& term : terms) {
    WB_ASSIGN_OR_RETURN(Term t, ParseTerm(term));
    parsed.inputs.push_back(std::move(t));
  }
  WB_ASSIGN_OR_RETURN(parsed.output, ParseTerm(sides[1]));
  for (const char c : parsed.output.letters) {
    const bool known = std::any_of(parsed.inputs.begin(), parsed.inputs.end(), [c](const Term& t) {
      return t.letters.find(c) != std::string::npos;
    });
    if (!known) {
      return InvalidArgument("in the equation '", equation, "' the result has a dimension '",
                             std::string(1, c), "' that no operand has");
    }
  }
  return parsed;
}

StatusOr<EinsumLabels> EinsumEquation::Bind(const std::vector<int>& ranks) const {
  EinsumLabels labels;
  int widest = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int rest = ranks[i] - static_cast<int>(inputs[i].letters.size());
    if (rest < 0 || (rest > 0 && inputs[i].ellipsis < 0)) {
      return InvalidArgument("operand ", i, " has ", ranks[i],
                             " dimensions, but the equation says '", inputs[i].ToString(), "'");
    }
    widest = std::max(widest, rest);
    labels.inputs.push_back(LabelsOf(inputs[i], rest));
  }
  if (widest > 0 && output.ellipsis < 0) {
    return InvalidArgument("Output contains ", widest, " broadcasting dimension(s), but '",
                           output.ToString(), "' has no ellipsis");
  }
  labels.output = LabelsOf(output, widest);
  return labels;
}

}  // namespace warpbeam
