// cuFFT: plans, and transforms in the order of the stream, in the precision of their numbers.
//
// A plan is made once, for one problem and the current GPU, and says how much memory it works in,
// which every transform overwrites; how much it was given the library does not know. Lengths whose
// factors are small need none. A transform to real numbers overwrites its input, and gives no
// numbers for what is no spectrum of a real array. What was recorded of a plan gives none once the
// plan is gone, as if its tables had been overwritten.
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <cufftXt.h>

#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <unsupported/Eigen/FFT>
#include <utility>
#include <vector>

#include "tests/cuda_stand_in/libraries.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace stand_in = warpbeam::cuda_stand_in;
using stand_in::Leftovers;
using stand_in::Refuse;

namespace {

constexpr int kMostRank = 3;

// Where the numbers of the arrays are: `embed` are the extents of what holds one of them.
struct FourierLayout {
  cudaDataType type;
  int64_t embed[kMostRank], stride, distance;

  bool is_real() const { return type == CUDA_R_32F || type == CUDA_R_64F; }
};

struct FourierProblem {
  int rank;
  int64_t lengths[kMostRank];  // of complex or real arrays
  int64_t half[kMostRank];     // of the halves of their spectra
  FourierLayout in, out;
  int64_t batch;
  bool is_double;
  size_t workspace = 0;

  const int64_t* Extents(const FourierLayout& layout) const {
    const bool has_real = in.is_real() || out.is_real();
    return has_real && !layout.is_real() ? half : lengths;
  }
  size_t BytesOf(const FourierLayout& layout) const {
    return (is_double ? sizeof(double) : sizeof(float)) * (layout.is_real() ? 1 : 2);
  }
  int64_t Count(const int64_t* extents) const {
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) count *= extents[i];
    return count;
  }
  // Of the number with that index in an array of these extents.
  int64_t Place(const FourierLayout& layout, const int64_t* extents, int64_t index) const {
    int64_t place = 0, step = 1;
    for (int i = rank - 1; i >= 0; --i) {
      place += index % extents[i] * step;
      index /= extents[i];
      step *= layout.embed[i];
    }
    return place * layout.stride;
  }
  // From the first number of all arrays to behind the last.
  size_t Bytes(const FourierLayout& layout) const {
    const int64_t* const extents = Extents(layout);
    const int64_t last = Place(layout, extents, Count(extents) - 1);
    return static_cast<size_t>((batch - 1) * layout.distance + last + 1) * BytesOf(layout);
  }
};

struct FourierPlan {
  const int gpu;
  bool allocates = true;
  std::shared_ptr<const FourierProblem> problem;  // null until it is made
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
};

struct FourierPlans {
  std::mutex mutex;
  int made = 0;
  std::map<cufftHandle, FourierPlan> all;

  FourierPlan* Find(cufftHandle handle) {
    const auto found = all.find(handle);
    return found == all.end() ? nullptr : &found->second;
  }
};

FourierPlans& ThePlans() {
  static auto* const plans = new FourierPlans;
  return *plans;
}

