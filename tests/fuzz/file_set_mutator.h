// Changes a set of files, or what is asked about it: the content of one, by what its name says it
// holds; which there are, and what stands in a file's place; the words of a command.
//
//   MutateFiles(random, /*longest=*/1 << 15, &set);
//
// Thread safety: as ContentsOf. Errors: none.
#ifndef WARPBEAM_TESTS_FUZZ_FILE_SET_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_FILE_SET_MUTATOR_H_

#include "tests/fuzz/random_source.h"

namespace files {
class FileSet;
}  // namespace files

namespace warpbeam {
namespace fuzz {

// `longest`: of a file.
void MutateFiles(RandomSource& random, size_t longest, files::FileSet* set);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_FILE_SET_MUTATOR_H_
