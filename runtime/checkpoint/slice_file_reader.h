// SliceFileReader: reads tensors from a version 1 checkpoint, one file or several that hold parts.
//
//   WB_ASSIGN_OR_RETURN(auto reader, SliceFileReader::Open("/m/model-*-of-00002"));
//   const SliceFileReader::Stored* w = reader->Find("w");   // null when there is none
//   WB_ASSIGN_OR_RETURN(Tensor rows, reader->Read("w", slice));
//
// Ownership: tensors have buffers of their own. Thread safety: immutable. Errors: NOT_FOUND when no
// file matches or the tensor is not there, DATA_LOSS and INTERNAL (TensorFlow's codes) for files
// that are damaged, INVALID_ARGUMENT for parts that do not make up what is wanted.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_SLICE_FILE_READER_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_SLICE_FILE_READER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/checkpoint/table_reader.h"
#include "runtime/checkpoint/tensor_slice.h"

namespace warpbeam {

class SliceFileReader {
 public:
  struct Part {
    TensorSlice slice;
    size_t file;
  };
  struct Stored {
    Shape full;
    DType dtype = DType::kInvalid;
    std::vector<Part> parts;
  };

  static StatusOr<std::unique_ptr<SliceFileReader>> Open(const std::string& pattern);
  const std::map<std::string, Stored>& tensors() const { return tensors_; }
  const Stored* Find(const std::string& name) const;
  StatusOr<Tensor> Read(const std::string& name, const TensorSlice& slice) const;

 private:
  struct File {
    std::string path;
    Table table;
  };
  Status AddFile(const std::string& path);
  StatusOr<Tensor> ReadPart(const std::string& name, const Stored& stored, const Part& part) const;

  std::string pattern_;
  std::vector<File> files_;
  std::map<std::string, Stored> tensors_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_SLICE_FILE_READER_H_