bool HasSmallFactors(int64_t n) {
  for (const int64_t factor : {2, 3, 5, 7}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

// Along every dimension.
template <class Real>
void Transform(const FourierProblem& p, bool inverse, std::vector<std::complex<Real>>* values) {
  Eigen::FFT<Real> library;
  library.SetFlag(Eigen::FFT<Real>::Unscaled);
  int64_t inner = 1;
  for (int i = p.rank - 1; i >= 0; --i) {
    const int64_t n = p.lengths[i];
    std::vector<std::complex<Real>> line(static_cast<size_t>(n)), result(line.size());
    for (int64_t at = 0; n > 1 && at < static_cast<int64_t>(values->size()); ++at) {
      if (at / inner % n != 0) continue;
      for (int64_t k = 0; k < n; ++k) line[k] = (*values)[at + k * inner];
      if (inverse) {
        library.inv(result.data(), line.data(), n);
      } else {
        library.fwd(result.data(), line.data(), n);
      }
      for (int64_t k = 0; k < n; ++k) (*values)[at + k * inner] = result[k];
    }
    inner *= n;
  }
}

// The index of the number whose conjugate is that of `index`, in the whole of a real array's
// spectrum.
int64_t Mirrored(const FourierProblem& p, int64_t index) {
  int64_t mirrored = 0, step = 1;
  for (int i = p.rank - 1; i >= 0; --i) {
    const int64_t at = index % p.lengths[i];
    mirrored += (at == 0 ? 0 : p.lengths[i] - at) * step;
    index /= p.lengths[i];
    step *= p.lengths[i];
  }
  return mirrored;
}

// Of the halves of spectra the other half, too. False: it is no spectrum of a real array.
template <class Real>
bool Complete(const FourierProblem& p, std::vector<std::complex<Real>>* values) {
  const int64_t last = p.lengths[p.rank - 1], half = p.half[p.rank - 1];
  for (int64_t i = 0; i < static_cast<int64_t>(values->size()); ++i) {
    const int64_t mirrored = Mirrored(p, i);
    if (i % last >= half) {
      (*values)[i] = std::conj((*values)[mirrored]);
    } else if (mirrored % last < half && (*values)[i] != std::conj((*values)[mirrored])) {
      return false;
    }
  }
  return true;
}

template <class Real>
void TransformArray(const FourierProblem& p, bool inverse, const Real* in, Real* out) {
  using Complex = std::complex<Real>;
  std::vector<Complex> values(static_cast<size_t>(p.Count(p.lengths)));
  const int64_t last = p.lengths[p.rank - 1];
  const auto is_held = [&](const FourierLayout& layout, int64_t i) {
    return i % last < p.Extents(layout)[p.rank - 1];
  };
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    if (!is_held(p.in, i)) continue;
    const int64_t at = p.Place(p.in, p.lengths, i);
    values[i] = p.in.is_real() ? Complex(in[at]) : Complex(in[2 * at], in[2 * at + 1]);
  }
  const bool is_right = !p.out.is_real() || Complete(p, &values);
  Transform(p, inverse || p.out.is_real(), &values);
  if (!is_right) std::fill(values.begin(), values.end(), std::numeric_limits<Real>::quiet_NaN());
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    if (!is_held(p.out, i)) continue;
    const int64_t at = p.Place(p.out, p.lengths, i);
    if (p.out.is_real()) {
      out[at] = values[i].real();
    } else {
      out[2 * at] = values[i].real();
      out[2 * at + 1] = values[i].imag();
    }
  }
}

template <class Real>
void TransformAll(const FourierProblem& p, bool inverse, void* in, void* out) {
  const int64_t from = p.in.distance * (p.in.is_real() ? 1 : 2);
  const int64_t to = p.out.distance * (p.out.is_real() ? 1 : 2);
  for (int64_t batch = 0; batch < p.batch; ++batch) {
    TransformArray(p, inverse, static_cast<const Real*>(in) + batch * from,
                   static_cast<Real*>(out) + batch * to);
  }
}

cufftResult SetLayout(int rank, const long long* embed, long long stride, long long distance,
                      cudaDataType type, FourierLayout* layout) {
  if (embed == nullptr || stride < 1 || distance < 1) {
    return Refuse("the stand-in wants to be told where numbers are", CUFFT_INVALID_VALUE);
  }
  *layout = {type, {}, stride, distance};
  std::copy_n(embed, rank, layout->embed);
  return CUFFT_SUCCESS;
}

