// EncodeJpeg, EncodeJpegVariableQuality: an image of 8 bits a channel as the bytes of a JPEG file.
#include <cstddef>
#include <cstdio>
// jpeglib.h wants the two above.
#include <jpeglib.h>

#include <csetjmp>
#include <cstdlib>
#include <limits>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

struct JpegSettings {
  int quality = 95;
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool per_centimetre = false;
  int x_density = 300, y_density = 300;
  std::string metadata;  // the whole of an APP1 marker, or nothing
};

struct JpegImage {
  const uint8_t* pixels;
  int64_t height, width;
  int channels;
};

struct ErrorManager {
  jpeg_error_mgr base;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

// libjpeg wants an error to leave its functions; nothing between here and setjmp has a destructor.
[[noreturn]] void OnError(j_common_ptr jpeg) {
  ErrorManager* errors = reinterpret_cast<ErrorManager*>(jpeg->err);
  errors->base.format_message(jpeg, errors->message);
  longjmp(errors->jump, 1);
}
void OnMessage(j_common_ptr) {}

// The encoder and the memory that libjpeg writes to and makes greater as it needs.
class JpegWriter {
 public:
  JpegWriter() = default;
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    if (is_made_) jpeg_destroy_compress(&jpeg_);
    free(bytes_);
  }

  bool Write(const JpegImage& image, const JpegSettings& settings) {
    jpeg_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = OnError;
    errors_.base.output_message = OnMessage;
    if (setjmp(errors_.jump)) return false;
    jpeg_create_compress(&jpeg_);
    is_made_ = true;
    jpeg_mem_dest(&jpeg_, &bytes_, &size_);
    Set(image, settings);
    jpeg_start_compress(&jpeg_, TRUE);
    if (!settings.metadata.empty()) {
      jpeg_write_marker(&jpeg_, JPEG_APP0 + 1,
                        reinterpret_cast<const JOCTET*>(settings.metadata.data()),
                        static_cast<unsigned>(settings.metadata.size()));
    }
    const int64_t stride = image.width * image.channels;
    while (jpeg_.next_scanline < jpeg_.image_height) {
      JSAMPROW row = const_cast<JSAMPROW>(image.pixels + jpeg_.next_scanline * stride);
      jpeg_write_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_compress(&jpeg_);
    return true;
  }
  std::string bytes() const { return {reinterpret_cast<const char*>(bytes_), size_}; }
  const char* error() const { return errors_.message; }

 private:
  void Set(const JpegImage& image, const JpegSettings& settings) {
    jpeg_.image_width = static_cast<JDIMENSION>(image.width);
    jpeg_.image_height = static_cast<JDIMENSION>(image.height);
    jpeg_.input_components = image.channels;
    jpeg_.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg_);
    if (settings.optimize_size) jpeg_.optimize_coding = TRUE;
    jpeg_.density_unit = settings.per_centimetre ? 2 : 1;
    jpeg_.X_density = static_cast<UINT16>(settings.x_density);
    jpeg_.Y_density = static_cast<UINT16>(settings.y_density);
    jpeg_set_quality(&jpeg_, settings.quality, TRUE);
    if (settings.progressive) jpeg_simple_progression(&jpeg_);
    if (settings.chroma_downsampling) return;
    for (int i = 0; i < jpeg_.num_components; ++i) {
      jpeg_.comp_info[i].h_samp_factor = 1;
      jpeg_.comp_info[i].v_samp_factor = 1;
    }
  }

  jpeg_compress_struct jpeg_ = {};
  ErrorManager errors_ = {};
  bool is_made_ = false;
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;  // NOLINT: libjpeg's type
};

Status CheckQuality(int64_t quality) {
  if (quality >= 0 && quality <= 100) return OkStatus();
  return InvalidArgument("quality must be in [0,100], got ", quality);
}

