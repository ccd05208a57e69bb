// The compressions of record files: none, ZLIB (RFC 1950), GZIP (RFC 1952) and blocks of Snappy
// data (snappy_stream.h), as streams in both directions. Record reader and writer stand on them; so
// does whatever else reads whole compressed files.
//
// Ownership: a source owns the file it reads, a sink the one it writes. Thread safety: one thread
// at a time for each object. Errors: those of the file layer; data that does not decompress, or
// ends before its end mark, gives DATA_LOSS naming the file and the offset in the compressed file.
//
//   WB_ASSIGN_OR_RETURN(CompressionType type, ParseCompressionType("GZIP"));
//   WB_ASSIGN_OR_RETURN(auto source, OpenByteSource("a.gz", type, /*readahead_bytes=*/1 << 18));
//   WB_ASSIGN_OR_RETURN(size_t got, source->Read(buffer, sizeof buffer));  // 0 at the end

#ifndef WARPBEAM_RUNTIME_RECORD_COMPRESSION_H_
#define WARPBEAM_RUNTIME_RECORD_COMPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

enum class CompressionType { kNone, kZlib, kGzip, kSnappy };

// "", "ZLIB", "GZIP" and "SNAPPY", as the ops' attributes and inputs spell them; INVALID_ARGUMENT
// for the rest.
StatusOr<CompressionType> ParseCompressionType(absl::string_view name);

// "uncompressed", "ZLIB", "GZIP" or "SNAPPY", for messages.
absl::string_view CompressionName(CompressionType type);

// Settings of the deflate algorithm; the numbers are zlib's. The defaults write the same bytes as
// TensorFlow does with the same zlib.
struct DeflateOptions {
  int level = -1;        // 0 (store) to 9 (smallest), -1 for zlib's own choice
  int window_bits = 15;  // 9 to 15
  int memory_level = 9;  // 1 to 9
  int strategy = 0;      // Z_DEFAULT_STRATEGY
};

// Decompressed bytes, front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Up to `size` bytes, at least one unless the data ends here: then 0. `size` must not be 0.
  virtual StatusOr<size_t> Read(char* to, size_t size) = 0;

  // Goes on at this offset in the decompressed data. Going back in compressed data starts over and
  // decompresses up to there. Behind the end there is nothing to read, which is no error.
  virtual Status Seek(int64_t offset) = 0;

  // Decompressed bytes that are still to come, or -1 where nobody can know.
  virtual int64_t remaining() const = 0;

  // Bytes taken from the file so far, as they lie on the disk.
  virtual int64_t bytes_read() const = 0;
};

// `readahead_bytes` (at least 1) is how much compressed input is taken from the file at once; an
// uncompressed source has no buffer of its own and reads straight into the caller's.
StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(absl::string_view path, CompressionType type,
                                                     size_t readahead_bytes);

// Takes bytes and writes them, compressed, to a file.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  virtual Status Append(absl::string_view data) = 0;

  // Hands everything appended so far to the system; a reader of the file sees it from then on.
  virtual Status Flush() = 0;

  // Writes what is left and the end mark, then closes. The destructor does it too, silently.
  virtual Status Close() = 0;
};

// `buffer_bytes` (at least 1): how much is gathered before the file is written.
StatusOr<std::unique_ptr<ByteSink>> CreateByteSink(absl::string_view path, CompressionType type,
                                                   const DeflateOptions& deflate,
                                                   size_t buffer_bytes);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_COMPRESSION_H_
