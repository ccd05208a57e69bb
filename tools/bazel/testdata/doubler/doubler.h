// Which passes of doubler.cc were linked: the proof that one source is compiled for both devices.
//
// Each pass registers itself before main; reading the list is safe from any thread afterwards.
//
//   for (const std::string& pass : warpbeam::LinkedPasses()) ...  // "host", with --config=cuda
//   also "cuda"

#ifndef WARPBEAM_TOOLS_BAZEL_TESTDATA_DOUBLER_DOUBLER_H_
#define WARPBEAM_TOOLS_BAZEL_TESTDATA_DOUBLER_DOUBLER_H_

#include <string>
#include <vector>

#ifdef __CUDACC__
#define WB_PASS cuda
#else
#define WB_PASS host
#endif

namespace warpbeam {

// The names of the linked passes, in no particular order.
std::vector<std::string>& LinkedPasses();

}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BAZEL_TESTDATA_DOUBLER_DOUBLER_H_
