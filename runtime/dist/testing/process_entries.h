// How many files and threads a process has, for tests that nothing is left behind.
//
//   const int files = OpenFiles(), threads = Threads();        // of this process
//   const int of_another = OpenFiles(pid);
//
// Thread safety: pure. Errors: -1 for a process that is not there.
#ifndef WARPBEAM_RUNTIME_DIST_TESTING_PROCESS_ENTRIES_H_
#define WARPBEAM_RUNTIME_DIST_TESTING_PROCESS_ENTRIES_H_

namespace warpbeam {

// 0: this process.
int OpenFiles(int pid = 0);
int Threads(int pid = 0);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_TESTING_PROCESS_ENTRIES_H_
