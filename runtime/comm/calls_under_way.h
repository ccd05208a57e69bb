// CallsUnderWay: looks now and then at what GPUs are at, since they do not tell when it does not
// end.
//
//   class Waiting final : public CallUnderWay { bool Look() override { … } };
//   WB_RETURN_IF_ERROR(CallsUnderWay::Process().Add(std::make_shared<Waiting>()));
//
// Ownership: calls are held until they say that they are over. Thread safety: any thread; all calls
// are looked at on one thread, which must not wait. Errors: RESOURCE_EXHAUSTED without a thread.
#ifndef WARPBEAM_RUNTIME_COMM_CALLS_UNDER_WAY_H_
#define WARPBEAM_RUNTIME_COMM_CALLS_UNDER_WAY_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

class CallUnderWay {
 public:
  virtual ~CallUnderWay() = default;
  // False when it is over.
  virtual bool Look() = 0;
};

class CallsUnderWay {
 public:
  static CallsUnderWay& Process();
  Status Add(std::shared_ptr<CallUnderWay> call);

 private:
  void Main();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<CallUnderWay>> calls_;
  bool has_thread_ = false;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_CALLS_UNDER_WAY_H_
