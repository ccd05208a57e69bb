#include "runtime/dist/testing/process_entries.h"

#include <dirent.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

int EntriesOf(int pid, const char* folder) {
  const std::string process = pid == 0 ? "self" : absl::StrCat(pid);
  DIR* const opened = opendir(absl::StrCat("/proc/", process, "/", folder).c_str());
  if (opened == nullptr) return -1;
  int count = 0;
  while (const dirent* entry = readdir(opened)) count += entry->d_name[0] != '.';
  closedir(opened);
  return count;
}

}  // namespace

int OpenFiles(int pid) { return EntriesOf(pid, "fd"); }
int Threads(int pid) { return EntriesOf(pid, "task"); }

}  // namespace warpbeam
