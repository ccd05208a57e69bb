#include <cuda_runtime_api.h>
#include <cufft.h>
#include <cufftXt.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ops/signal/cufft_plan.h"
#include "ops/signal/real_transform.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/device/cuda/late_library.h"

#pragma weak cufftCreate
#pragma weak cufftDestroy
#pragma weak cufftSetAutoAllocation
#pragma weak cufftSetStream
#pragma weak cufftSetWorkArea
#pragma weak cufftXtExec
#pragma weak cufftXtMakePlanMany

namespace warpbeam {
namespace {

static_assert(std::is_same_v<cufftHandle, int>);

// Those functions that we call.
struct Cufft {
  decltype(&cufftCreate) create = nullptr;
  decltype(&cufftDestroy) destroy = nullptr;
  decltype(&cufftSetAutoAllocation) set_auto_allocation = nullptr;
  decltype(&cufftSetStream) set_stream = nullptr;
  decltype(&cufftSetWorkArea) set_work_area = nullptr;
  decltype(&cufftXtExec) execute = nullptr;
  decltype(&cufftXtMakePlanMany) make_plan = nullptr;

  static StatusOr<Cufft> Open() {
    LateLibrary library("cuFFT", absl::StrCat("libcufft.so.", CUFFT_VER_MAJOR));
    Cufft x;
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cufftCreate), &x.create));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cufftDestroy), &x.destroy));
    WB_RETURN_IF_ERROR(
        library.Find(WB_LATE_FUNCTION(cufftSetAutoAllocation), &x.set_auto_allocation));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cufftSetStream), &x.set_stream));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cufftSetWorkArea), &x.set_work_area));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cufftXtExec), &x.execute));
    WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cufftXtMakePlanMany), &x.make_plan));
    return x;
  }
};

const char* NameOf(cufftResult result) {
  switch (result) {
    case CUFFT_INVALID_PLAN:
      return "CUFFT_INVALID_PLAN";
    case CUFFT_ALLOC_FAILED:
      return "CUFFT_ALLOC_FAILED";
    case CUFFT_INVALID_TYPE:
      return "CUFFT_INVALID_TYPE";
    case CUFFT_INVALID_VALUE:
      return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR:
      return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED:
      return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED:
      return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE:
      return "CUFFT_INVALID_SIZE";
    case CUFFT_NO_WORKSPACE:
      return "CUFFT_NO_WORKSPACE";
    case CUFFT_NOT_IMPLEMENTED:
      return "CUFFT_NOT_IMPLEMENTED";
    case CUFFT_NOT_SUPPORTED:
      return "CUFFT_NOT_SUPPORTED";
    default:
      return "an error";
  }
}

// The library has no texts for its errors.
Status CufftStatus(cufftResult result, absl::string_view function) {
  if (result == CUFFT_SUCCESS) return OkStatus();
  const std::string text =
      absl::StrCat(function, " of cuFFT gives ", NameOf(result), " (", int{result}, ")");
  switch (result) {
    case CUFFT_ALLOC_FAILED:
    case CUFFT_NO_WORKSPACE:
      return ResourceExhausted(text);
    case CUFFT_INVALID_SIZE:
    case CUFFT_NOT_IMPLEMENTED:
    case CUFFT_NOT_SUPPORTED:
      return Unimplemented(text);
    default:
      return Internal(text);
  }
}

// How arrays lie in memory, one after another: the extents of each, and its type.
struct FourierLayout {
  long long extents[GpuFourierTransform::kMostRank];
  long long size = 1;
  cudaDataType type;
};
FourierLayout LayoutOf(const GpuFourierTransform& x, const GpuFourierTransform::Extents& extents,
                       bool is_real) {
  FourierLayout layout;
  for (int i = 0; i < x.rank; ++i) {
    layout.extents[i] = extents[i];
    layout.size *= extents[i];
  }
  layout.type =
      is_real ? (x.is_double ? CUDA_R_64F : CUDA_R_32F) : (x.is_double ? CUDA_C_64F : CUDA_C_32F);
  return layout;
}

}  // namespace

