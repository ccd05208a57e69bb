// A conformance case as another task of a cluster would have this one run it: its graph registered
// with _Recv in the place of what is fed and _Send behind what is fetched, run and cleaned up.
//
//   calls::Script script;
//   AddWorkerCalls(c, &script);
//
// Thread safety: pure. Errors: none; of a case without a graph nothing comes.
#ifndef WARPBEAM_TESTS_FUZZ_WORKER_SCRIPT_H_
#define WARPBEAM_TESTS_FUZZ_WORKER_SCRIPT_H_

namespace conformance {
class Case;
}  // namespace conformance

namespace calls {
class Script;
}  // namespace calls

namespace warpbeam {
namespace fuzz {

void AddWorkerCalls(const conformance::Case& c, calls::Script* script);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_WORKER_SCRIPT_H_
