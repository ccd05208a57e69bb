// LateLibrary: one of CUDA's libraries that is opened when something of it is first called.
//
// What most graphs need (cuBLASLt, cuDNN) is linked. What few need is not, such as cuFFT with its
// 280 MB: it need not be installed where nobody asks for it, and no process spends time on it that
// does not call it.
//
//   #pragma weak cufftExecC2C            // linked or not: its address is null where it is not
//
//   struct Cufft {
//     decltype(&cufftExecC2C) exec_c2c = nullptr;
//
//     static StatusOr<Cufft> Open() {
//       LateLibrary library("cuFFT", "libcufft.so.12");
//       Cufft cufft;
//       WB_RETURN_IF_ERROR(library.Find(WB_LATE_FUNCTION(cufftExecC2C), &cufft.exec_c2c));
//       return cufft;
//     }
//   };
//   WB_ASSIGN_OR_RETURN(const Cufft* cufft, OpenedOnce<Cufft>());   // wherever it is called
//
// A function that the program has is taken before the library's: CUDA's stand-in of the tests
// (tests/cuda_stand_in) is linked.
//
// Ownership: what is opened stays open until the process ends. Thread safety: one thread each;
// OpenedOnce from any thread.
// Errors: FAILED_PRECONDITION naming the library, its file and what the system says of it where it
// cannot be opened or lacks the function.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_LATE_LIBRARY_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_LATE_LIBRARY_H_

#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

class LateLibrary {
 public:
  // `name` is what people call it; `file` is what the system looks for, without a folder.
  LateLibrary(absl::string_view name, absl::string_view file) : name_(name), file_(file) {}

  // `linked` is the function's address in this program, null where it has none.
  template <class Function>
  Status Find(const char* function, Function* linked, Function** found) {
    *found = linked;
    if (linked != nullptr) return OkStatus();
    WB_ASSIGN_OR_RETURN(void* const symbol, Symbol(function));
    *found = reinterpret_cast<Function*>(symbol);
    return OkStatus();
  }

 private:
  StatusOr<void*> Symbol(const char* function);

  const std::string name_, file_;
  void* handle_ = nullptr;
};

// The first two arguments of Find. The function has to be declared weak.
#define WB_LATE_FUNCTION(function) #function, &function

// What Functions::Open gave when it was first asked, in this process for good. The same error comes
// again each time: a library that is installed later is found by the next process.
template <class Functions>
StatusOr<const Functions*> OpenedOnce() {
  static const auto* const opened = new StatusOr<Functions>(Functions::Open());
  WB_RETURN_IF_ERROR(opened->status());
  return &**opened;
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_LATE_LIBRARY_H_
