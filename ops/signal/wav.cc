// DecodeWav, EncodeWav: sound as files of 16-bit PCM samples.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr float kFullScale = 32768;
constexpr uint32_t kMostChunkBytes = 0x7fffffff;

// Takes fields from the front of a file, never past its end.
class WavReader {
 public:
  explicit WavReader(absl::string_view data) : rest_(data) {}
  bool at_end() const { return rest_.empty(); }
  size_t left() const { return rest_.size(); }

  StatusOr<absl::string_view> Text(size_t size) {
    if (size > rest_.size()) {
      return InvalidArgument("Data too short when trying to read string: ", size, " bytes of ",
                             rest_.size());
    }
    const absl::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  Status Expect(absl::string_view wanted) {
    WB_ASSIGN_OR_RETURN(const absl::string_view found, Text(wanted.size()));
    if (found == wanted) return OkStatus();
    return InvalidArgument("Header mismatch: Expected ", wanted, " but found ", found);
  }
  // A number of `size` bytes, the lowest first.
  StatusOr<uint32_t> Number(size_t size) {
    WB_ASSIGN_OR_RETURN(const absl::string_view bytes, Text(size));
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
    }
    return value;
  }
  void SkipAtMost(size_t size) { rest_.remove_prefix(std::min(size, rest_.size())); }

 private:
  absl::string_view rest_;
};

struct WavSound {
  uint32_t channels = 0, rate = 0, frames = 0;
  absl::string_view samples;  // frames * channels of two bytes
};

// Chunks that programs put before the format.
bool MayPrecedeFormat(absl::string_view id) {
  static constexpr absl::string_view kKnown[] = {"JUNK", "bext", "iXML", "qlty",
                                                 "mext", "levl", "link", "axml"};
  return std::find(std::begin(kKnown), std::end(kKnown), id) != std::end(kKnown);
}

Status ReadFormat(WavReader& in, WavSound* sound) {
  WB_ASSIGN_OR_RETURN(const uint32_t size, in.Number(4));
  if (size != 16 && size != 18) {
    return InvalidArgument("Bad format chunk size for WAV: Expected 16 or 18, but got ", size);
  }
  WB_ASSIGN_OR_RETURN(const uint32_t code, in.Number(2));
  if (code != 1) {
    return InvalidArgument("Bad audio format for WAV: Expected 1 (PCM), but got ", code);
  }
  WB_ASSIGN_OR_RETURN(sound->channels, in.Number(2));
  if (sound->channels < 1) {
    return InvalidArgument("Bad number of channels for WAV: Expected at least 1, but got 0");
  }
  WB_ASSIGN_OR_RETURN(sound->rate, in.Number(4));
  WB_ASSIGN_OR_RETURN(const uint32_t bytes_per_second, in.Number(4));
  WB_ASSIGN_OR_RETURN(const uint32_t bytes_per_frame, in.Number(2));
  WB_ASSIGN_OR_RETURN(const uint32_t bits, in.Number(2));
  if (bits != 16) return InvalidArgument("Can only read 16-bit WAV files, but received ", bits);
  if (bytes_per_frame != 2 * sound->channels) {
    return InvalidArgument("Bad bytes per sample in WAV header: Expected ", 2 * sound->channels,
                           " but got ", bytes_per_frame);
  }
  const uint64_t expected = uint64_t{bytes_per_frame} * sound->rate;
  if (bytes_per_second != expected) {
    return InvalidArgument("Bad bytes per second in WAV header: Expected ", expected, " but got ",
                           bytes_per_second);
  }
  if (size == 18) in.SkipAtMost(2);
  return OkStatus();
}

StatusOr<WavSound> ReadWav(absl::string_view data) {
  WavReader in(data);
  WavSound sound;
  WB_RETURN_IF_ERROR(in.Expect("RIFF"));
  WB_RETURN_IF_ERROR(in.Number(4).status());
  WB_RETURN_IF_ERROR(in.Expect("WAVE"));
  WB_ASSIGN_OR_RETURN(absl::string_view id, in.Text(4));
  while (id != "fmt ") {
    if (!MayPrecedeFormat(id)) return InvalidArgument("Unexpected field ", id);
    WB_ASSIGN_OR_RETURN(const uint32_t size, in.Number(4));
    WB_RETURN_IF_ERROR(in.Text(size).status());
    WB_ASSIGN_OR_RETURN(id, in.Text(4));
  }
  WB_RETURN_IF_ERROR(ReadFormat(in, &sound));
  bool found = false;
  while (!in.at_end()) {
    WB_ASSIGN_OR_RETURN(id, in.Text(4));
    WB_ASSIGN_OR_RETURN(const uint32_t size, in.Number(4));
    if (size > kMostChunkBytes) {
      return InvalidArgument("WAV data chunk '", id, "' is too large: ", size,
                             " bytes, but the limit is ", kMostChunkBytes);
    }
    if (id != "data") {
      in.SkipAtMost(size);
      continue;
    }
    if (found) return InvalidArgument("More than one data chunk found in WAV");
    found = true;
    sound.frames = size / (2 * sound.channels);
    WB_ASSIGN_OR_RETURN(sound.samples, in.Text(size_t{2} * sound.frames * sound.channels));
  }
  if (!found) return InvalidArgument("No data chunk found in WAV");
  return sound;
}

class DecodeWavKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    int64_t desired[2];
    static constexpr const char* kNames[] = {"desired_channels", "desired_samples"};
    for (int i = 0; i < 2; ++i) {
      WB_ASSIGN_OR_RETURN(desired[i], init.attr<int64_t>(kNames[i]));
      if (desired[i] < -1 || desired[i] > std::numeric_limits<int32_t>::max()) {
        return InvalidArgument(kNames[i], " must be >= -1, got ", desired[i]);
      }
    }
    return std::make_unique<DecodeWavKernel>(desired[0], desired[1]);
  }
  DecodeWavKernel(int64_t channels, int64_t frames) : channels_(channels), frames_(frames) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& contents = ctx.input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("contents must be scalar, got shape ", contents.shape().ToString());
    }
    const std::string& data = contents.scalar<std::string>();
    if (data.size() > kMostChunkBytes) {
      return InvalidArgument("WAV contents are too large for int: ", data.size());
    }
    WB_ASSIGN_OR_RETURN(const WavSound sound, ReadWav(data));
    const int64_t frames = frames_ < 0 ? sound.frames : frames_;
    const int64_t channels = channels_ < 0 ? sound.channels : channels_;
    WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({frames, channels}));
    WB_ASSIGN_OR_RETURN(Tensor * audio, ctx.Allocate(0, shape));
    ctx.set_output(1, Tensor::Scalar<int32_t>(static_cast<int32_t>(sound.rate)));
    float* out = audio->data<float>();
    for (int64_t i = 0; i < frames; ++i) {
      for (int64_t c = 0; c < channels; ++c, ++out) {
        // Silence follows the sound; the last channel stands for those that are missing.
        *out = i < sound.frames
                   ? Sample(sound, i * sound.channels + std::min<int64_t>(c, sound.channels - 1))
                   : 0.0f;
      }
    }
    return OkStatus();
  }

 private:
  static float Sample(const WavSound& sound, int64_t at) {
    const uint8_t low = static_cast<uint8_t>(sound.samples[static_cast<size_t>(2 * at)]);
    const uint8_t high = static_cast<uint8_t>(sound.samples[static_cast<size_t>(2 * at + 1)]);
    return static_cast<float>(static_cast<int16_t>(low | high << 8)) / kFullScale;
  }

  const int64_t channels_, frames_;
};

class EncodeWavKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<EncodeWavKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &audio = ctx.input(0), &rate = ctx.input(1);
    if (audio.rank() != 2) {
      return InvalidArgument("audio must be 2-dimensional", audio.shape().ToString());
    }
    if (rate.rank() != 0) {
      return InvalidArgument("Input sample_rate should be a scalar tensor, got ",
                             rate.shape().ToString(), " instead.");
    }
    const int32_t per_second = rate.scalar<int32_t>();
    if (per_second <= 0) {
      return InvalidArgument("sample_rate must be in (0, 2^32), got: ", per_second);
    }
    const int64_t channels = audio.dim(1);
    if (channels <= 0 || channels > 0xffff) {
      return InvalidArgument("num_channels must be in (0, 2^16), got: ", channels);
    }
    constexpr int64_t kHeader = 44;
    if (audio.num_elements() >= std::numeric_limits<int32_t>::max() ||
        kHeader + 2 * audio.num_elements() > 0xffffffff) {
      return InvalidArgument("Provided channels and frames cannot be encoded as a WAV: ",
                             audio.num_elements(), " samples");
    }
    const auto bytes = static_cast<uint32_t>(2 * audio.num_elements());
    const auto per_frame = static_cast<uint32_t>(2 * channels);
    std::string file;
    file.reserve(kHeader + bytes);
    file += "RIFF";
    Append(&file, 4, kHeader - 8 + bytes);
    file += "WAVEfmt ";
    Append(&file, 4, 16);
    Append(&file, 2, 1);  // PCM
    Append(&file, 2, static_cast<uint32_t>(channels));
    Append(&file, 4, static_cast<uint32_t>(per_second));
    Append(&file, 4, static_cast<uint32_t>(per_second) * per_frame);
    Append(&file, 2, per_frame);
    Append(&file, 2, 16);  // bits
    file += "data";
    Append(&file, 4, bytes);
    for (const float x : audio.flat<float>()) {
      const float scaled = std::max(std::round(x * kFullScale), -kFullScale);
      // What is no number becomes the loudest sample.
      const float sample = std::isnan(x) ? kFullScale - 1 : std::min(scaled, kFullScale - 1);
      Append(&file, 2, static_cast<uint32_t>(static_cast<int32_t>(sample)));
    }
    ctx.set_output(0, Tensor::Scalar<std::string>(std::move(file)));
    return OkStatus();
  }

 private:
  static void Append(std::string* file, int size, uint32_t value) {
    for (int i = 0; i < size; ++i) file->push_back(static_cast<char>(value >> (8 * i)));
  }
};

Status DecodeWavShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  WB_ASSIGN_OR_RETURN(const int64_t channels, c.attr<int64_t>("desired_channels"));
  WB_ASSIGN_OR_RETURN(const int64_t samples, c.attr<int64_t>("desired_samples"));
  if (channels < -1) return InvalidArgument("desired_channels must be >= -1, got ", channels);
  if (samples < -1) return InvalidArgument("desired_samples must be >= -1, got ", samples);
  c.set_output(0, PartialShape({samples, channels}));
  c.set_output(1, PartialShape(Shape()));
  return OkStatus();
}

Status EncodeWavShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, PartialShape(Shape()));
  return OkStatus();
}

WB_OP("DecodeWav")
    .Input("contents: string")
    .Output("audio: float")
    .Output("sample_rate: int32")
    .Attr("desired_channels: int = -1")
    .Attr("desired_samples: int = -1")
    .Shape(DecodeWavShape);
WB_KERNEL("DecodeWav", DecodeWavKernel).Cpu();

WB_OP("EncodeWav")
    .Input("audio: float")
    .Input("sample_rate: int32")
    .Output("contents: string")
    .Shape(EncodeWavShape);
WB_KERNEL("EncodeWav", EncodeWavKernel).Cpu();

}  // namespace
}  // namespace warpbeam
