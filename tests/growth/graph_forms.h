// GraphForm: a family of graphs of one form and of any size, for tests of how time grows.
//
//   for (const GraphForm& form : AllForms()) {
//     tensorflow::GraphDef graph;
//     form.write(form.size, &graph);             // about form.size nodes; "end" is what is run
//   }
//
// Ownership: tables that live for ever. Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_TESTS_GROWTH_GRAPH_FORMS_H_
#define WARPBEAM_TESTS_GROWTH_GRAPH_FORMS_H_

#include <vector>

#include "graph/types/span.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace warpbeam {

struct GraphForm {
  const char* name;
  // The smaller of the two sizes that are compared; the other is ten times as large.
  int size;
  void (*write)(int size, tensorflow::GraphDef* graph);
  // What the graph is for: it can be run; it can be placed, but running is no matter of its size;
  // it is refused when it is read.
  enum class Fate { kRuns, kPlaced, kRefused } fate = Fate::kRuns;
};

// Chains, stars, layers, diamonds and barriers.
Span<const GraphForm> FormsOfEdges();
// Branches, loops, frames and functions.
Span<const GraphForm> FormsOfLoops();
// Constants, attributes, names, devices, variables and problems.
Span<const GraphForm> FormsOfValues();

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_GROWTH_GRAPH_FORMS_H_
