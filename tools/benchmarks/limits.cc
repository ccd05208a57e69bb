// Prints the machine's own limits, by which tools/bench measures both sides.
//
//   limits [compute] [memory] [wakeups] [loopback] [disk]      all of them without an argument
#include "tools/benchmarks/limits.h"

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  struct Part {
    const char* name;
    void (*measure)();
  };
  const Part parts[] = {{"compute", warpbeam::benchmarks::MeasureCompute},
                        {"memory", warpbeam::benchmarks::MeasureMemory},
                        {"wakeups", warpbeam::benchmarks::MeasureWakeUps},
                        {"loopback", warpbeam::benchmarks::MeasureLoopback},
                        {"disk", warpbeam::benchmarks::MeasureDisk}};
  for (int i = 1; i < argc; ++i) {
    bool known = false;
    for (const Part& part : parts) known = known || strcmp(argv[i], part.name) == 0;
    if (!known) {
      fprintf(stderr, "limits: '%s' is none of compute, memory, wakeups, loopback, disk\n",
              argv[i]);
      return 2;
    }
  }
  for (const Part& part : parts) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || strcmp(argv[i], part.name) == 0;
    if (wanted) part.measure();
  }
  return 0;
}