// What it all has to do with each other.
cufftResult Check(const FourierProblem& p, cudaDataType execution) {
  const cudaDataType complex = p.is_double ? CUDA_C_64F : CUDA_C_32F;
  const cudaDataType real = p.is_double ? CUDA_R_64F : CUDA_R_32F;
  const auto is_known = [&](cudaDataType type) { return type == complex || type == real; };
  if (execution != complex || !is_known(p.in.type) || !is_known(p.out.type) ||
      (p.in.is_real() && p.out.is_real())) {
    return Refuse("no such types", CUFFT_INVALID_TYPE);
  }
  for (int i = 0; i < p.rank; ++i) {
    if (p.lengths[i] < 1) return Refuse("a length is not positive", CUFFT_INVALID_SIZE);
  }
  if (p.batch < 1) return Refuse("there is nothing to transform", CUFFT_INVALID_SIZE);
  for (const FourierLayout* layout : {&p.in, &p.out}) {
    const int64_t* const extents = p.Extents(*layout);
    for (int i = 1; i < p.rank; ++i) {
      if (layout->embed[i] < extents[i]) return Refuse("rows overlap", CUFFT_INVALID_VALUE);
    }
    const int64_t last = p.Place(*layout, extents, p.Count(extents) - 1);
    if (p.batch > 1 && layout->distance <= last) {
      return Refuse("arrays overlap", CUFFT_INVALID_VALUE);
    }
  }
  return CUFFT_SUCCESS;
}

cufftResult CheckNumbers(const FourierProblem& p, const FourierLayout& layout, const void* at) {
  if (!stand_in::IsDeviceMemory(at, p.Bytes(layout))) {
    return Refuse("numbers are not in a GPU's memory", CUFFT_INVALID_VALUE);
  }
  // Real ones as well.
  const size_t complex = p.is_double ? 2 * sizeof(double) : 2 * sizeof(float);
  if (reinterpret_cast<uintptr_t>(at) % complex != 0) {
    return Refuse("numbers are not aligned as complex ones", CUFFT_INVALID_VALUE);
  }
  return CUFFT_SUCCESS;
}

void Enqueue(const FourierPlan& plan, void* input, void* output, bool inverse) {
  const FourierProblem& p = *plan.problem;
  std::vector<stand_in::Use> uses = {{input, p.Bytes(p.in), /*writes=*/false},
                                     {plan.workspace, p.workspace, /*writes=*/true},
                                     {output, p.Bytes(p.out), /*writes=*/true}};
  if (p.out.is_real()) uses.push_back({input, p.Bytes(p.in), /*writes=*/true});
  void* const in = stand_in::HostAddress(input);
  void* const out = stand_in::HostAddress(output);
  void* const workspace = stand_in::HostAddress(plan.workspace);
  const std::weak_ptr<const FourierProblem> planned = plan.problem;
  stand_in::Enqueue(plan.stream, "cufftXtExec", std::move(uses),
                    [planned, in, out, workspace, inverse, bytes = p.Bytes(p.out)] {
                      const auto problem = planned.lock();
                      if (problem == nullptr) {
                        std::memset(out, 0xff, bytes);
                        return;
                      }
                      if (problem->workspace > 0) std::memset(workspace, 0xff, problem->workspace);
                      if (problem->is_double) {
                        TransformAll<double>(*problem, inverse, in, out);
                      } else {
                        TransformAll<float>(*problem, inverse, in, out);
                      }
                      if (!problem->out.is_real()) return;
                      std::memset(in, 0xff, problem->Bytes(problem->in));
                    });
}

}  // namespace

#define CUFFT_STAND_IN_CALL() \
  if (stand_in::FailsInLibrary(__func__)) return CUFFT_INTERNAL_ERROR
#define CUFFT_STAND_IN_PLAN(handle)                   \
  CUFFT_STAND_IN_CALL();                              \
  std::lock_guard<std::mutex> lock(ThePlans().mutex); \
  FourierPlan* const plan = ThePlans().Find(handle);  \
  if (plan == nullptr) return Refuse("there is no such plan", CUFFT_INVALID_PLAN)

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
  CUFFT_STAND_IN_CALL();
  const int gpu = stand_in::CurrentGpu();
  std::lock_guard<std::mutex> lock(ThePlans().mutex);
  *handle = ++ThePlans().made;
  ThePlans().all.emplace(*handle, FourierPlan{gpu});
  stand_in::Count(&Leftovers::descriptors, 1);
  return CUFFT_SUCCESS;
}

