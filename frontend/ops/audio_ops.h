// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_AUDIO_OPS_H_
#define WARPBEAM_FRONTEND_OPS_AUDIO_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class AudioSpectrogramAttrs : public OpAttrs {
 public:
  AudioSpectrogramAttrs& magnitude_squared(bool value) {
    Set("magnitude_squared", value);
    return *this;
  }
};
// (input: float) -> (spectrogram: float)
Output AudioSpectrogram(ScopeRef scope, const Input& input, int64_t window_size, int64_t stride,
    const AudioSpectrogramAttrs& attrs = AudioSpectrogramAttrs());

class DecodeWavAttrs : public OpAttrs {
 public:
  DecodeWavAttrs& desired_channels(int64_t value) {
    Set("desired_channels", value);
    return *this;
  }
  DecodeWavAttrs& desired_samples(int64_t value) {
    Set("desired_samples", value);
    return *this;
  }
};
struct DecodeWavOutputs {
  Output audio;
  Output sample_rate;
  Operation op;
};
// (contents: string) -> (audio: float, sample_rate: int32)
DecodeWavOutputs DecodeWav(ScopeRef scope, const Input& contents,
    const DecodeWavAttrs& attrs = DecodeWavAttrs());

// (audio: float, sample_rate: int32) -> (contents: string)
Output EncodeWav(ScopeRef scope, const Input& audio, const Input& sample_rate);

class MfccAttrs : public OpAttrs {
 public:
  MfccAttrs& upper_frequency_limit(float value) {
    Set("upper_frequency_limit", value);
    return *this;
  }
  MfccAttrs& lower_frequency_limit(float value) {
    Set("lower_frequency_limit", value);
    return *this;
  }
  MfccAttrs& filterbank_channel_count(int64_t value) {
    Set("filterbank_channel_count", value);
    return *this;
  }
  MfccAttrs& dct_coefficient_count(int64_t value) {
    Set("dct_coefficient_count", value);
    return *this;
  }
};
// (spectrogram: float, sample_rate: int32) -> (output: float)
Output Mfcc(ScopeRef scope, const Input& spectrogram, const Input& sample_rate,
    const MfccAttrs& attrs = MfccAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_AUDIO_OPS_H_