Status OpenCufft() { return OpenedOnce<Cufft>().status(); }

StatusOr<std::unique_ptr<CufftPlan>> CufftPlan::Make(const GpuFourierTransform& transform) {
  WB_ASSIGN_OR_RETURN(const Cufft* cufft, OpenedOnce<Cufft>());
  int gpu = 0;
  WB_RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&gpu), "asking for the current GPU (cudaGetDevice)"));
  cufftHandle made = CUFFT_PLAN_NULL;
  WB_RETURN_IF_ERROR(CufftStatus(cufft->create(&made), "cufftCreate"));
  auto plan = std::make_unique<CufftPlan>(gpu, made);
  WB_RETURN_IF_ERROR(CufftStatus(cufft->set_auto_allocation(made, 0), "cufftSetAutoAllocation"));
  WB_RETURN_IF_ERROR(plan->Prepare(transform));
  return plan;
}

CufftPlan::~CufftPlan() {
  const CurrentGpu on(gpu_);
  if (const auto cufft = OpenedOnce<Cufft>(); cufft.ok()) (*cufft)->destroy(handle_);
}

// In the form with 64-bit sizes. Of the input the first values take part, wherever the next row
// begins.
Status CufftPlan::Prepare(const GpuFourierTransform& x) {
  WB_ASSIGN_OR_RETURN(const Cufft* cufft, OpenedOnce<Cufft>());
  GpuFourierTransform::Extents half = x.lengths;
  half[x.rank - 1] = TransformLengths::SpectrumOf(half[x.rank - 1]);
  FourierLayout whole = LayoutOf(x, x.lengths, x.kind != FourierKind::kComplex);
  FourierLayout in = whole, out = whole;
  if (x.kind == FourierKind::kRealToComplex) {
    in = LayoutOf(x, x.given, /*is_real=*/true);
    out = LayoutOf(x, half, /*is_real=*/false);
  } else if (x.kind == FourierKind::kComplexToReal) {
    in = LayoutOf(x, half, /*is_real=*/false);
  }
  const Status status =
      CufftStatus(cufft->make_plan(handle_, x.rank, whole.extents, in.extents, 1, in.size, in.type,
                                   out.extents, 1, out.size, out.type, x.batches, &workspace_bytes_,
                                   x.is_double ? CUDA_C_64F : CUDA_C_32F),
                  "cufftXtMakePlanMany");
  if (!IsUnimplemented(status)) return status;
  return Unimplemented("cuFFT has no ", x.batches, " transforms of [",
                       absl::StrJoin(whole.extents, whole.extents + x.rank, ","),
                       "] at a time: ", status.message());
}

Status CufftPlan::Launch(CUstream_st* on, const GpuFourierTransform& x, void* workspace) {
  WB_ASSIGN_OR_RETURN(const Cufft* cufft, OpenedOnce<Cufft>());
  cudaStreamCaptureStatus recording = cudaStreamCaptureStatusNone;
  WB_RETURN_IF_ERROR(CudaStatus(cudaStreamIsCapturing(on, &recording),
                                "asking whether a stream records (cudaStreamIsCapturing)"));
  if (recording != cudaStreamCaptureStatusNone) is_recorded_ = true;
  WB_RETURN_IF_ERROR(CufftStatus(cufft->set_stream(handle_, on), "cufftSetStream"));
  WB_RETURN_IF_ERROR(CufftStatus(cufft->set_work_area(handle_, workspace), "cufftSetWorkArea"));
  const bool inverse = x.inverse || x.kind == FourierKind::kComplexToReal;
  return CufftStatus(cufft->execute(handle_, const_cast<void*>(x.input), x.output,
                                    inverse ? CUFFT_INVERSE : CUFFT_FORWARD),
                     "cufftXtExec");
}

}  // namespace warpbeam
