// The loop that decoders share: steps until all sequences are at their end, whose results are
// written to arrays.
//
//   DecoderLoop loop;
//   loop.finished = first.finished;
//   loop.carried = {first.inputs};
//   loop.results = {{DType::kInt32, PartialShape({-1})}};                  // ids [batch]
//   loop.step = [&](const Scope& s, const DecoderMoment& now) -> DecoderStep { … };
//   DecoderRun run = RunDecoderLoop(scope, loop, options);   // run.results[0]: [steps, batch]
//
// Ownership: the step function is not kept. Thread safety: that of the Scope. Errors: kept in the
// scope; what a failed run gives is not valid.
#ifndef WARPBEAM_FRONTEND_CONTRIB_DECODER_LOOP_H_
#define WARPBEAM_FRONTEND_CONTRIB_DECODER_LOOP_H_

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/contrib/decoder.h"
#include "frontend/output.h"
#include "frontend/rnn/rnn_cell.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {

struct DecoderMoment {
  Output time;
  Output finished;     // which sequences were at their end before this step
  OutputList carried;  // as the step before has left it
};

struct DecoderStep {
  Output finished;
  OutputList carried;
  OutputList results;  // one for each array
};

struct DecoderLoop {
  Output finished;  // [batch], or [batch, beams]
  OutputList carried;
  // The arrays: the type and shape of what a step writes.
  std::vector<std::pair<DType, PartialShape>> results;
  std::function<DecoderStep(const Scope& scope, const DecoderMoment& now)> step;
};

struct DecoderRun {
  OutputList results;  // [steps, …]
  OutputList carried;
  Output finished;
  Output lengths;  // int32, of the shape of `finished`
};

DecoderRun RunDecoderLoop(const Scope& scope, const DecoderLoop& loop,
                          const DynamicDecodeOptions& options);

// A cell and the layer behind it, ready for the loop: all variables are made before it.
class DecoderCell {
 public:
  // For inputs [batch, depth]; `who` is named in errors.
  DecoderCell(const Scope& scope, const char* who, nn::RNNCellPtr cell, OutputLayer layer,
              const Output& inputs, size_t state_size);

  // What the cell, or the layer, gives: its type and width, -1 where that is not known.
  DType dtype() const { return dtype_; }
  int64_t width() const { return width_; }
  nn::CellResult Call(const Scope& scope, const Output& inputs, const nn::RNNState& state) const;

 private:
  void MakeLayer(const Scope& scope, const Output& inputs);

  const nn::RNNCellPtr cell_;
  const OutputLayer layer_;
  DType dtype_ = DType::kFloat;
  int64_t width_ = -1;
  // The variable scopes that were there before the layer's.
  std::set<std::string> opened_;
};

// [batch, steps, …] of [steps, batch, …], and the other way round.
Output SwapBatchAndSteps(const Scope& scope, const Output& x);

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_DECODER_LOOP_H_
