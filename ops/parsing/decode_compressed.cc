// DecodeCompressed: strings that zlib or gzip compressed.
#include <zlib.h>

#include <string>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// A few bytes can stand for any number of them.
constexpr size_t kMaxInflatedBytes = size_t{4} << 30;

// zlib's window bits; 16 more ask for gzip's format.
constexpr int kZlibWindow = MAX_WBITS;
constexpr int kGzipWindow = MAX_WBITS + 16;

class Inflater {
 public:
  explicit Inflater(int window_bits) { ready_ = inflateInit2(&stream_, window_bits) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }

  // What can be read of `bytes`, which may be cut short; members one after another are joined.
  Status Inflate(const std::string& bytes, std::string* out) {
    if (!ready_) return ResourceExhausted("no memory for zlib");
    if (bytes.size() > UINT32_MAX) return InvalidArgument("the compressed string is too long");
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    char chunk[16384];
    while (true) {
      stream_.next_out = reinterpret_cast<Bytef*>(chunk);
      stream_.avail_out = sizeof(chunk);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      const size_t made = sizeof(chunk) - stream_.avail_out;
      out->append(chunk, made);
      if (out->size() > kMaxInflatedBytes) {
        return ResourceExhausted("the string inflates to more than ", kMaxInflatedBytes, " bytes");
      }
      if (code == Z_STREAM_END && stream_.avail_in > 0) {
        if (inflateReset(&stream_) != Z_OK) return Internal("zlib cannot be reset");
      } else if (code == Z_STREAM_END || code == Z_BUF_ERROR) {
        return OkStatus();
      } else if (code != Z_OK) {
        return DataLoss("the compressed string is corrupt: ",
                        stream_.msg == nullptr ? "unknown error" : stream_.msg);
      }
    }
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

class DecodeCompressedKernel final : public Kernel {
 public:
  explicit DecodeCompressedKernel(int window_bits) : window_bits_(window_bits) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string type, init.attr<std::string>("compression_type"));
    if (type != "" && type != "ZLIB" && type != "GZIP") {
      return InvalidArgument("'compression_type' must be '', 'ZLIB' or 'GZIP', not '", type, "'");
    }
    const int window_bits = type == "ZLIB" ? kZlibWindow : type == "GZIP" ? kGzipWindow : 0;
    return std::make_unique<DecodeCompressedKernel>(window_bits);
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    if (window_bits_ == 0) {
      ctx.set_output(0, x);
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      Inflater inflater(window_bits_);
      WB_RETURN_IF_ERROR(inflater.Inflate(x.data<std::string>()[i], &y->data<std::string>()[i]));
    }
    return OkStatus();
  }

 private:
  const int window_bits_;  // 0: not compressed
};

WB_OP("DecodeCompressed")
    .Input("bytes: string")
    .Output("output: string")
    .Attr("compression_type: string = ''")
    .Shape(shapes::Unchanged);
WB_KERNEL("DecodeCompressed", DecodeCompressedKernel).Cpu();

}  // namespace
}  // namespace warpbeam
