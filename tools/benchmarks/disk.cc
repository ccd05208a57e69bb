#include "tools/benchmarks/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

namespace warpbeam {
namespace benchmarks {
namespace {

std::vector<std::string> FilesOf(const std::string& name) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(".", error)) {
    const std::string file = entry.path().filename().string();
    if (file.rfind(name + ".", 0) == 0) files.push_back(file);
  }
  return files;
}

void Sync(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

void SyncCheckpoint(const std::string& name) {
  for (const std::string& file : FilesOf(name)) Sync(file);
  Sync(".");
}

void RemoveCheckpoint(const std::string& name) {
  for (const std::string& file : FilesOf(name)) unlink(file.c_str());
}

}  // namespace benchmarks
}  // namespace warpbeam
