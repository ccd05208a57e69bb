#include <immintrin.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "tools/benchmarks/limits.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

constexpr size_t kFloats = size_t{32} << 20;         // 128 MiB an array: beyond any cache
constexpr size_t kCachedFloats = size_t{256} << 10;  // 1 MiB
constexpr int kLanes = 8;

struct Free {
  void operator()(float* p) const { free(p); }
};
using Array = std::unique_ptr<float, Free>;

Array NewArray() { return Array(static_cast<float*>(aligned_alloc(64, kFloats * sizeof(float)))); }

// Each loop works on the elements from `begin` to `end`, multiples of 64.
using Loop = void (*)(const float* a, const float* b, float* c, size_t begin, size_t end);

void CopyStreaming(const float* a, const float*, float* c, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i += kLanes) _mm256_stream_ps(c + i, _mm256_load_ps(a + i));
}

void Copy(const float* a, const float*, float* c, size_t begin, size_t end) {
  for (size_t i = begin; i < end; i += kLanes) _mm256_store_ps(c + i, _mm256_load_ps(a + i));
}

void TriadStreaming(const float* a, const float* b, float* c, size_t begin, size_t end) {
  const __m256 s = _mm256_set1_ps(3);
  for (size_t i = begin; i < end; i += kLanes) {
    _mm256_stream_ps(c + i, _mm256_fmadd_ps(s, _mm256_load_ps(b + i), _mm256_load_ps(a + i)));
  }
}

void Read(const float* a, const float*, float*, size_t begin, size_t end) {
  __m256 sums[8];
  for (__m256& s : sums) s = _mm256_setzero_ps();
  for (size_t i = begin; i < end; i += 8 * kLanes) {
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j)
      sums[j] = _mm256_add_ps(sums[j], _mm256_load_ps(a + i + j * kLanes));
  }
  for (__m256& s : sums) asm volatile("" : : "x"(s));
}

void Memcpy(const float* a, const float*, float* c, size_t begin, size_t end) {
  memcpy(c + begin, a + begin, (end - begin) * sizeof(float));
}

struct NamedLoop {
  const char* name;
  Loop loop;
  int bytes_per_byte;  // read and written for each byte of an array
};
constexpr NamedLoop kLoops[] = {{"copy_nt", CopyStreaming, 2},
                                {"copy", Copy, 2},
                                {"triad_nt", TriadStreaming, 3},
                                {"read", Read, 1},
                                {"memcpy", Memcpy, 2}};

void MeasureOnThreads(int threads, const float* a, const float* b, float* c) {
  ThreadTeam team(threads);
  const std::string suffix = "_" + std::to_string(threads) + "t";
  const size_t share = kFloats / static_cast<size_t>(threads) / 64 * 64;
  for (const NamedLoop& named : kLoops) {
    const double seconds = MedianSeconds(
        9, [&] { team.Run([&](int i) { named.loop(a, b, c, share * i, share * (i + 1)); }); });
    const double bytes = static_cast<double>(share * threads * sizeof(float));
    PrintMetric("limit.mem_" + std::string(named.name) + suffix,
                named.bytes_per_byte * bytes / seconds / 1e9, "GB/s");
  }
  constexpr int kRepeats = 200;
  const double seconds = MedianSeconds(9, [&] {
    team.Run([&](int i) {
      for (int r = 0; r < kRepeats; ++r) {
        Copy(a, b, c, kCachedFloats * i, kCachedFloats * (i + 1));
        asm volatile("" : : : "memory");
      }
    });
  });
  PrintMetric("limit.cached_copy_1MiB" + suffix,
              2.0 * threads * kCachedFloats * sizeof(float) * kRepeats / seconds / 1e9, "GB/s");
}

// Memory that the system has to clear and map first.
void MeasureFreshPages() {
  constexpr size_t kBytes = size_t{64} << 20;
  const double seconds = MedianSeconds(7, [&] {
    char* p = static_cast<char*>(malloc(kBytes));
    asm volatile("" : "+r"(p));
    memset(p, 1, kBytes);
    asm volatile("" : : "r"(p) : "memory");
    free(p);
  });
  PrintMetric("limit.fresh_malloc_memset_64MiB", kBytes / seconds / 1e9, "GB/s");
}

}  // namespace

void MeasureMemory() {
  const Array a = NewArray(), b = NewArray(), c = NewArray();
  if (a == nullptr || b == nullptr || c == nullptr) return;
  for (size_t i = 0; i < kFloats; ++i) {
    a.get()[i] = 1;
    b.get()[i] = 2;
    c.get()[i] = 0;
  }
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  MeasureOnThreads(1, a.get(), b.get(), c.get());
  if (cores > 1) MeasureOnThreads(cores, a.get(), b.get(), c.get());
  MeasureFreshPages();
}

}  // namespace benchmarks
}  // namespace warpbeam
