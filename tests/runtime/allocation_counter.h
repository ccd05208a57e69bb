// AllocationCounter: counts the heap allocations of the whole process by call site.
//
// Linked into a program, it takes the place of malloc and its kin; while counting is on, each
// allocation is entered under the stack that asked for it. Whose it is, the innermost frame says
// that lies neither in the C and C++ run time nor in Abseil, whose containers and strings work for
// whoever calls them: the program's own code, or a library such as oneDNN.
//
//   AllocationCounter::Start();
//   …                                       // what is to allocate nothing, on any thread
//   for (const AllocationSite& site : AllocationCounter::Stop()) std::cout << site.ToString();
//
// Thread safety: any thread may allocate; Start and Stop are called by one. Errors: stacks beyond
// the table's size are counted together, as a site without frames that counts as the program's own.
// Not for builds with a sanitizer, which takes malloc's place itself.
#ifndef WARPBEAM_TESTS_RUNTIME_ALLOCATION_COUNTER_H_
#define WARPBEAM_TESTS_RUNTIME_ALLOCATION_COUNTER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace warpbeam {

struct AllocationSite {
  int64_t count = 0;
  int64_t bytes = 0;
  bool ours = false;
  std::vector<std::string> frames;  // innermost first, from the one that it is attributed to

  std::string ToString() const;
};

class AllocationCounter {
 public:
  static void Start();
  // The sites since Start, those with most allocations first.
  static std::vector<AllocationSite> Stop();
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_RUNTIME_ALLOCATION_COUNTER_H_
