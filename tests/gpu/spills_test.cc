// What kernels keep in memory because a thread has no registers left for it, by architecture: what
// spills.txt grants, and no more. A kernel that spills waits for its own memory.
#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using Bytes = std::map<std::string, int>;  // written and read again, by kernel

std::string Demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string demangled = status == 0 ? text : name;
  std::free(text);
  return demangled;
}

// The first line is the architecture; then the warnings of the assembler.
Bytes Spilled(const std::string& path, std::string* architecture) {
  const std::regex warning(
      "in function '?(\\w+)'?, *([0-9]+) bytes spill stores, *([0-9]+) bytes spill loads");
  Bytes spilled;
  std::ifstream file(path);
  EXPECT_TRUE(std::getline(file, *architecture)) << path;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    EXPECT_TRUE(std::regex_search(line, match, warning)) << "not understood: " << line;
    if (match.empty()) continue;
    spilled[Demangled(match[1])] += std::stoi(match[2]) + std::stoi(match[3]);
  }
  return spilled;
}

// Lines "ARCHITECTURE BYTES KERNEL", or "ARCHITECTURE" alone: it is in the list.
Bytes Granted(const std::string& path, const std::string& architecture, bool* is_listed) {
  Bytes granted;
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t first = line.find(' ');
    if (line.substr(0, first) != architecture) continue;
    *is_listed = true;
    if (first == std::string::npos) continue;
    const size_t second = line.find(' ', first + 1);
    granted[line.substr(second + 1)] = std::atoi(line.c_str() + first);
  }
  return granted;
}

TEST(SpillsTest, NoKernelSpillsMoreThanTheListGrants) {
  std::string architecture;
  const Bytes spilled = Spilled("tests/gpu/spills.txt", &architecture);
  bool is_listed = false;
  Bytes granted = Granted("tests/gpu/granted_spills.txt", architecture, &is_listed);
  if (!is_listed) GTEST_SKIP() << "granted_spills.txt has nothing of " << architecture;
  for (const auto& [kernel, bytes] : spilled) {
    EXPECT_LE(bytes, granted[kernel])
        << "granted_spills.txt says: " << architecture << " " << granted[kernel] << " " << kernel;
  }
  for (const auto& [kernel, bytes] : granted) {
    const auto found = spilled.find(kernel);
    const int now = found == spilled.end() ? 0 : found->second;
    EXPECT_GE(now, bytes) << "has become less: take it from granted_spills.txt\n" << kernel;
  }
}

}  // namespace
}  // namespace warpbeam
