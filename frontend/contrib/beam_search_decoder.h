// BeamSearchDecoder (tf.contrib.seq2seq.BeamSearchDecoder, tile_batch, gather_tree): the likeliest
// sequences, of which the best few are kept in every step.
//
//   Output memory = TileBatch(scope, encoder_outputs, 4);       // as many times as there are beams
//   std::shared_ptr<AttentionWrapper> cell = …;                 // over that memory
//   nn::RNNState start = cell->InitialState(scope, batch_times_4, TileBatch(scope, state, 4));
//   BeamSearchDecoder decoder(cell, embedding, start_tokens, /*end_token=*/2, start, 4, words);
//   BeamDecoded out = DynamicDecode(scope, decoder, DynamicDecodeOptions().maximum_iterations(50));
//   // out.outputs.predicted_ids [batch, steps, 4], the best beam first, end tokens beyond its end
//
// The score of a sequence is the sum of its log probabilities over its length penalty
// ((5 + length) / 6) ^ weight, and for sequences at their end the coverage penalty
// weight * sum(log(min(attention, 1))) over the memory's steps, for which the cell needs an
// AttentionWrapper with `alignment_history` (Y. Wu et al., arXiv:1609.08144). Beams of a batch lie
// beside each other: [batch * beams, …] is what the cell sees.
//
// Ownership: cells are shared. Thread safety: that of the Scope. Errors: kept in the scope; what is
// decoded is then not valid.
#ifndef WARPBEAM_FRONTEND_CONTRIB_BEAM_SEARCH_DECODER_H_
#define WARPBEAM_FRONTEND_CONTRIB_BEAM_SEARCH_DECODER_H_

#include <cstdint>

#include "frontend/contrib/decoder.h"
#include "frontend/input.h"
#include "frontend/rnn/rnn_cell.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace seq2seq {

struct BeamSearchOptions {
  BeamSearchOptions& length_penalty_weight(double value) { return of_length = value, *this; }
  BeamSearchOptions& coverage_penalty_weight(double value) { return of_coverage = value, *this; }
  // Off: the history of alignments stays in the order of the beams' places in each step.
  BeamSearchOptions& reorder_tensor_arrays(bool value) { return reorders = value, *this; }

  double of_length = 0;
  double of_coverage = 0;
  bool reorders = true;
};

struct BeamSearchDecoder {
  // `embedding` has a row for each token; start_tokens are [batch]. The initial state is that of
  // batch * beam_width sequences, such as TileBatch gives; only the first beam of each begins.
  BeamSearchDecoder(nn::RNNCellPtr decoder_cell, const Input& token_embedding,
                    const Output& first_tokens, int32_t last_token, nn::RNNState start,
                    int64_t width, OutputLayer layer = nullptr,
                    const BeamSearchOptions& search = BeamSearchOptions());

  nn::RNNCellPtr cell;
  Input embedding;
  Output start_tokens;
  int32_t end_token;
  nn::RNNState initial_state;
  int64_t beam_width;
  OutputLayer output_layer;
  BeamSearchOptions options;
};

struct BeamSearchDecoderState {
  nn::RNNState cell_state;             // [batch, beams, size] each
  Output log_probs;                    // [batch, beams]
  Output finished;                     // [batch, beams]
  Output lengths;                      // [batch, beams], int64, with the end token
  Output accumulated_attention_probs;  // [batch, beams, steps of the memory]; not valid without
};

// What each step chose: [batch, steps, beams], or with output_time_major [steps, batch, beams].
struct BeamSearchDecoderOutput {
  Output scores;
  Output predicted_ids;
  Output parent_ids;  // in which place the beam was in the step before
};

struct FinalBeamSearchDecoderOutput {
  Output predicted_ids;  // whole sequences, of the same shape
  BeamSearchDecoderOutput beam_search_decoder_output;
};

struct BeamDecoded {
  FinalBeamSearchDecoderOutput outputs;
  BeamSearchDecoderState state;
  // [batch, beams]: how many steps ran in each place; a sequence's own length is in the state.
  Output lengths;
  // [steps, batch, beams, steps of the memory], in the order of the sequences in predicted_ids.
  OutputList alignment_history;
};

// `impute_finished` is an error: a beam at its end keeps its place by what it writes.
BeamDecoded DynamicDecode(ScopeRef scope, const BeamSearchDecoder& decoder,
                          const DynamicDecodeOptions& options = DynamicDecodeOptions());

// Each row so many times, one beside the other: [batch * multiplier, …].
Output TileBatch(ScopeRef scope, const Output& x, int64_t multiplier);
nn::RNNState TileBatch(ScopeRef scope, const nn::RNNState& state, int64_t multiplier);

// Whole sequences from what each step chose: step_ids and parent_ids are [steps, batch, beams],
// int32, max_sequence_lengths [batch]. Beyond its length and its first end token a sequence is end
// tokens.
Output GatherTree(ScopeRef scope, const Output& step_ids, const Output& parent_ids,
                  const Input& max_sequence_lengths, int32_t end_token);
// The same of any tensors [steps, batch, beams, …]; sequence_length is [batch, beams]. Beyond the
// length of a sequence everything is as it was in its place.
Output GatherTreeFromArray(ScopeRef scope, const Output& x, const Output& parent_ids,
                           const Output& sequence_length);

}  // namespace seq2seq
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTRIB_BEAM_SEARCH_DECODER_H_
