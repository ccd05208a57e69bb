// The passes that a part of a placed graph goes through before it is lowered.
//
//   prune      what the fetches and targets need                                    always
//   narrow     nodes that a gradient has widened in vain       (graph/passes/narrow_nodes.h)
//   inline     calls of library functions                      (inline_calls.h)
//   lower      functions of which several tasks run a part     (lower_calls.h)         always
//   late_reads uses of reference variables after updates      (graph/passes/late_reads.h)  always
//   determinism  refuses what may differ from run to run, puts effects in order
//              (determinism_checks.h, order_effects.h)         always in deterministic sessions
//   average    the towers' gradient averages become reductions (placement/average.h)  always
//   all_reduce those of towers on GPUs, between the GPUs      (all_reduce_averages.h)
//   fold       constants                                       (graph/passes/fold_constants.h)
//   branches   what a constant predicate never takes           (graph/passes/dead_branches.h)
//   simplify   nodes that hand on what they get                (graph/passes/simplify.h)
//   batch_norm normalisation by constants, into filters        (graph/passes/fold_batch_norm.h)
//   cse        equal nodes                                     (graph/passes/merge_equal.h)
//   tf32       says which products of float a GPU may round  (plan_passes.cc)        always
//   products   products with bias and activation               (runtime/lower/fuse_products.h)
//   fuse       elementwise groups                              (runtime/lower/fuse_elementwise.h)
//
// A step of several tasks goes through products and fuse task by task, after it was cut, through
// the others as a whole (PlanMode::stage).
//
// `CompileEnv::passes` selects (PassPipeline::Select). Elementwise groups are not made in parts
// with v1 loops.
//
//   WB_ASSIGN_OR_RETURN(LoweringPart lowering, RunPlanPasses(env, bounds, mode));
//
// Ownership: the part's graph shares nodes with that of the bounds. Thread safety: a pure function
// apart from kernels, which the environment's cache makes. Errors: INVALID_ARGUMENT for unknown
// passes and for cycles.
#ifndef WARPBEAM_RUNTIME_COMPILE_PLAN_PASSES_H_
#define WARPBEAM_RUNTIME_COMPILE_PLAN_PASSES_H_

#include <memory>
#include <vector>

#include "graph/passes/pass_pipeline.h"
#include "runtime/compile/plan_compiler.h"
#include "runtime/effects/node_effects.h"
#include "runtime/lower/fuse_elementwise.h"

namespace warpbeam {

// What is lowered to a plan.
struct LoweringPart {
  GraphPart part;
  GraphPart::Order order;           // of the part's nodes
  FusedPrograms programs;           // what the fused nodes run
  std::vector<StepEffect> effects;  // of a deterministic session
  // Kernels that programs use and that the cache does not have.
  std::vector<std::unique_ptr<Kernel>> kernels;
};

StatusOr<LoweringPart> RunPlanPasses(const CompileEnv& env, const StepBounds& bounds,
                                     const PlanMode& mode);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_PLAN_PASSES_H_
