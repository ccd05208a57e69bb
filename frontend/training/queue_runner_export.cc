#include "frontend/training/queue_runner.h"
#include "graph/types/errors.h"
#include "proto/queue_runner.pb.h"

namespace warpbeam {
namespace frontend {
namespace train {

std::string QueueRunner::Serialize() const {
  tensorflow::QueueRunnerDef proto;
  proto.set_queue_name(queue_name);
  for (const std::string& name : enqueue_op_names) proto.add_enqueue_op_name(name);
  proto.set_close_op_name(close_op_name);
  proto.set_cancel_op_name(cancel_op_name);
  for (int code : queue_closed_codes) {
    proto.add_queue_closed_exception_types(static_cast<tensorflow::error::Code>(code));
  }
  return proto.SerializeAsString();
}

StatusOr<QueueRunner> QueueRunner::Parse(const std::string& bytes) {
  tensorflow::QueueRunnerDef proto;
  if (!proto.ParseFromString(bytes)) {
    return InvalidArgument("a queue runner of ", bytes.size(),
                           " bytes is no serialized QueueRunnerDef");
  }
  QueueRunner runner;
  runner.queue_name = proto.queue_name();
  runner.enqueue_op_names = {proto.enqueue_op_name().begin(), proto.enqueue_op_name().end()};
  runner.close_op_name = proto.close_op_name();
  runner.cancel_op_name = proto.cancel_op_name();
  if (proto.queue_closed_exception_types_size() > 0) {
    const auto& codes = proto.queue_closed_exception_types();
    runner.queue_closed_codes = {codes.begin(), codes.end()};
  }
  return runner;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
