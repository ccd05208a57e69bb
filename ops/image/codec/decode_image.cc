// DecodePng, DecodeJpeg, DecodeAndCropJpeg, DecodeGif, DecodeBmp, DecodeImage: pixels of an image
// file. Every one of them looks at the bytes, not at its own name, to know the format; they differ
// in the result's shape and in what they refuse.
#include <limits>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/image/codec/image_decoder.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

enum class DecodeOp { kPng, kJpeg, kCropJpeg, kGif, kBmp, kImage };

Status CheckJpegOptions(const JpegOptions& options, absl::string_view dct_method) {
  const int r = options.ratio;
  if (r != 1 && r != 2 && r != 4 && r != 8) {
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got ", r);
  }
  if (!dct_method.empty() && dct_method != "INTEGER_FAST" && dct_method != "INTEGER_ACCURATE") {
    return InvalidArgument("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, ",
                           "got '", dct_method, "'");
  }
  return OkStatus();
}

template <DecodeOp kOp>
class DecodeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<DecodeKernel>();
    const int64_t channels = init.attrs.GetOr<int64_t>("channels", kOp == DecodeOp::kGif ? 3 : 0);
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
      return InvalidArgument("channels must be 0, 1, 3, or 4, got ", channels);
    }
    kernel->channels_ = static_cast<int>(channels);
    kernel->expand_animations_ = init.attrs.GetOr<bool>("expand_animations", true);
    JpegOptions& jpeg = kernel->jpeg_;
    jpeg.channels = kernel->channels_;
    jpeg.crop = kOp == DecodeOp::kCropJpeg;
    if (kOp == DecodeOp::kJpeg || kOp == DecodeOp::kCropJpeg) {
      WB_ASSIGN_OR_RETURN(const int64_t ratio, init.attr<int64_t>("ratio"));
      jpeg.ratio = static_cast<int>(ratio);
      WB_ASSIGN_OR_RETURN(jpeg.fancy_upscaling, init.attr<bool>("fancy_upscaling"));
      WB_ASSIGN_OR_RETURN(jpeg.try_recover_truncated, init.attr<bool>("try_recover_truncated"));
      WB_ASSIGN_OR_RETURN(jpeg.acceptable_fraction, init.attr<float>("acceptable_fraction"));
      WB_ASSIGN_OR_RETURN(const std::string dct_method, init.attr<std::string>("dct_method"));
      jpeg.fast_dct = dct_method != "INTEGER_ACCURATE";
      WB_RETURN_IF_ERROR(CheckJpegOptions(jpeg, dct_method));
    }
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor& contents = ctx.input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("`contents` must be scalar but got shape ",
                             contents.shape().ToString());
    }
    const absl::string_view file = contents.scalar<std::string>();
    if (file.empty()) return InvalidArgument("Input is empty.");
    if (file.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      return InvalidArgument("Input contents are too large: ", file.size(), " bytes");
    }
    const ImageFormat format = ClassifyImage(file);
    WB_RETURN_IF_ERROR(CheckFormat(format));
    const DType dtype = ctx.output_type(0);
    const int bits = format == ImageFormat::kPng && dtype != DType::kUInt8 ? 16 : 8;
    // Where the decoder cannot write the output's type, it writes here first.
    const bool is_direct = static_cast<size_t>(bits) == 8 * DTypeSize(dtype);
    Tensor decoded;
    const auto allocate = [&](const ImageSize& size) -> StatusOr<void*> {
      WB_ASSIGN_OR_RETURN(const Shape shape, OutputShape(format, size));
      WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
      if (is_direct) return out->raw_data();
      WB_ASSIGN_OR_RETURN(decoded,
                          ctx.AllocateTemp(bits == 16 ? DType::kUInt16 : DType::kUInt8, shape));
      return decoded.raw_data();
    };
    WB_RETURN_IF_ERROR(Decode(ctx, format, file, bits, allocate));
    if (!is_direct) Convert(decoded, &ctx.output(0));
    return OkStatus();
  }

 private:
  Status CheckFormat(ImageFormat format) const {
    if (format == ImageFormat::kUnknown) {
      return InvalidArgument("Unknown image file format. One of JPEG, PNG, GIF, BMP required.");
    }
    const bool reads_bmp = kOp == DecodeOp::kBmp || kOp == DecodeOp::kImage;
    if (format == ImageFormat::kBmp && !reads_bmp) {
      return InvalidArgument("A BMP image is decoded by DecodeBmp or DecodeImage only");
    }
    if (format != ImageFormat::kBmp && kOp == DecodeOp::kBmp) {
      return InvalidArgument("DecodeBmp decodes BMP images only; DecodeImage decodes this one");
    }
    if (format != ImageFormat::kJpeg && kOp == DecodeOp::kCropJpeg) {
      return InvalidArgument(
          "DecodeAndCropJpeg decodes JPEG images only; DecodeImage decodes this one");
    }
    const bool fits = format == ImageFormat::kJpeg  ? channels_ != 4
                      : format == ImageFormat::kGif ? channels_ == 0 || channels_ == 3
                      : format == ImageFormat::kBmp ? channels_ != 1
                                                    : true;
    if (fits) return OkStatus();
    return InvalidArgument("images of this format cannot be decoded to ", channels_, " channels");
  }

  StatusOr<Shape> OutputShape(ImageFormat format, const ImageSize& size) const {
    const bool has_frames =
        kOp == DecodeOp::kGif ||
        (kOp == DecodeOp::kImage && expand_animations_ && format == ImageFormat::kGif);
    if (has_frames) return Shape::Make({size.frames, size.height, size.width, size.channels});
    if (size.frames != 1) {
      return InvalidArgument("Got ", size.frames, " frames, but animated gifs can only be decoded ",
                             "by DecodeGif or DecodeImage");
    }
    return Shape::Make({size.height, size.width, size.channels});
  }

  Status Decode(KernelContext& ctx, ImageFormat format, absl::string_view file, int bits,
                AllocatePixels allocate) const {
    switch (format) {
      case ImageFormat::kPng:
        return DecodePng(file, channels_, bits, allocate);
      case ImageFormat::kGif:
        return DecodeGif(file, kOp == DecodeOp::kImage && !expand_animations_, allocate);
      case ImageFormat::kBmp:
        return DecodeBmp(file, channels_, allocate);
      default:
        break;
    }
    JpegOptions options = jpeg_;
    if (kOp == DecodeOp::kCropJpeg) {
      const Tensor& window = ctx.input(1);
      if (window.rank() != 1 || window.dim(0) != 4) {
        return InvalidArgument("crop_window must be 1-D of 4 elements, got shape ",
                               window.shape().ToString());
      }
      const int32_t* w = window.data<int32_t>();
      options.crop_y = w[0];
      options.crop_x = w[1];
      options.crop_height = w[2];
      options.crop_width = w[3];
    }
    return DecodeJpeg(file, options, allocate);
  }

  // 8 bits become the upper ones of 16; floats are of [0, 1].
  static void Convert(const Tensor& from, Tensor* to) {
    const int64_t n = from.num_elements();
    if (to->dtype() == DType::kUInt16) {
      const uint8_t* in = from.data<uint8_t>();
      uint16_t* out = to->data<uint16_t>();
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<uint16_t>(in[i] << 8);
    } else if (from.dtype() == DType::kUInt16) {
      ToUnit(from.data<uint16_t>(), n, to->data<float>());
    } else {
      ToUnit(from.data<uint8_t>(), n, to->data<float>());
    }
  }
  template <class T>
  static void ToUnit(const T* in, int64_t n, float* out) {
    constexpr float kScale = static_cast<float>(1. / std::numeric_limits<T>::max());
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(in[i]) * kScale;
  }

  int channels_ = 0;
  bool expand_animations_ = true;
  JpegOptions jpeg_;
};

