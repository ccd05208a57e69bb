// The plug-in: what an installed Warpbeam has for GPUs, as a library of its own.
//
// Beside PREFIX/lib/libwarpbeam.so.VERSION stands libwarpbeam_cuda.so.VERSION, which needs CUDA's
// libraries. It is opened where the machine has a driver, so that programs start and run where
// there is neither; its platform and kernels then register themselves as linked ones do. A
// library never opens the plug-in of another version: their names differ.
//
//   OpenGpuPlugin();                        // of this library, once
//   WarnOfGpuPlugin();                      // for who wants GPUs: why it is not open
//   WB_RETURN_IF_ERROR(OpenGpuPluginOf("/opt/lib/libwarpbeam.so.1.2.0", "libcuda.so.1"));
//
// Ownership: what is open stays so. Thread safety: any thread. Errors: UNAVAILABLE for a plug-in
// without a driver, and, with the file and what the system's linker says of it, for one that cannot
// be opened.
#ifndef WARPBEAM_RUNTIME_DEVICE_GPU_PLUGIN_H_
#define WARPBEAM_RUNTIME_DEVICE_GPU_PLUGIN_H_

#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

// Opens the plug-in of the library that this function is in. A program that has Warpbeam in itself
// has no plug-in. Where it fails the CPU goes on.
void OpenGpuPlugin();
// What failed, if anything did, as a line (gpu_warning.h).
void WarnOfGpuPlugin();

// Opens that of the library at that path, where the system's linker finds `driver`. OK where there
// is no plug-in.
Status OpenGpuPluginOf(const std::string& library, const char* driver);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_GPU_PLUGIN_H_
