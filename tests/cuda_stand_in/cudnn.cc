// cuDNN's backend API, as far as it is called: handles, descriptors, and convolutions in the order
// of the stream.
//
// What a plan needs is looked at when it is executed: all operands with all their bytes in a GPU's
// memory, aligned as they were described, and memory to work in, which is overwritten.
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tests/cuda_stand_in/cudnn_descriptors.h"
#include "tests/cuda_stand_in/libraries.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace stand_in = warpbeam::cuda_stand_in;
using stand_in::CudnnDescriptor;
using stand_in::Leftovers;
using stand_in::Refuse;

struct cudnnContext {
  int gpu;
  cudaStream_t stream;
};

namespace {

auto* Of(cudnnBackendDescriptor_t descriptor) { return static_cast<CudnnDescriptor*>(descriptor); }

// Finds where the host has an operand.
cudnnStatus_t Locate(const CudnnDescriptor& arguments, const stand_in::CudnnOperand& operand,
                     void** host) {
  void* const at = arguments.Address(operand.id);
  if (at == nullptr) return Refuse("an operand is missing", CUDNN_STATUS_BAD_PARAM);
  if (!stand_in::IsDeviceMemory(at, static_cast<size_t>(operand.bytes()))) {
    return Refuse("an operand is not in a GPU's memory", CUDNN_STATUS_EXECUTION_FAILED);
  }
  if (reinterpret_cast<uintptr_t>(at) % static_cast<uintptr_t>(operand.alignment) != 0) {
    return Refuse("an operand is aligned less than was said",
                  CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER);
  }
  *host = stand_in::HostAddress(at);
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

#define CUDNN_STAND_IN_CALL() \
  if (stand_in::FailsInLibrary(__func__)) return CUDNN_STATUS_INTERNAL_ERROR

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* library) {
  CUDNN_STAND_IN_CALL();
  const int gpu = stand_in::CurrentGpu();
  *library = new cudnnContext{gpu, nullptr};
  stand_in::Count(&Leftovers::libraries, 1);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t library) {
  delete library;
  stand_in::Count(&Leftovers::libraries, -1);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t library, cudaStream_t stream) {
  CUDNN_STAND_IN_CALL();
  if (stand_in::GpuOf(stream) != library->gpu) {
    return Refuse("the stream is none of the library's GPU",
                  CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH);
  }
  library->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* made) {
  CUDNN_STAND_IN_CALL();
  *made = new CudnnDescriptor(type);
  stand_in::Count(&Leftovers::descriptors, 1);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete Of(descriptor);
  stand_in::Count(&Leftovers::descriptors, -1);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* values) {
  CUDNN_STAND_IN_CALL();
  return Of(descriptor)->Set(name, type, count, values);
}

cudnnStatus_t cudnnBackendGetAttribute(const cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t most,
                                       int64_t* count, void* values) {
  CUDNN_STAND_IN_CALL();
  return Of(descriptor)->Get(name, type, most, count, values);
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  CUDNN_STAND_IN_CALL();
  return Of(descriptor)->Finalize();
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t library, cudnnBackendDescriptor_t executed,
                                  cudnnBackendDescriptor_t pack) {
  CUDNN_STAND_IN_CALL();
  const CudnnDescriptor &plan = *Of(executed), &arguments = *Of(pack);
  if (plan.type() != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ||
      arguments.type() != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR || !plan.is_finalized() ||
      !arguments.is_finalized()) {
    return Refuse("no plan and its arguments", CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  }
  if (!plan.engine()->is_wanted) {
    return Refuse("the stand-in has the engine's notes alone", CUDNN_STATUS_EXECUTION_FAILED);
  }
  if (stand_in::GpuOf(library->stream) < 0) {
    return Refuse("the stream is gone", CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH);
  }
  const std::shared_ptr<const stand_in::CudnnConvolution> convolution = plan.convolution();
  stand_in::CudnnAddresses at = {};
  std::vector<std::pair<const stand_in::CudnnOperand*, void**>> operands = {
      {&convolution->input, &at.input},
      {&convolution->filter, &at.filter},
      {&convolution->output, &at.output}};
  if (convolution->has_bias) operands.emplace_back(&convolution->bias, &at.bias);
  for (const auto& [operand, host] : operands) {
    const cudnnStatus_t status = Locate(arguments, *operand, host);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  const auto bytes = static_cast<size_t>(plan.workspace_bytes());
  void* const workspace = stand_in::HostAddress(arguments.workspace());
  if (bytes > 0 && (!stand_in::IsDeviceMemory(workspace, bytes) ||
                    reinterpret_cast<uintptr_t>(workspace) % 16 != 0)) {
    return Refuse("there is no memory to work in", CUDNN_STATUS_BAD_PARAM);
  }
  const auto& notes = plan.engine()->notes;
  const bool tensor_float_32 = std::find(notes.begin(), notes.end(),
                                         CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) != notes.end();
  using Result = stand_in::CudnnConvolution::Result;
  std::vector<stand_in::Use> uses = {{workspace, bytes, true}};
  const auto use = [&](const stand_in::CudnnOperand& operand, const void* host, Result which) {
    uses.push_back({host, static_cast<size_t>(operand.bytes()), convolution->result == which});
  };
  use(convolution->input, at.input, Result::kInput);
  use(convolution->filter, at.filter, Result::kFilter);
  use(convolution->output, at.output, Result::kOutput);
  if (convolution->has_bias) {
    uses.push_back({at.bias, static_cast<size_t>(convolution->bias.bytes()), /*writes=*/false});
  }
  stand_in::Enqueue(library->stream, __func__, std::move(uses), [=] {
    if (bytes > 0) std::memset(workspace, 0xff, bytes);
    stand_in::Convolve(*convolution, at, tensor_float_32);
  });
  return CUDNN_STATUS_SUCCESS;
}

const char* cudnnGetErrorString(cudnnStatus_t) { return "an error of the stand-in"; }
void cudnnGetLastErrorString(char* message, size_t most) {
  std::snprintf(message, most, "%s", stand_in::Reason().c_str());
}

}  // extern "C"
