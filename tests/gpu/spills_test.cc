// Registers that the assembler for GPUs keeps in memory: what kernels do so, and how many bytes, is
// listed in granted_spills.txt, and the list only falls.
#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

std::string Demangled(const std::string& name) {
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), &std::free);
  return failed == 0 ? text.get() : name;
}

// By kernel: the bytes that it stores and loads again.
std::map<std::string, int> ReadSpills(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  static const std::regex line_of(
      ".*spilled to local memory in function '([^']+)', ([0-9]+) bytes spill stores, ([0-9]+) "
      "bytes spill loads.*");
  std::map<std::string, int> spills;
  std::string line;
  std::smatch match;
  while (std::getline(file, line)) {
    if (line.find("pill") == std::string::npos) continue;
    EXPECT_TRUE(std::regex_match(line, match, line_of)) << "not understood: " << line;
    if (!match.empty()) spills[Demangled(match[1])] += std::stoi(match[2]) + std::stoi(match[3]);
  }
  return spills;
}

// Lines "BYTES KERNEL"; those that begin with '#' are for people.
std::map<std::string, int> ReadGranted(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::map<std::string, int> granted;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.find(' ');
    int bytes = 0;
    EXPECT_TRUE(absl::SimpleAtoi(line.substr(0, space), &bytes)) << line;
    granted[line.substr(space + 1)] = bytes;
  }
  return granted;
}

TEST(Spills, AreNoMoreThanGranted) {
  const std::string architecture = WB_SPILLS_OF;
  const auto spills = ReadSpills(absl::StrCat("tests/gpu/spills_", architecture, ".txt"));
  auto granted = ReadGranted(absl::StrCat("tests/gpu/granted_spills_", architecture, ".txt"));
  for (const auto& [kernel, bytes] : spills) {
    const auto found = granted.find(kernel);
    const int most = found == granted.end() ? 0 : found->second;
    EXPECT_EQ(bytes, most) << "sm_" << architecture << " keeps registers in memory; if that "
                           << "cannot be avoided, the list needs the line\n"
                           << bytes << " " << kernel;
    if (found != granted.end()) granted.erase(found);
  }
  for (const auto& [kernel, bytes] : granted) {
    ADD_FAILURE() << "no longer true of sm_" << architecture << ", take it out: " << bytes << " "
                  << kernel;
  }
}

}  // namespace
}  // namespace warpbeam
