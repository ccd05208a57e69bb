// What stands in a serialized graph, without importing it: counts and sizes, also of graphs that
// cannot run here.
//
//   GraphSummary s = SummaryOf(meta_graph.graph_def());
//   console.out << SummaryText(s, /*rows=*/20, /*has_signatures=*/true);
//
// Thread safety: pure. Errors: none; what does not parse is left out.
#ifndef WARPBEAM_TOOLS_CLI_GRAPH_SUMMARY_H_
#define WARPBEAM_TOOLS_CLI_GRAPH_SUMMARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/types/dtype.h"
#include "graph/types/shape.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace warpbeam {
namespace cli {

// A variable, placeholder or tensor of a checkpoint.
struct NamedType {
  std::string name;
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

struct GraphSummary {
  int64_t nodes = 0;
  int64_t functions = 0;
  int64_t function_nodes = 0;
  int64_t constant_bytes = 0;  // in their messages
  int producer = 0;
  // Counts nodes in function bodies too; "" stands for nodes that ask for no device.
  std::map<std::string, int64_t> ops;
  std::map<std::string, int64_t> devices;
  std::vector<NamedType> variables;
  std::vector<NamedType> placeholders;  // not those of functions
  std::vector<std::string> ends;        // nodes whose outputs nobody reads
  int64_t left_over = 0;                // the same, that are of no use to anybody
};

GraphSummary SummaryOf(const tensorflow::GraphDef& graph);

// The summary as lines that begin with two spaces, at most `rows` of each kind. Placeholders and
// ends are left out when the graph has signatures, which say more.
std::string SummaryText(const GraphSummary& summary, int rows, bool has_signatures);

// "w: float [3,1]"; "1.5 MiB".
std::string Describe(const NamedType& type);
std::string Bytes(int64_t bytes);

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_GRAPH_SUMMARY_H_
