// Streams of Snappy blocks, each behind its length (four bytes, the greatest first), as TensorFlow
// writes them: source and sink of CompressionType::kSnappy (compression.h).
//
// Ownership, thread safety, errors: as compression.h says; a block of more than 64 MiB is damage.
#ifndef WARPBEAM_RUNTIME_RECORD_SNAPPY_STREAM_H_
#define WARPBEAM_RUNTIME_RECORD_SNAPPY_STREAM_H_

#include <memory>
#include <string>

#include "runtime/record/compression.h"

namespace warpbeam {

// `file` gives and takes the compressed bytes; `path` is for messages.
std::unique_ptr<ByteSource> SnappySource(std::string path, std::unique_ptr<ByteSource> file);
std::unique_ptr<ByteSink> SnappySink(std::string path, std::unique_ptr<ByteSink> file);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_SNAPPY_STREAM_H_
