// FileDataset: elements that are read from a list of files, one file after the other; a reader says
// how elements lie in a file.
//
// A file that cannot be opened or read on gives one error, in place of the rest of it; the sequence
// goes on with the next file.
//
//   FileDataset::Open open = [options](size_t, const std::string& path) {
//     return OpenLineReader(path, options);     // a FileReader
//   };
//   return std::make_shared<FileDataset>("TextLine", paths, open);
//
// Ownership and thread safety: as Dataset. Errors: NOT_FOUND for a file that does not exist,
// DATA_LOSS for a damaged one, each naming it.
#ifndef WARPBEAM_OPS_DATA_SOURCE_FILE_DATASET_H_
#define WARPBEAM_OPS_DATA_SOURCE_FILE_DATASET_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ops/data/dataset_kernel.h"
#include "runtime/record/compression.h"

namespace warpbeam {

// Reads the strings that one file holds.
class FileReader {
 public:
  virtual ~FileReader() = default;
  // Sets *value to the next one; false at the end of the file.
  virtual StatusOr<bool> Next(std::string* value) = 0;
};

class FileDataset final : public Dataset {
 public:
  // Opens file number `index` of the list.
  using Open =
      std::function<StatusOr<std::unique_ptr<FileReader>>(size_t index, const std::string& path)>;

  FileDataset(const char* name, std::vector<std::string> paths, Open open);

  const char* name() const override { return name_; }
  bool FindImmediate() const override { return false; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(PipelineContext& pipeline) const override;

 private:
  class Iterator;

  const char* const name_;
  const std::vector<std::string> paths_;
  const Open open_;
};

// How much of a file is read at once, for an op's buffer_size: 0 and small sizes too take enough
// that the system is asked rarely.
size_t ReadaheadBytes(int64_t buffer_size);

// The elements' spec of all such datasets: one string.
ElementSpec StringSpec();

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_SOURCE_FILE_DATASET_H_
