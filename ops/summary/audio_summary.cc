// AudioSummary, AudioSummaryV2: sounds as WAV files of 16-bit samples.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/summary/summary_content.h"
#include "ops/summary/summary_input.h"
#include "proto/summary.pb.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <class T>
void AppendLittle(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

int16_t SampleOf(float value) {
  // NaN compares false and becomes silence.
  const float scaled = value * 32768.0f;
  if (!(scaled == scaled)) return 0;
  return static_cast<int16_t>(std::clamp(std::nearbyintf(scaled), -32768.0f, 32767.0f));
}

// `frames` times `channels` samples, channels side by side.
StatusOr<std::string> EncodeWav(const float* samples, uint32_t rate, int64_t channels,
                                int64_t frames) {
  constexpr uint64_t kHeaderBytes = 44;
  const uint64_t frame_bytes = static_cast<uint64_t>(channels) * 2;
  const uint64_t data_bytes = frame_bytes * static_cast<uint64_t>(frames);
  if (channels > std::numeric_limits<uint16_t>::max() / 2 ||
      data_bytes > std::numeric_limits<uint32_t>::max() - kHeaderBytes) {
    return InvalidArgument("a sound of ", channels, " channels and ", frames,
                           " frames does not fit into a WAV file");
  }
  std::string wav = "RIFF";
  wav.reserve(kHeaderBytes + data_bytes);
  AppendLittle<uint32_t>(static_cast<uint32_t>(data_bytes + kHeaderBytes - 8), &wav);
  wav += "WAVEfmt ";
  AppendLittle<uint32_t>(16, &wav);  // bytes of the format
  AppendLittle<uint16_t>(1, &wav);   // samples as they are
  AppendLittle<uint16_t>(static_cast<uint16_t>(channels), &wav);
  AppendLittle<uint32_t>(rate, &wav);
  AppendLittle<uint32_t>(rate * static_cast<uint32_t>(frame_bytes), &wav);
  AppendLittle<uint16_t>(static_cast<uint16_t>(frame_bytes), &wav);
  AppendLittle<uint16_t>(16, &wav);  // bits of a sample
  wav += "data";
  AppendLittle<uint32_t>(static_cast<uint32_t>(data_bytes), &wav);
  for (int64_t i = 0; i < channels * frames; ++i) {
    AppendLittle<uint16_t>(static_cast<uint16_t>(SampleOf(samples[i])), &wav);
  }
  return wav;
}

class AudioSummaryKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<AudioSummaryKernel>();
    WB_ASSIGN_OR_RETURN(kernel->max_outputs_, init.attr<int64_t>("max_outputs"));
    kernel->rate_is_input_ = init.input_types.size() == 3;
    if (!kernel->rate_is_input_) {
      WB_ASSIGN_OR_RETURN(kernel->rate_, init.attr<float>("sample_rate"));
    }
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const std::string tag, ScalarTag(ctx, 0));
    float rate = rate_;
    if (rate_is_input_) {
      if (ctx.input(2).num_elements() != 1) {
        return InvalidArgument("sample_rate must be a scalar, not of shape ",
                               ctx.input(2).shape().ToString());
      }
      rate = *ctx.input(2).data<float>();
    }
    WB_ASSIGN_OR_RETURN(std::string summary, AudioContent(tag, ctx.input(1), rate, max_outputs_));
    ctx.set_output(0, Tensor::Scalar<std::string>(std::move(summary)));
    return OkStatus();
  }

 private:
  int64_t max_outputs_ = 3;
  bool rate_is_input_ = false;
  float rate_ = 0;
};

WB_OP("AudioSummary")
    .Input("tag: string")
    .Input("tensor: float")
    .Output("summary: string")
    .Attr("sample_rate: float")
    .Attr("max_outputs: int >= 1 = 3")
    .Deprecated(15, "Use AudioSummaryV2.")
    .Shape(shapes::Scalar);
WB_KERNEL("AudioSummary", AudioSummaryKernel).Cpu();
WB_NO_GRADIENT("AudioSummary");

WB_OP("AudioSummaryV2")
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Output("summary: string")
    .Attr("max_outputs: int >= 1 = 3")
    .Shape(shapes::Scalar);
WB_KERNEL("AudioSummaryV2", AudioSummaryKernel).Cpu();
WB_NO_GRADIENT("AudioSummaryV2");

}  // namespace

StatusOr<std::string> AudioContent(const std::string& tag, const Tensor& sounds, float rate,
                                   int64_t max_outputs) {
  if (sounds.rank() != 2 && sounds.rank() != 3) {
    return InvalidArgument("Tensor must be 3-D or 2-D, got: ", sounds.shape().ToString());
  }
  if (!(rate > 0.0f)) return InvalidArgument("sample_rate must be > 0, not ", rate);
  const int64_t count = std::min(max_outputs, sounds.dim(0));
  const int64_t frames = sounds.dim(1);
  const int64_t channels = sounds.rank() == 3 ? sounds.dim(2) : 1;
  const auto whole_rate = static_cast<uint32_t>(std::min(std::nearbyintf(rate), 4294967040.0f));
  tensorflow::Summary summary;
  for (int64_t i = 0; i < count; ++i) {
    auto* value = summary.add_value();
    value->set_tag(TagOfPart(tag, "audio", i, max_outputs));
    auto* audio = value->mutable_audio();
    audio->set_sample_rate(rate);
    audio->set_num_channels(channels);
    audio->set_length_frames(frames);
    audio->set_content_type("audio/wav");
    WB_ASSIGN_OR_RETURN(
        *audio->mutable_encoded_audio_string(),
        EncodeWav(sounds.data<float>() + i * frames * channels, whole_rate, channels, frames));
  }
  return summary.SerializeAsString();
}

}  // namespace warpbeam
