// The seeds of a target: files and folders that hold one input per file, and packs of many.
//
//   WB_ASSIGN_OR_RETURN(Corpus corpus, LoadCorpus({"tests/fuzz/corpus/png"}, 1 << 16));
//
// The order is that of the sorted paths, so that runs repeat. Thread safety: pure. Errors:
// NOT_FOUND for a path that is not there, and those of reading.
#ifndef WARPBEAM_TESTS_FUZZ_CORPUS_H_
#define WARPBEAM_TESTS_FUZZ_CORPUS_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {
namespace fuzz {

struct Corpus {
  std::vector<std::string> inputs;
  size_t num_files = 0;  // the first ones, each from a file of its own; the others from packs
  size_t num_too_long = 0;
};

// Inputs of more than `max_size` bytes are left out and counted.
StatusOr<Corpus> LoadCorpus(const std::vector<std::string>& paths, size_t max_size);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_CORPUS_H_
