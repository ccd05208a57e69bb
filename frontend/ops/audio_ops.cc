// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/audio_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output AudioSpectrogram(ScopeRef scope, const Input& input, int64_t window_size, int64_t stride,
    const AudioSpectrogramAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "AudioSpectrogram", {input},
      OpAttrs(attrs)
          .Set("window_size", window_size)
          .Set("stride", stride));
}

DecodeWavOutputs DecodeWav(ScopeRef scope, const Input& contents, const DecodeWavAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "DecodeWav", {contents},
      attrs);
  DecodeWavOutputs outputs;
  outputs.audio = OutputOf(here, built, "audio");
  outputs.sample_rate = OutputOf(here, built, "sample_rate");
  outputs.op = built;
  return outputs;
}

Output EncodeWav(ScopeRef scope, const Input& audio, const Input& sample_rate) {
  return BuildOutput(
      scope.scope(), "EncodeWav", {audio, sample_rate},
      OpAttrs());
}

Output Mfcc(ScopeRef scope, const Input& spectrogram, const Input& sample_rate,
    const MfccAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Mfcc", {spectrogram, sample_rate},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
