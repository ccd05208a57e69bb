#include "tests/golden/difference_map.h"

#include <fstream>

#include "absl/strings/str_cat.h"

namespace warpbeam {

StatusOr<DifferenceMap> ReadDifferences(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound("cannot open ", path);
  DifferenceMap differences;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t tab = line.find('\t');
    differences[line.substr(0, tab)] = tab == std::string::npos ? "" : line.substr(tab + 1);
  }
  return differences;
}

std::string DifferencesText(const DifferenceMap& differences) {
  std::string text;
  for (const auto& [op, what] : differences) absl::StrAppend(&text, op, "\t", what, "\n");
  return text;
}

}  // namespace warpbeam
