// What the stand-ins of CUDA's libraries are made of: work in the order of a stream, memory that
// they may use, and the reason why a call was refused.
//
//   if (FailsInLibrary(__func__)) return CUDNN_STATUS_INTERNAL_ERROR;
//   if (!IsDeviceMemory(y, bytes)) return Refuse("y is not a GPU's", CUDNN_STATUS_BAD_PARAM);
//   Enqueue(stream, __func__, {{y, bytes, /*writes=*/true}}, [=] { … });
//
// Thread safety: any thread.
#ifndef WARPBEAM_TESTS_CUDA_STAND_IN_LIBRARIES_H_
#define WARPBEAM_TESTS_CUDA_STAND_IN_LIBRARIES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/cuda_stand_in/order.h"

struct CUstream_st;  // what a cudaStream_t points to

namespace warpbeam::cuda_stand_in {

// What cudaGetDevice and cudaDeviceSynchronize do, for the libraries: not calls of the product.
int CurrentGpu();
void WaitForAllStreams();
// The GPU of a stream; -1: there is no such stream.
int GpuOf(CUstream_st* stream);
// Calls `work` in the order of the stream, or records it. The stream exists; `function` is a text
// that stays, the name of the call.
void Enqueue(CUstream_st* stream, const char* function, std::vector<Use> uses,
             std::function<void()> work);

// Whether all of it is mapped memory of a GPU, at the GPU's addresses or the host's.
bool IsDeviceMemory(const void* address, size_t bytes);

// Why the calling thread's last call was refused: messages of the libraries end with it.
const std::string& Reason();
void SetReason(std::string reason);
template <class Status>
Status Refuse(std::string reason, Status status) {
  SetReason(std::move(reason));
  return status;
}
// MustFail, and the reason that goes with it.
bool FailsInLibrary(const char* function);

}  // namespace warpbeam::cuda_stand_in

#endif  // WARPBEAM_TESTS_CUDA_STAND_IN_LIBRARIES_H_
