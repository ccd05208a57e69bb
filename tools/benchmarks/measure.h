// What the programs of this folder share: clocks, order statistics, and the output line
// "metric<TAB>value<TAB>unit" that tools/bench reads.
//
// Thread safety: free functions; output lines are whole when one thread writes. Errors: none.
//
//   const double before = WallSeconds();
//   Work();
//   PrintMetric("work", WallSeconds() - before, "s");

#ifndef WARPBEAM_TOOLS_BENCHMARKS_MEASURE_H_
#define WARPBEAM_TOOLS_BENCHMARKS_MEASURE_H_

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace warpbeam {
namespace benchmarks {

inline double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// CPU time of all threads of this process.
inline double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The value below which `fraction` of the values lie; 0 for none.
inline double Quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t index = static_cast<size_t>(fraction * static_cast<double>(values.size()));
  return values[std::min(index, values.size() - 1)];
}

// Wall seconds of each of `repetitions` calls.
template <typename Work>
std::vector<double> TimeEach(int repetitions, Work work) {
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const double before = WallSeconds();
    work();
    seconds.push_back(WallSeconds() - before);
  }
  return seconds;
}

template <typename Work>
double MedianSeconds(int repetitions, Work work) {
  return Quantile(TimeEach(repetitions, work), 0.5);
}

template <typename Work>
double BestSeconds(int repetitions, Work work) {
  return Quantile(TimeEach(repetitions, work), 0);
}

inline void PrintMetric(const std::string& name, double value, const char* unit) {
  printf("%s\t%.10g\t%s\n", name.c_str(), value, unit);
  fflush(stdout);
}

}  // namespace benchmarks
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BENCHMARKS_MEASURE_H_
