// The steps that a model names: its signatures, what restores it and what is run first; and whether
// the names that it gives stand for what it says.
//
//   std::vector<ModelStep> steps = StepsOf(meta, /*restores=*/true);
//   CheckNames(meta, &found);
//
// Thread safety: as Graph. Errors: problems and notes of the findings.
#ifndef WARPBEAM_TOOLS_CLI_MODEL_STEPS_H_
#define WARPBEAM_TOOLS_CLI_MODEL_STEPS_H_

#include <vector>

#include "graph/io/meta_graph/meta_graph.h"
#include "tools/cli/model_problems.h"

namespace warpbeam {
namespace cli {

// As frontend/model runs them. `restores`: from a checkpoint.
std::vector<ModelStep> StepsOf(const MetaGraph& meta, bool restores);

// Init op, saver and assets must be nodes of the graph, inputs have the dtype and a shape that the
// graph takes. An output of another dtype than its signature says is a note: it is computed all the
// same. Tensors that are not there are left to CheckSteps.
void CheckNames(const MetaGraph& meta, bool restores, ModelFindings* found);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_MODEL_STEPS_H_