Status EncodeTo(KernelContext& ctx, absl::string_view format, const JpegSettings& settings) {
  const Tensor& image = ctx.input(0);
  if (image.rank() != 3) {
    return InvalidArgument("image must be 3-dimensional, got shape ", image.shape().ToString());
  }
  const int64_t channels = image.dim(2);
  if (channels != 1 && channels != 3) {
    return InvalidArgument("image must have 1 or 3 channels, got shape ", image.shape().ToString());
  }
  if ((format == "grayscale" && channels != 1) || (format == "rgb" && channels != 3)) {
    return InvalidArgument("format '", format, "' expects ", format == "rgb" ? 3 : 1,
                           " channels, but the image has shape ", image.shape().ToString());
  }
  if (image.num_elements() > std::numeric_limits<int32_t>::max() ||
      image.dim(0) > JPEG_MAX_DIMENSION || image.dim(1) > JPEG_MAX_DIMENSION) {
    return InvalidArgument("a JPEG image has at most ", JPEG_MAX_DIMENSION,
                           " lines and columns, got shape ", image.shape().ToString());
  }
  if (image.num_elements() == 0) {
    return Internal("an image without pixels cannot be encoded, got shape ",
                    image.shape().ToString());
  }
  JpegWriter writer;
  if (!writer.Write({image.data<uint8_t>(), image.dim(0), image.dim(1), static_cast<int>(channels)},
                    settings)) {
    return Internal("JPEG encoding failed: ", writer.error());
  }
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
  *out->data<std::string>() = writer.bytes();
  return OkStatus();
}

class EncodeJpegKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<EncodeJpegKernel>();
    JpegSettings& s = kernel->settings_;
    WB_ASSIGN_OR_RETURN(kernel->format_, init.attr<std::string>("format"));
    WB_ASSIGN_OR_RETURN(const int64_t quality, init.attr<int64_t>("quality"));
    WB_RETURN_IF_ERROR(CheckQuality(quality));
    s.quality = static_cast<int>(quality);
    WB_ASSIGN_OR_RETURN(s.progressive, init.attr<bool>("progressive"));
    WB_ASSIGN_OR_RETURN(s.optimize_size, init.attr<bool>("optimize_size"));
    WB_ASSIGN_OR_RETURN(s.chroma_downsampling, init.attr<bool>("chroma_downsampling"));
    WB_ASSIGN_OR_RETURN(const std::string unit, init.attr<std::string>("density_unit"));
    s.per_centimetre = unit == "cm";
    WB_ASSIGN_OR_RETURN(const int64_t x, init.attr<int64_t>("x_density"));
    WB_ASSIGN_OR_RETURN(const int64_t y, init.attr<int64_t>("y_density"));
    s.x_density = static_cast<int>(x);
    s.y_density = static_cast<int>(y);
    WB_ASSIGN_OR_RETURN(const std::string xmp, init.attr<std::string>("xmp_metadata"));
    if (!xmp.empty()) {
      // The name space that marks the packet, with its terminating zero.
      s.metadata = std::string("http://ns.adobe.com/xap/1.0/") + '\0' + xmp;
    }
    return kernel;
  }
  Status Compute(KernelContext& ctx) override { return EncodeTo(ctx, format_, settings_); }

 private:
  std::string format_;
  JpegSettings settings_;
};

class EncodeJpegVariableQualityKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<EncodeJpegVariableQualityKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& quality = ctx.input(1);
    if (quality.rank() != 0) {
      return InvalidArgument("quality must be scalar: ", quality.shape().ToString());
    }
    JpegSettings settings;
    settings.quality = quality.scalar<int32_t>();
    WB_RETURN_IF_ERROR(CheckQuality(settings.quality));
    return EncodeTo(ctx, "", settings);
  }
};

Status EncodeJpegShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 3).status());
  if (c.num_inputs() > 1) WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return shapes::Scalar(c);
}

WB_OP("EncodeJpeg")
    .Input("image: uint8")
    .Output("contents: string")
    .Attr("format: {'', 'grayscale', 'rgb'} = ''")
    .Attr("quality: int = 95")
    .Attr("progressive: bool = false")
    .Attr("optimize_size: bool = false")
    .Attr("chroma_downsampling: bool = true")
    .Attr("density_unit: {'in', 'cm'} = 'in'")
    .Attr("x_density: int = 300")
    .Attr("y_density: int = 300")
    .Attr("xmp_metadata: string = ''")
    .Shape(EncodeJpegShape);
WB_KERNEL("EncodeJpeg", EncodeJpegKernel).Cpu();

WB_OP("EncodeJpegVariableQuality")
    .Input("images: uint8")
    .Input("quality: int32")
    .Output("contents: string")
    .Shape(EncodeJpegShape);
WB_KERNEL("EncodeJpegVariableQuality", EncodeJpegVariableQualityKernel).Cpu();

}  // namespace
}  // namespace warpbeam
