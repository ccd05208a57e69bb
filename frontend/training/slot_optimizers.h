// All optimizers that keep variables beside the variables that they update, in one header:
// Adadelta, Adagrad, AdagradDA, Adam, AdamW, Ftrl, Lamb, Momentum, ProximalAdagrad, RMSProp.
//
//   AdamOptimizer opt(0.001, AdamOptions().beta1(0.8));
//   Operation step = opt.Minimize(scope, loss, global_step);
//
// Ownership, thread safety, errors: as Optimizer (frontend/training/optimizer.h).
#ifndef WARPBEAM_FRONTEND_TRAINING_SLOT_OPTIMIZERS_H_
#define WARPBEAM_FRONTEND_TRAINING_SLOT_OPTIMIZERS_H_

#include "frontend/training/adadelta.h"
#include "frontend/training/adagrad.h"
#include "frontend/training/adam.h"
#include "frontend/training/ftrl.h"
#include "frontend/training/lamb.h"
#include "frontend/training/momentum.h"
#include "frontend/training/rms_prop.h"

#endif  // WARPBEAM_FRONTEND_TRAINING_SLOT_OPTIMIZERS_H_
