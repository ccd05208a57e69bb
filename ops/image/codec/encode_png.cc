// EncodePng: images of 8 or 16 bits a channel, each as the bytes of a PNG file.
#include <png.h>

#include <csetjmp>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

struct Output {
  std::string bytes;
  std::string error;
};

// libpng wants an error to leave its functions; nothing between here and setjmp has a destructor.
[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  static_cast<Output*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}
void OnWarning(png_structp, png_const_charp) {}
void OnWrite(png_structp png, png_bytep data, size_t size) {
  static_cast<Output*>(png_get_io_ptr(png))->bytes.append(reinterpret_cast<char*>(data), size);
}
void OnFlush(png_structp) {}

struct PngImage {
  const uint8_t* pixels;
  uint32_t width, height;
  int channels, bits, compression;
};

bool WriteImage(png_structp png, png_infop info, const PngImage& image) {
  static constexpr int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                        PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_compression_level(png, image.compression);
  png_set_IHDR(png, info, image.width, image.height, image.bits, kColorTypes[image.channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (image.bits == 16) png_set_swap(png);
  const size_t row = size_t{image.width} * static_cast<size_t>(image.channels * image.bits / 8);
  for (uint32_t y = 0; y < image.height; ++y) png_write_row(png, image.pixels + y * row);
  png_write_end(png, nullptr);
  return true;
}

StatusOr<std::string> WritePng(const PngImage& image) {
  Output output;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &output, OnError, OnWarning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    return ResourceExhausted("no memory to encode a PNG image");
  }
  png_set_write_fn(png, &output, OnWrite, OnFlush);
  // libpng's own limit is a million pixels a side.
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  const bool ok = WriteImage(png, info, image);
  png_destroy_write_struct(&png, &info);
  if (!ok) return Internal("cannot encode a PNG image: ", output.error);
  return std::move(output.bytes);
}

class EncodePngKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t compression, init.attr<int64_t>("compression"));
    if (compression < -1 || compression > 9) {
      return InvalidArgument("compression should be in [-1,9], got ", compression);
    }
    return std::make_unique<EncodePngKernel>(static_cast<int>(compression));
  }
  explicit EncodePngKernel(int compression) : compression_(compression) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& images = ctx.input(0);
    const int rank = images.rank();
    if (rank < 3) {
      return InvalidArgument("images must be at least rank 3, got shape ",
                             images.shape().ToString());
    }
    const int64_t height = images.dim(rank - 3), width = images.dim(rank - 2);
    const int64_t channels = images.dim(rank - 1);
    constexpr int64_t kMost = 0x7fffffff;
    if (images.num_elements() > kMost || height > kMost || width > kMost) {
      return InvalidArgument("image too large to be encoded: ", images.shape().ToString());
    }
    if (channels < 1 || channels > 4) {
      return InvalidArgument("image must have 1, 2, 3, or 4 channels, got ", channels);
    }
    WB_ASSIGN_OR_RETURN(const Shape batch, Shape::Make(images.shape().dims().first(rank - 3)));
    if (batch.num_elements() > 0 && (width < 1 || height < 1)) {
      return Internal("an image without pixels cannot be encoded, got shape ",
                      images.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, batch));
    const int64_t bytes =
        height * width * channels * static_cast<int64_t>(DTypeSize(images.dtype()));
    for (int64_t i = 0; i < batch.num_elements(); ++i) {
      const PngImage image{static_cast<const uint8_t*>(images.raw_data()) + i * bytes,
                           static_cast<uint32_t>(width),
                           static_cast<uint32_t>(height),
                           static_cast<int>(channels),
                           images.dtype() == DType::kUInt16 ? 16 : 8,
                           compression_};
      WB_ASSIGN_OR_RETURN(out->flat<std::string>()[static_cast<size_t>(i)], WritePng(image));
    }
    return OkStatus();
  }

 private:
  const int compression_;
};

Status EncodePngShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape images, c.WithRankAtLeast(0, 3));
  if (!images.has_rank()) return OkStatus();
  std::vector<int64_t> batch(images.dims().begin(), images.dims().end() - 3);
  c.set_output(0, PartialShape(std::move(batch)));
  return OkStatus();
}

WB_OP("EncodePng")
    .Input("image: T")
    .Output("contents: string")
    .Attr("compression: int = -1")
    .Attr("T: {uint8, uint16} = DT_UINT8")
    .Shape(EncodePngShape);
WB_KERNEL("EncodePng", EncodePngKernel).Cpu();

}  // namespace
}  // namespace warpbeam
