// Compares a graph that the frontend made with the one that TensorFlow's Python API makes
// (python_graphs.tsv): names, ops, devices, inputs and colocation groups of every node.
//
//   EXPECT_EQ(DifferencesFromPython(root, "losses"), "");
//
// Ownership: none. Thread safety: reads the file anew in every call. Errors: an error of the scope,
// and a graph that the file does not have, are differences.
#ifndef WARPBEAM_FRONTEND_GOLDEN_SAME_GRAPH_H_
#define WARPBEAM_FRONTEND_GOLDEN_SAME_GRAPH_H_

#include <functional>
#include <map>
#include <string>

#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// What differs, a line each, with ours and theirs; "" when the graphs are the same but for the
// nodes whose names `left_out` holds of.
std::string DifferencesFromPython(
    const Scope& scope, const std::string& name,
    const std::function<bool(const std::string& node)>& left_out = nullptr);

// The same for nodes that are given: by name, a line of python_graphs.tsv each.
std::string DifferencesFromNodes(
    const Scope& scope, const std::map<std::string, std::string>& expected,
    const std::function<bool(const std::string& node)>& left_out = nullptr);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GOLDEN_SAME_GRAPH_H_
