#include "runtime/device/gpu_plugin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/device/gpu_warning.h"

namespace warpbeam {
namespace {

constexpr char kLibrary[] = "libwarpbeam.so";
constexpr char kPlugin[] = "libwarpbeam_cuda.so";
constexpr char kDriver[] = "libcuda.so.1";

// The path without links, so that the version is in it; empty where there is no such file.
std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), &free);
  return real == nullptr ? "" : real.get();
}

// Where the plug-in of the library at that path is, if there is one.
std::string PluginOf(const std::string& library) {
  const std::string real = RealPath(library);
  const size_t name = real.rfind('/') + 1;
  const absl::string_view file = absl::string_view(real).substr(name);
  if (!absl::StartsWith(file, kLibrary)) return "";
  return absl::StrCat(real.substr(0, name), kPlugin, file.substr(sizeof(kLibrary) - 1));
}

// What opening the plug-in of this library has come to; it is tried once.
const Status& OpenedGpuPlugin() {
  static const Status* const opened = [] {
    Dl_info here;
    const bool is_known = dladdr(reinterpret_cast<const void*>(&OpenGpuPlugin), &here) != 0;
    if (!is_known || here.dli_fname == nullptr) return new Status;
    return new Status(OpenGpuPluginOf(here.dli_fname, kDriver));
  }();
  return *opened;
}

}  // namespace

Status OpenGpuPluginOf(const std::string& library, const char* driver) {
  const std::string plugin = PluginOf(library);
  if (plugin.empty() || access(plugin.c_str(), F_OK) != 0) return OkStatus();
  if (dlopen(driver, RTLD_LAZY | RTLD_LOCAL) == nullptr) return NoGpuDriver(driver);
  if (dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return OkStatus();
  const char* const said = dlerror();
  return Unavailable("the GPUs of this machine are not used: ", plugin,
                     " cannot be opened: ", said == nullptr ? "the linker does not say why" : said);
}

void OpenGpuPlugin() { OpenedGpuPlugin().IgnoreError(); }

void WarnOfGpuPlugin() {
  const Status& opened = OpenedGpuPlugin();
  if (!opened.ok()) WarnOfGpus(std::string(opened.message()));
}

}  // namespace warpbeam
