// Compiled for plain x86-64, unlike every other file: it must run where they do not. So it includes
// no header that defines inline functions; a copy of one compiled here could be the one the whole
// program uses, or the other way round.

#include "tools/baseline_check/baseline_check.h"

#include <cpuid.h>
#include <unistd.h>

namespace warpbeam {
namespace {

struct Feature {
  const char* name;
  uint32_t CpuIdWords::*word;
  uint32_t bits;
};

// OSXSAVE comes first: without it XGETBV may not be asked and every wider register is out of reach.
constexpr Feature kBaseline[] = {
    {"OSXSAVE", &CpuIdWords::leaf1_ecx, 1u << 27},
    {"AVX", &CpuIdWords::leaf1_ecx, 1u << 28},
    {"AVX state saved by the operating system", &CpuIdWords::xcr0, 0x6},
    {"AVX2", &CpuIdWords::leaf7_ebx, 1u << 5},
    {"FMA", &CpuIdWords::leaf1_ecx, 1u << 12},
    {"MOVBE", &CpuIdWords::leaf1_ecx, 1u << 22},
    {"F16C", &CpuIdWords::leaf1_ecx, 1u << 29},
    {"BMI1", &CpuIdWords::leaf7_ebx, 1u << 3},
    {"BMI2", &CpuIdWords::leaf7_ebx, 1u << 8},
    {"LZCNT", &CpuIdWords::extended_leaf1_ecx, 1u << 5},
};

void Write(int file_descriptor, const char* text) {
  size_t length = 0;
  while (text[length] != '\0') ++length;
  while (length > 0) {
    const ssize_t written = write(file_descriptor, text, length);
    if (written <= 0) return;  // Nobody is left to be told.
    text += written;
    length -= static_cast<size_t>(written);
  }
}

// Priority 101 is the first that a program may use: before every registration and iostream.
__attribute__((constructor(101))) void CheckBaseline() {
  const char* missing = MissingCpuFeature(ReadCpuId());
  if (missing == nullptr) return;
  WriteMissingFeature(STDERR_FILENO, missing);
  _exit(1);
}

}  // namespace

CpuIdWords ReadCpuId() {
  CpuIdWords words;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) words.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) words.leaf7_ebx = ebx;
  if (__get_cpuid(0x80000001u, &eax, &ebx, &ecx, &edx)) words.extended_leaf1_ecx = ecx;
  if (words.leaf1_ecx & (1u << 27)) {
    uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    words.xcr0 = low;
  }
  return words;
}

const char* MissingCpuFeature(const CpuIdWords& cpu) {
  for (const Feature& feature : kBaseline) {
    if ((cpu.*feature.word & feature.bits) != feature.bits) return feature.name;
  }
  return nullptr;
}

void WriteMissingFeature(int file_descriptor, const char* feature) {
  Write(file_descriptor,
        "warpbeam: this program needs a CPU of the x86-64-v3 level (AVX2 and FMA; Intel ");
  Write(file_descriptor, "Haswell, AMD Excavator or newer); this one has no ");
  Write(file_descriptor, feature);
  Write(file_descriptor, ".\n");
}

}  // namespace warpbeam