Status DecodedShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  WB_ASSIGN_OR_RETURN(const int64_t channels, c.attr<int64_t>("channels"));
  if (channels < 0) return InvalidArgument("channels must be non-negative, got ", channels);
  c.set_output(0, PartialShape({-1, -1, channels == 0 ? -1 : channels}));
  return OkStatus();
}
Status DecodedAndCroppedShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(DecodedShape(c));
  WB_ASSIGN_OR_RETURN(const PartialShape window, c.WithRank(1, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(window, PartialShape({4})).status());
  PartialShape out = c.output(0);
  if (const std::optional<Tensor> w = c.ConstantInput(1); w && w->num_elements() == 4) {
    for (int i = 0; i < 2; ++i) {
      const int32_t extent = w->data<int32_t>()[i + 2];
      if (extent >= 0) out.set_dim(i, extent);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}
Status DecodedGifShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  c.set_output(0, PartialShape({-1, -1, -1, 3}));
  return OkStatus();
}
// Three dimensions or, for a GIF, four.
Status DecodedImageShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(DecodedShape(c));
  WB_ASSIGN_OR_RETURN(const bool expand_animations, c.attr<bool>("expand_animations"));
  if (expand_animations) c.set_output(0, PartialShape::Unknown());
  return OkStatus();
}

WB_OP("DecodePng")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16} = DT_UINT8")
    .Shape(DecodedShape);
WB_KERNEL("DecodePng", DecodeKernel<DecodeOp::kPng>).Cpu();

WB_OP("DecodeJpeg")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Attr("ratio: int = 1")
    .Attr("fancy_upscaling: bool = true")
    .Attr("try_recover_truncated: bool = false")
    .Attr("acceptable_fraction: float = 1.0")
    .Attr("dct_method: string = ''")
    .Shape(DecodedShape);
WB_KERNEL("DecodeJpeg", DecodeKernel<DecodeOp::kJpeg>).Cpu();

WB_OP("DecodeAndCropJpeg")
    .Input("contents: string")
    .Input("crop_window: int32")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Attr("ratio: int = 1")
    .Attr("fancy_upscaling: bool = true")
    .Attr("try_recover_truncated: bool = false")
    .Attr("acceptable_fraction: float = 1.0")
    .Attr("dct_method: string = ''")
    .Shape(DecodedAndCroppedShape);
WB_KERNEL("DecodeAndCropJpeg", DecodeKernel<DecodeOp::kCropJpeg>).Cpu();

WB_OP("DecodeGif").Input("contents: string").Output("image: uint8").Shape(DecodedGifShape);
WB_KERNEL("DecodeGif", DecodeKernel<DecodeOp::kGif>).Cpu();

WB_OP("DecodeBmp")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Shape(DecodedShape);
WB_KERNEL("DecodeBmp", DecodeKernel<DecodeOp::kBmp>).Cpu();

WB_OP("DecodeImage")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16, float} = DT_UINT8")
    .Attr("expand_animations: bool = true")
    .Shape(DecodedImageShape);
WB_KERNEL("DecodeImage", DecodeKernel<DecodeOp::kImage>).Cpu();

}  // namespace
}  // namespace warpbeam
