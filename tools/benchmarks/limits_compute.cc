#include <immintrin.h>

#include <algorithm>
#include <set>
#include <thread>

#include "tools/benchmarks/limits.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr long kRounds = 4000000;

// A chain of dependent additions takes one cycle for each.
__attribute__((noinline)) long AddChain(long n) {
  long x = 1;
  for (long i = 0; i < n; ++i) asm volatile("add $1,%0" : "+r"(x));
  return x;
}

// As many independent accumulators as hide the latency of the multiply-add, and no more than there
// are registers.
template <int kAccumulators>
__attribute__((noinline)) void Fma256(long n) {
  __m256 a[kAccumulators];
  for (__m256& x : a) x = _mm256_set1_ps(1.0f);
  const __m256 m = _mm256_set1_ps(0.999f);
  const __m256 c = _mm256_set1_ps(1e-3f);
  for (long i = 0; i < n; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kAccumulators; ++j) a[j] = _mm256_fmadd_ps(a[j], m, c);
  }
  for (__m256& x : a) asm volatile("" : : "x"(x));
}

template <int kAccumulators>
__attribute__((noinline, target("avx512f"))) void Fma512(long n) {
  __m512 a[kAccumulators];
  for (int j = 0; j < kAccumulators; ++j) a[j] = _mm512_set1_ps(1.0f);
  const __m512 m = _mm512_set1_ps(0.999f);
  const __m512 c = _mm512_set1_ps(1e-3f);
  for (long i = 0; i < n; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kAccumulators; ++j) a[j] = _mm512_fmadd_ps(a[j], m, c);
  }
  for (int j = 0; j < kAccumulators; ++j) asm volatile("" : : "v"(a[j]));
}

// Multiply-adds on `threads` threads; each vector operation is 2 * `lanes` FLOPs.
void MeasureFma(const std::string& name, void (*loop)(long), double flops_per_round, int threads) {
  ThreadTeam team(threads);
  const std::vector<double> seconds = TimeEach(9, [&] { team.Run([&](int) { loop(kRounds); }); });
  const double flops = flops_per_round * threads * static_cast<double>(kRounds);
  const std::string full = "limit.fma_" + name + "_" + std::to_string(threads) + "t";
  PrintMetric(full + "_best", flops / Quantile(seconds, 0) / 1e9, "GFLOP/s");
  PrintMetric(full + "_median", flops / Quantile(seconds, 0.5) / 1e9, "GFLOP/s");
}

}  // namespace

void MeasureCompute() {
  constexpr long kAdds = 400000000;
  volatile long sum = 0;
  PrintMetric("limit.clock", kAdds / BestSeconds(7, [&] { sum = AddChain(kAdds); }) / 1e9, "GHz");
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const int threads : std::set<int>{1, std::min(2, cores), cores}) {
    MeasureFma("avx2", Fma256<12>, 12.0 * 2 * 8, threads);
    if (__builtin_cpu_supports("avx512f")) {
      MeasureFma("avx512", Fma512<16>, 16.0 * 2 * 16, threads);
    }
  }
}

}  // namespace benchmarks
}  // namespace warpbeam
