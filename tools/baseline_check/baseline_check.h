// The check that a program's CPU has what the rest of the program is compiled for.
//
// Everything is compiled for x86-64-v3 (AVX2, FMA, BMI, ...). Linking //tools/baseline_check into a
// program makes an early constructor ask the CPU before any registration or other static
// initialiser runs; on a CPU without them the program ends with exit status 1 and a line that names
// what is missing, instead of an illegal instruction. wb_binary links it by itself.
//
// The functions keep no state, may be called from any thread, allocate nothing and never fail.
//
//   warpbeam::CpuIdWords cpu = warpbeam::ReadCpuId();
//   const char* missing = warpbeam::MissingCpuFeature(cpu);  // nullptr: the CPU is good enough

#ifndef WARPBEAM_TOOLS_BASELINE_CHECK_BASELINE_CHECK_H_
#define WARPBEAM_TOOLS_BASELINE_CHECK_BASELINE_CHECK_H_

#include <cstdint>

namespace warpbeam {

// The registers of the CPUID instruction, and of XGETBV, that tell of the baseline.
struct CpuIdWords {
  uint32_t leaf1_ecx = 0;           // FMA, MOVBE, OSXSAVE, AVX, F16C
  uint32_t leaf7_ebx = 0;           // BMI1, AVX2, BMI2
  uint32_t extended_leaf1_ecx = 0;  // LZCNT
  uint32_t xcr0 = 0;                // which registers the operating system saves
};

// What this CPU and its operating system say. A leaf the CPU does not have reads as zero.
CpuIdWords ReadCpuId();

// The name of the first baseline feature that `cpu` lacks ("AVX2"), or nullptr when it has all.
const char* MissingCpuFeature(const CpuIdWords& cpu);

// Writes the message for a CPU without `feature` to the file descriptor, in one line.
void WriteMissingFeature(int file_descriptor, const char* feature);

}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BASELINE_CHECK_BASELINE_CHECK_H_
