// StackIsLow: whether less than half of this thread's stack is left.
//
// What is nested as deep as functions make it while they run asks before it goes a level deeper: no
// count of levels fits threads with stacks of all sizes and builds with frames of all sizes. Half
// is left for what unwinds the levels again, destructors above all.
//
//   if (StackIsLow()) return ResourceExhausted("calls lie too deep in each other; the last is …");
//
// Ownership: none. Thread safety: any thread; the first call of a thread asks the system. Errors:
// none; where the system does not say where the stack ends, it is never low.
#ifndef WARPBEAM_GRAPH_TYPES_STACK_ROOM_H_
#define WARPBEAM_GRAPH_TYPES_STACK_ROOM_H_

namespace warpbeam {

bool StackIsLow();

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_STACK_ROOM_H_
