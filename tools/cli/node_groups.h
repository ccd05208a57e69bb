// NodeGroups: problems of nodes, one line for each op and reason.
//
//   groups.Add("Cholesky", {"has no kernel", "Cast it."}, "e", " in function 'f'");
//   groups.Lines();
//   // "Cholesky has no kernel: 2 nodes, the first is 'e' in function 'f'. Cast it."
//
// Ownership: keeps copies. Thread safety: none. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_NODE_GROUPS_H_
#define WARPBEAM_TOOLS_CLI_NODE_GROUPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/types/shown_name.h"
#include "tools/cli/node_check.h"

namespace warpbeam {
namespace cli {

class NodeGroups {
 public:
  // `where` follows the node's name.
  void Add(const std::string& op, const NodeProblem& problem, absl::string_view node,
           absl::string_view where) {
    Group& group = groups_[{op, problem.reason, problem.advice}];
    if (group.count++ == 0) group.first = absl::StrCat("'", ShownName(node), "'", where);
  }
  bool empty() const { return groups_.empty(); }
  // "Cholesky 2, PyFunc 1".
  std::string Counts() const {
    std::map<std::string, int64_t> counts;
    for (const auto& [key, group] : groups_) counts[std::get<0>(key)] += group.count;
    std::string text;
    for (const auto& [op, count] : counts) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", ShownName(op), " ", count);
    }
    return ShownMessage(text);
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const auto& [key, group] : groups_) {
      const auto& [op, reason, advice] = key;
      lines.push_back(ShownMessage(absl::StrCat(
          ShownName(op), " ", reason, ": ", group.count,
          group.count == 1 ? " node, " : " nodes, the first is ", group.first, ". ", advice)));
    }
    return lines;
  }

 private:
  struct Group {
    int64_t count = 0;
    std::string first;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups_;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_NODE_GROUPS_H_
