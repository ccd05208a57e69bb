// What a node does to state that outlives it: variables, queues, tables, iterators, accumulators,
// the numbers a random op has yet to draw. Two nodes whose effects meet give results that depend on
// which of them ran first.
//
//   for (const Effect& e : EffectsOf(graph, node)) …         // {"w", StateEffect::kWrite}
//   if (OrderMatters(a.kind, b.kind)) …
//
// A state is named as the resource store names it, so that two handles with one shared name are one
// state. What a handle stands for that came from elsewhere (a function's argument, a placeholder)
// is not known: kAnyState meets every state.
//
// Ownership: values. Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_RUNTIME_EFFECTS_NODE_EFFECTS_H_
#define WARPBEAM_RUNTIME_EFFECTS_NODE_EFFECTS_H_

#include <string>
#include <vector>

#include "graph/graph.h"

namespace warpbeam {

struct Effect {
  std::string state;
  StateEffect kind;  // kRead, kWrite, kFill, kDrain or kEnd
};

// An effect of a step.
struct StepEffect {
  std::string node;
  Effect effect;
};

inline constexpr char kAnyState[] = "?";
// All files are one state.
inline constexpr char kFiles[] = "(files)";

// Whether the order of two such effects on one state shows in any result.
bool OrderMatters(StateEffect a, StateEffect b);

std::vector<Effect> EffectsOf(const Graph& graph, const Node& node);

// Whether the op draws from a random stream that goes on from one execution to the next.
bool DrawsNumbers(const OpSchema& op);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EFFECTS_NODE_EFFECTS_H_