// Gives back memory of the GPU, which is waited for.
cufftResult cufftDestroy(cufftHandle handle) {
  stand_in::WaitForAllStreams();
  std::lock_guard<std::mutex> lock(ThePlans().mutex);
  if (ThePlans().all.erase(handle) == 0) {
    return Refuse("there is no such plan", CUFFT_INVALID_PLAN);
  }
  stand_in::Count(&Leftovers::descriptors, -1);
  return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  CUFFT_STAND_IN_PLAN(handle);
  plan->allocates = allocates != 0;
  return CUFFT_SUCCESS;
}

cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long* lengths,
                                long long* inembed, long long instride, long long indist,
                                cudaDataType intype, long long* onembed, long long outstride,
                                long long outdist, cudaDataType outtype, long long batch,
                                size_t* workspace, cudaDataType execution) {
  CUFFT_STAND_IN_PLAN(handle);
  const int gpu = stand_in::CurrentGpu();
  if (plan->gpu != gpu) return Refuse("the plan is another GPU's", CUFFT_INVALID_DEVICE);
  if (plan->problem != nullptr) return Refuse("the plan is made", CUFFT_INVALID_PLAN);
  if (plan->allocates) return Refuse("the stand-in gives no memory", CUFFT_NOT_SUPPORTED);
  if (rank < 1 || rank > kMostRank) return Refuse("no such rank", CUFFT_INVALID_SIZE);
  FourierProblem p = {};
  p.rank = rank;
  std::copy_n(lengths, rank, p.lengths);
  std::copy_n(lengths, rank, p.half);
  p.half[rank - 1] = p.half[rank - 1] / 2 + 1;
  p.batch = batch;
  p.is_double = execution == CUDA_C_64F;
  cufftResult status = SetLayout(rank, inembed, instride, indist, intype, &p.in);
  if (status != CUFFT_SUCCESS) return status;
  status = SetLayout(rank, onembed, outstride, outdist, outtype, &p.out);
  if (status != CUFFT_SUCCESS) return status;
  status = Check(p, execution);
  if (status != CUFFT_SUCCESS) return status;
  if (!std::all_of(p.lengths, p.lengths + rank, HasSmallFactors)) p.workspace = p.Bytes(p.out);
  *workspace = p.workspace;
  plan->problem = std::make_shared<const FourierProblem>(p);
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  CUFFT_STAND_IN_PLAN(handle);
  if (stand_in::GpuOf(stream) != plan->gpu) {
    return Refuse("the stream is none of the plan's GPU", CUFFT_INVALID_VALUE);
  }
  plan->stream = stream;
  return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void* workspace) {
  CUFFT_STAND_IN_PLAN(handle);
  plan->workspace = workspace;
  return CUFFT_SUCCESS;
}

cufftResult cufftXtExec(cufftHandle handle, void* input, void* output, int direction) {
  CUFFT_STAND_IN_PLAN(handle);
  if (plan->problem == nullptr) return Refuse("the plan is not made", CUFFT_INVALID_PLAN);
  if (stand_in::GpuOf(plan->stream) != plan->gpu) {
    return Refuse("there is no stream", CUFFT_EXEC_FAILED);
  }
  const FourierProblem& p = *plan->problem;
  if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) {
    return Refuse("no such direction", CUFFT_INVALID_VALUE);
  }
  if (input == output && (p.in.is_real() || p.out.is_real())) {
    return Refuse("real and complex numbers in one place", CUFFT_INVALID_VALUE);
  }
  if (p.workspace > 0 && !stand_in::IsDeviceMemory(plan->workspace, p.workspace)) {
    return Refuse("there is no memory to work in", CUFFT_NO_WORKSPACE);
  }
  for (const auto& [layout, at] : {std::pair(&p.in, input), std::pair(&p.out, output)}) {
    const cufftResult status = CheckNumbers(p, *layout, at);
    if (status != CUFFT_SUCCESS) return status;
  }
  Enqueue(*plan, input, output, direction == CUFFT_INVERSE);
  return CUFFT_SUCCESS;
}

}  // extern "C"
