// A stand-in for CUDA's runtime library and driver, linked in their place: the cuda device, its
// memory, streams, events, copies and recordings run on machines without a GPU.
//
// It has GPUs without multiprocessors. Kernels are therefore host code (Device::runs_host_code)
// that each stream calls in order on a thread of its own. A GPU's memory is mapped twice, as a
// simulated one's is: at its own addresses it allows no access, so that host code which touches it
// ends by a signal; kernels and copies go to its host addresses.
//
//   cuda_stand_in::SetGpus(2);
//   cuda_stand_in::FailCall(7);                    // the seventh call from now on reports an error
//   … a session on /gpu:0 …
//   EXPECT_EQ(cuda_stand_in::Left().ToString(), "");
//
// What CUDA refuses it refuses as well: waiting for or asking a stream that records, memory that
// was not mapped, handles that are gone. So do cuBLASLt, cuDNN, cuFFT and cuSOLVER, whose products,
// convolutions, transforms and factors are computed in the order of the stream (cublas_lt.cc,
// cudnn.cc, cufft.cc, cusolver.cc). NCCL's collectives are computed in the order of the streams,
// each of which waits for all ranks (nccl.cc).
//
// Thread safety: any thread; SetGpus before a device is made.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_STAND_IN_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_STAND_IN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpbeam::cuda_stand_in {

inline constexpr int64_t kMemoryBytes = int64_t{1} << 30;  // of each GPU

// As many as the environment's CUDA_STAND_IN_GPUS says until then, or one.
void SetGpus(int count);
int gpus();
// Of GPUs that have multiprocessors, such as 70 for sm_70, as long as they are only asked what they
// are; 0, as until then: of the stand-in's own.
void SetArchitecture(int architecture);
int architecture();
// CUDA's number of the driver, 11040 for 11.4, which is too old; 0: there is none.
inline constexpr int kFittingDriver = -1;
void SetDriver(int version);
int driver();
// The cudaError_t that whoever counts GPUs gets; 0, as until then: none.
void SetCountingError(int error);
int counting_error();
// Called whenever one of these changes: whoever keeps what there is looks again.
void OnChange(void (*look_again)());

// The call after `calls - 1` others fails, once; 0 forgets it. Calls that give something back do
// not fail (entry_points_test.cc lists them). Neither they count nor those of which there are many,
// or as many as there is time for: which GPU is the current one, and whether something is done.
void FailCall(int64_t calls);
// The same of calls of one function, which come in one order whatever other threads call meanwhile;
// of all that can fail.
void FailCallOf(const std::string& function, int64_t calls);
int64_t calls();  // so far
std::map<std::string, int64_t> CallsByFunction();
std::string failed_call();  // the name of the function that was made to fail; empty: none
// Functions that were called and of which no call was made to fail yet.
std::vector<std::string> NeverFailed();
// Whether the calling thread's next call is the one to fail; every function that may fail asks.
bool MustFail(const char* function);
// The same of one whose calls FailCall does not count.
bool MustFailByName(const char* function);

// The host function behind `functions - 1` others that the streams of a GPU come to faults, as a
// kernel does that reads where there is no memory. Neither it nor what comes behind it on any of
// these streams is run, and every call that has to do with the GPU gives cudaErrorIllegalAddress,
// to the end of the process. What is given back is taken back all the same.
void FaultAt(int gpu, int64_t functions);
bool HasFaulted(int gpu);
// Counts a function that a stream has come to; whether it is not run.
bool FaultsNow(int gpu);

// What was made and not given back.
struct Leftovers {
  int64_t streams = 0, events = 0, graphs = 0, pinned = 0, ranges = 0, pieces = 0;
  // Handles of cuBLASLt and cuDNN; what they describe by, and plans of cuFFT.
  int64_t libraries = 0, descriptors = 0;
  int64_t communicators = 0;     // of NCCL, one for each rank
  std::string ToString() const;  // empty: nothing
};
Leftovers Left();
// Counts one more, or one less, of a kind.
void Count(int64_t Leftovers::*kind, int64_t more);

// What the stream was given last has used that memory.
struct MemoryUse {
  const void* at;
  size_t bytes;
  bool writes;
};
void NoteUses(void* stream, const std::string& by, const std::vector<MemoryUse>& uses);

// Uses of a GPU's memory that nothing orders behind another stream's, one of which writes
// (order.h), one a line, since this was asked last. A program in whose environment
// CUDA_STAND_IN_UNORDERED is a file appends to it those of copies and libraries when it ends.
std::string UnorderedUses();

// The host's address of a GPU's memory; another address as it is.
void* HostAddress(const void* address);

// NCCL's communicators that there are have an asynchronous error from now on.
void FailUnderWay();

}  // namespace warpbeam::cuda_stand_in

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_STAND_IN_H_
