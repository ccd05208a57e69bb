#include "tools/benchmarks/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {
namespace {

// The 22nd field of /proc/self/stat, in clock ticks after boot. Fields are counted behind the
// program's name, which may hold anything.
double StartAfterBoot() {
  constexpr int kFieldsAfterName = 20;
  std::ifstream stat("/proc/self/stat");
  std::string line;
  std::getline(stat, line);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < kFieldsAfterName; ++i) fields >> field;
  return atof(field.c_str()) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double Seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

int EntriesOf(const char* folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  return error ? 0 : static_cast<int>(std::distance(begin(entries), end(entries)));
}

}  // namespace

double SecondsSinceStart() {
  if (const char* spawned = getenv("WB_SPAWN_NS")) return WallSeconds() - atof(spawned) * 1e-9;
  std::ifstream uptime("/proc/uptime");
  double now = 0;
  uptime >> now;
  return now - StartAfterBoot();
}

double ResidentMiB(const char* key, const std::string& process) {
  std::ifstream status("/proc/" + process + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind(key, 0) == 0) return atof(line.c_str() + strlen(key)) / 1024;
  }
  return 0;
}

int OpenFiles() { return EntriesOf("/proc/self/fd"); }
int Threads() { return EntriesOf("/proc/self/task"); }

Usage CurrentUsage() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return {Seconds(usage.ru_utime) + Seconds(usage.ru_stime), static_cast<double>(usage.ru_nivcsw)};
}

}  // namespace benchmarks
}  // namespace warpbeam
