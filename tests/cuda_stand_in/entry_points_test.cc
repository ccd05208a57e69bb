// Every function of CUDA and of its libraries that the stand-in has can be made to fail, or is in
// the list of those that never are, with the reason. As the product calls no others (it would not
// be linked), no call is forgotten.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// What gives something back: who calls it has nothing left to do about a failure, and what was to
// be given back is gone either way. CUDA reports there what went wrong before, which the calls
// behind report as well.
constexpr char kGivesBack[] = "gives something back";
constexpr char kText[] = "gives a text, and has no status";

const std::map<std::string, std::string> kNeverFail = {
    {"cuMemAddressFree", kGivesBack},
    {"cuMemRelease", kGivesBack},
    {"cuMemUnmap", kGivesBack},
    {"cublasDestroy_v2", kGivesBack},
    {"cublasLtDestroy", kGivesBack},
    {"cublasLtGetStatusName", kText},
    {"cublasLtGetStatusString", kText},
    {"cublasLtMatmulDescDestroy", kGivesBack},
    {"cublasLtMatmulPreferenceDestroy", kGivesBack},
    {"cublasLtMatrixLayoutDestroy", kGivesBack},
    {"cudaEventDestroy", kGivesBack},
    {"cudaFreeHost", kGivesBack},
    {"cudaGetErrorName", kText},
    {"cudaGetErrorString", kText},
    {"cudaGraphDestroy", kGivesBack},
    {"cudaGraphExecDestroy", kGivesBack},
    {"cudaStreamDestroy", kGivesBack},
    {"cudnnBackendDestroyDescriptor", kGivesBack},
    {"cudnnDestroy", kGivesBack},
    {"cudnnGetErrorString", kText},
    {"cudnnGetLastErrorString", kText},
    {"cufftDestroy", kGivesBack},
    {"cusolverDnDestroy", kGivesBack},
    {"cusolverDnDestroyParams", kGivesBack},
    {"ncclCommAbort", kGivesBack},
    {"ncclGetErrorString", kText},
};

// What the sources define: by name, whether a function asks if it has to fail. (The systems of
// triangular matrices, which a macro defines, are in failing_solver_test.cc.)
std::map<std::string, bool> EntryPoints() {
  const std::regex defined(R"re((?:^|\n)(?:extern "C" )?(?:const char\*|\w+) )re"
                           R"re(((?:cuda|cublas|cudnn|cufft|cusolver|nccl)[A-Z]\w*)\([^;{]*\{)re");
  const std::regex of_driver(R"re(\{"(cu[A-Z]\w*)", reinterpret_cast)re");
  const std::regex asks(R"re(MustFail|FailsInLibrary|STAND_IN_(CALL|ASKS|PLAN)|return Add\()re");
  std::map<std::string, bool> found;
  for (const auto& file : std::filesystem::directory_iterator("tests/cuda_stand_in")) {
    if (file.path().extension() != ".cc") continue;
    std::stringstream contents;
    contents << std::ifstream(file.path()).rdbuf();
    const std::string text = contents.str();
    for (std::sregex_iterator at(text.begin(), text.end(), defined), end; at != end; ++at) {
      const size_t begin = static_cast<size_t>(at->position() + at->length());
      const size_t line = text.find('\n', begin);
      const size_t last = text[line - 1] == '}' ? line : text.find("\n}", begin);
      const std::string body = text.substr(begin, last - begin);
      found[(*at)[1]] = std::regex_search(body, asks);
    }
    for (std::sregex_iterator at(text.begin(), text.end(), of_driver), end; at != end; ++at) {
      found[(*at)[1]] = absl::StrContains(text, "MustFail(\"" + at->str(1) + "\")");
    }
  }
  return found;
}

TEST(EntryPoints, CanFailOrAreListed) {
  const std::map<std::string, bool> all = EntryPoints();
  EXPECT_GT(all.size(), 90u) << "what defines them is not recognised any more";
  std::set<std::string> listed;
  for (const auto& [name, can_fail] : all) {
    const bool is_listed = kNeverFail.count(name) > 0;
    if (is_listed) listed.insert(name);
    EXPECT_NE(can_fail, is_listed)
        << name
        << (can_fail ? " can fail, and is listed as one that does not"
                     : " neither asks whether it has to fail nor is listed");
  }
  for (const auto& [name, reason] : kNeverFail) EXPECT_EQ(listed.count(name), 1u) << name;
}

}  // namespace
}  // namespace warpbeam
