// The whole frontend in one header, as programs include it ("import tensorflow as tf").
//
//   #include "frontend/warpbeam.h"
//   namespace wb = warpbeam::frontend;
//   wb::Scope root = wb::Scope::NewRoot();
//   wb::Variable w(root.Named("w"), 2.0f);
//   wb::Output y = w * 3.0f;
//   wb::Operation init = wb::GlobalVariablesInitializer(root);
//   wb::ClientSession session(root);
//   session.Run({init});
//   auto out = session.Run({y});                  // out->at(0).scalar<float>() == 6
//
// Ownership, thread safety and errors: see the headers below; frontend/scope.h is the place to
// begin.
#ifndef WARPBEAM_FRONTEND_WARPBEAM_H_
#define WARPBEAM_FRONTEND_WARPBEAM_H_

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/clip.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/control_flow/cond.h"
#include "frontend/control_flow/map_fn.h"
#include "frontend/control_flow/tensor_array.h"
#include "frontend/control_flow/while_loop.h"
#include "frontend/data/dataset.h"
#include "frontend/data/multi_device_iterator.h"
#include "frontend/finalize.h"
#include "frontend/gradients.h"
#include "frontend/image.h"
#include "frontend/import_graph.h"
#include "frontend/layers/convolution.h"
#include "frontend/layers/dense.h"
#include "frontend/layers/dropout.h"
#include "frontend/layers/embedding.h"
#include "frontend/layers/normalization.h"
#include "frontend/layers/pooling.h"
#include "frontend/layers/sampled_losses.h"
#include "frontend/losses/losses.h"
#include "frontend/math.h"
#include "frontend/metrics/at_k.h"
#include "frontend/metrics/auc.h"
#include "frontend/metrics/confusion.h"
#include "frontend/metrics/mean.h"
#include "frontend/metrics/thresholds.h"
#include "frontend/monitored/checkpoint_saver_hook.h"
#include "frontend/monitored/control_hooks.h"
#include "frontend/monitored/monitored_session.h"
#include "frontend/monitored/nan_tensor_hook.h"
#include "frontend/monitored/profiler_hook.h"
#include "frontend/monitored/report_hooks.h"
#include "frontend/monitored/supervisor.h"
#include "frontend/monitored/sync_replicas_hook.h"
#include "frontend/nn.h"
#include "frontend/operators.h"
#include "frontend/parsing.h"
#include "frontend/random.h"
#include "frontend/record/example.h"
#include "frontend/record/tf_record.h"
#include "frontend/regularization.h"
#include "frontend/rnn/rnn.h"
#include "frontend/rnn/rnn_cell.h"
#include "frontend/saver/meta_graph.h"
#include "frontend/saver/saver.h"
#include "frontend/scope.h"
#include "frontend/summary/file_writer.h"
#include "frontend/summary/summary.h"
#include "frontend/training/coordinator.h"
#include "frontend/training/global_step.h"
#include "frontend/training/input_pipeline.h"
#include "frontend/training/learning_rate.h"
#include "frontend/training/moving_average.h"
#include "frontend/training/optimizer.h"
#include "frontend/training/proximal_gradient_descent.h"
#include "frontend/training/queue_runner.h"
#include "frontend/training/replicate.h"
#include "frontend/training/slot_optimizers.h"
#include "frontend/training/sync_replicas_optimizer.h"
#include "frontend/variables/initializers.h"
#include "frontend/variables/regularizers.h"
#include "frontend/variables/variable.h"
#include "frontend/variables/variable_scope.h"
#include "frontend/variables/variance_scaling.h"

#endif  // WARPBEAM_FRONTEND_WARPBEAM_H_
