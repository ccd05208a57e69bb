// Calls of CUDA that may fail without anyone being told, by the reason why: a test that lets each
// call fail once takes the reasons that its steps have, and adds what is its own.
//
//   using namespace cuda_stand_in::unseen;
//   const std::set<std::string> may_pass = MayFail({kWaiting, kGrowth}, {"cudaMemcpyAsync"});
//   EXPECT_TRUE(!status.ok() || may_pass.count(cuda_stand_in::failed_call()) > 0);
//
// Thread safety: constants.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_MAY_FAIL_UNSEEN_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_MAY_FAIL_UNSEEN_H_

#include <initializer_list>
#include <set>
#include <string>

namespace warpbeam::cuda_stand_in::unseen {

using Calls = std::initializer_list<const char*>;

// Who waits for what was enqueued, where nobody asks for it, or asks whether it is done.
inline constexpr Calls kWaiting = {"cudaEventQuery", "cudaEventSynchronize"};
// The same of all that a stream has, or a GPU, as whoever closes it waits.
inline constexpr Calls kClosing = {"cudaStreamSynchronize", "cudaDeviceSynchronize"};
// One that cannot be asked for is made the current one, and that another was before matters to
// nobody.
inline constexpr Calls kCurrentGpu = {"cudaGetDevice", "cudaSetDevice"};
// Where a larger piece of memory is refused the least is asked for.
inline constexpr Calls kGrowth = {"cuMemCreate", "cuMemMap", "cuMemSetAccess"};
// A GPU that cannot be asked whether it reaches a peer does not.
inline constexpr Calls kPeers = {"cudaDeviceCanAccessPeer"};
// Where a recording cannot be begun there is none, and where a copy into it fails the step is run.
inline constexpr Calls kRecording = {"cudaStreamBeginCapture", "cudaMemcpyAsync"};

inline std::set<std::string> MayFail(std::initializer_list<Calls> reasons, Calls own = {}) {
  std::set<std::string> functions(own.begin(), own.end());
  for (const Calls& calls : reasons) functions.insert(calls.begin(), calls.end());
  return functions;
}

}  // namespace warpbeam::cuda_stand_in::unseen

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_MAY_FAIL_UNSEEN_H_
