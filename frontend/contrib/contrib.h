// What programs used of TensorFlow 1's tf.contrib, besides frontend/warpbeam.h: its layers,
// optimize_loss, attention, decoders and beam search, conditional random fields, the loss of
// sequences, lazy Adam.
//
//   #include "frontend/contrib/contrib.h"             // and link //frontend/contrib
//   namespace wb = warpbeam::frontend;
//   wb::Output net = wb::contrib::layers::FullyConnected(scope, images, 100);
//
// Ownership, thread safety and errors: see the headers below.
#ifndef WARPBEAM_FRONTEND_CONTRIB_CONTRIB_H_
#define WARPBEAM_FRONTEND_CONTRIB_CONTRIB_H_

#include "frontend/contrib/attention.h"
#include "frontend/contrib/beam_search_decoder.h"
#include "frontend/contrib/crf.h"
#include "frontend/contrib/decoder.h"
#include "frontend/contrib/layers.h"
#include "frontend/contrib/lazy_adam.h"
#include "frontend/contrib/optimize_loss.h"
#include "frontend/contrib/sequence_loss.h"

#endif  // WARPBEAM_FRONTEND_CONTRIB_CONTRIB_H_
