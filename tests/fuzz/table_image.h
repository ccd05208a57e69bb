// TableImage: a table file (the index of a checkpoint) as keys and values that a mutator can
// change, and that become a file with the right checksums again.
//
//   TableImage image;
//   if (image.Parse(bytes)) { image.Mutate(random); bytes = image.Bytes(); }
//
// Thread safety: one thread. Errors: Parse returns false for what is no table.
#ifndef WARPBEAM_TESTS_FUZZ_TABLE_IMAGE_H_
#define WARPBEAM_TESTS_FUZZ_TABLE_IMAGE_H_

#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/random_source.h"

namespace warpbeam {
namespace fuzz {

class TableImage {
 public:
  bool Parse(const std::string& bytes);
  // One change to a key, a value, or the number or order of both.
  void Mutate(RandomSource& random);
  // Gives the entries of a version 2 checkpoint the checksums of what they name in `data`.
  void SetChecksums(const std::string& data);
  std::string Bytes() const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_TABLE_IMAGE_H_
