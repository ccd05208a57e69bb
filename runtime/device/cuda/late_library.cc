#include "runtime/device/cuda/late_library.h"

#include <dlfcn.h>

namespace warpbeam {

StatusOr<void*> LateLibrary::Symbol(const char* function) {
  if (handle_ == nullptr) handle_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = handle_ == nullptr ? nullptr : dlsym(handle_, function);
  if (symbol != nullptr) return symbol;
  const char* const why = dlerror();
  return FailedPrecondition("this needs ", function, " of ", name_, ", and ", file_,
                            handle_ == nullptr ? " cannot be opened (" : " does not have it (",
                            why == nullptr ? "the system does not say why" : why,
                            "): install the CUDA toolkit's ", name_,
                            ", or place the node on the CPU");
}

}  // namespace warpbeam
