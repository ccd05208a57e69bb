// EinsumEquation: "abc,cd->abd" taken apart.
//
//   WB_ASSIGN_OR_RETURN(EinsumEquation e, EinsumEquation::Parse("...ij,...jk->...ik", 2));
//   WB_ASSIGN_OR_RETURN(EinsumLabels labels, e.Bind({3, 3}));      // ranks of the operands
//   labels.inputs[0] == std::vector<int>{-1, 'i', 'j'};             // one label for each dimension
//
// Letters name dimensions; the dimensions that an ellipsis stands for get the labels -1, -2, ...,
// counted from the last of them, so that they are aligned as in a broadcast.
//
// Thread safety: values. Errors: INVALID_ARGUMENT for equations that cannot be read and for ranks
// that do not fit.
#ifndef WARPBEAM_OPS_MATH_EINSUM_EINSUM_EQUATION_H_
#define WARPBEAM_OPS_MATH_EINSUM_EINSUM_EQUATION_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

using LabelList = std::vector<int>;

struct EinsumLabels {
  std::vector<LabelList> inputs;
  LabelList output;
};

struct EinsumEquation {
  // One side's letters; `ellipsis` is where it stands among them, or -1.
  struct Term {
    std::string letters;
    int ellipsis = -1;
    std::string ToString() const;
  };
  std::vector<Term> inputs;
  Term output;

  static StatusOr<EinsumEquation> Parse(const std::string& equation, int num_inputs);
  StatusOr<EinsumLabels> Bind(const std::vector<int>& ranks) const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_EINSUM_EINSUM_EQUATION_H_
