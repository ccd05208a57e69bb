#include <map>

#include "absl/strings/str_split.h"
#include "frontend/c/c_types.h"
#include "runtime/device/local/gpu_shares.h"
#include "runtime/kernel/capability_set.h"

namespace warpbeam {
namespace frontend {
namespace {

using SetInt = Status (*)(wb_options* options, int64_t value);
using SetString = Status (*)(wb_options* options, const std::string& value);

template <int SessionOptions::*kField, int kLeast>
Status Number(wb_options* options, int64_t value) {
  constexpr int kMost = 1 << 20;
  if (value < kLeast || value > kMost) {
    return InvalidArgument("it must be from ", kLeast, " to ", kMost, ", not ", value);
  }
  options->open.session.*kField = static_cast<int>(value);
  return OkStatus();
}

template <int64_t SessionOptions::*kField>
Status LongNumber(wb_options* options, int64_t value) {
  if (value < 0) return InvalidArgument("it must not be negative: ", value);
  options->open.session.*kField = value;
  return OkStatus();
}

template <bool SessionOptions::*kField>
Status Switch(wb_options* options, int64_t value) {
  if (value != 0 && value != 1) return InvalidArgument("it must be 0 or 1, not ", value);
  options->open.session.*kField = value == 1;
  return OkStatus();
}

const std::map<std::string, SetInt>& IntOptions() {
  static const auto* const all = new std::map<std::string, SetInt>{
      {"allow_soft_placement", Switch<&SessionOptions::allow_soft_placement>},
      {"cpu_devices", Number<&SessionOptions::cpu_devices, 1>},
      {"cuda_blocking", Switch<&SessionOptions::cuda_blocking>},
      {"deterministic", Switch<&SessionOptions::deterministic>},
      {"gpu_parts", Number<&SessionOptions::equal_gpu_parts, 0>},
      {"gpus", Number<&SessionOptions::gpus, -1>},
      {"host_memory_limit", LongNumber<&SessionOptions::host_memory_limit>},
      {"inter_op_threads", Number<&SessionOptions::inter_op_threads, 0>},
      {"intra_op_threads", Number<&SessionOptions::intra_op_threads, 0>},
      {"lend_idle_threads", Switch<&SessionOptions::lend_idle_threads>},
      {"operation_timeout_ms", LongNumber<&SessionOptions::operation_timeout_ms>},
      {"simulated_gpus", Number<&SessionOptions::simulated_gpus, 0>},
      {"placement_evaluations",
       [](wb_options* options, int64_t value) {
         if (value < 0) return InvalidArgument("it must not be negative: ", value);
         options->open.session.auto_placement.evaluations = value;
         return OkStatus();
       }},
      {"strict_placement", Switch<&SessionOptions::strict_placement>},
      {"tensor_float_32",
       [](wb_options* options, int64_t value) {
         if (value != 0 && value != 1) return InvalidArgument("it must be 0 or 1, not ", value);
         options->open.session.tensor_float_32 = value == 1;
         return OkStatus();
       }},
  };
  return *all;
}

Status SetAllowed(wb_options* options, const std::string& value) {
  WB_ASSIGN_OR_RETURN(options->open.session.allow, CapabilitySet::Parse(value));
  return OkStatus();
}

const std::map<std::string, SetString>& StringOptions() {
  static const auto* const all = new std::map<std::string, SetString>{
      {"allow", SetAllowed},
      {"checkpoint",
       [](wb_options* options, const std::string& value) {
         options->open.checkpoint = value;
         return OkStatus();
       }},
      {"visible_gpus",
       [](wb_options* options, const std::string& value) {
         WB_ASSIGN_OR_RETURN(options->open.session.visible_gpus, ParseVisibleGpus(value));
         return OkStatus();
       }},
      {"gpu_plan_file",
       [](wb_options* options, const std::string& value) {
         options->open.session.gpu_plan_file = value;
         return OkStatus();
       }},
      {"passes",
       [](wb_options* options, const std::string& value) {
         options->open.session.passes = value;
         return OkStatus();
       }},
      {"tags",
       [](wb_options* options, const std::string& value) {
         options->open.tags = absl::StrSplit(value, ',', absl::SkipEmpty());
         return OkStatus();
       }},
  };
  return *all;
}

template <typename Setters, typename Value>
Status Set(wb_options* options, const char* name, const Setters& setters, const Value& value) {
  if (options == nullptr) return Missing("options");
  if (name == nullptr) return Missing("name");
  const auto found = setters.find(name);
  if (found == setters.end()) {
    return NotFound("there is no option '", name, "' of this type; there are ", NamesOf(setters));
  }
  const Status status = found->second(options, value);
  return status.ok() ? status : InvalidArgument("option '", name, "': ", status.message());
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam

wb_options* wb_options_new() { return new wb_options(); }

void wb_options_delete(wb_options* options) { delete options; }

void wb_options_set_int(wb_options* options, const char* name, int64_t value, wb_status* status) {
  using namespace warpbeam::frontend;  // NOLINT
  SetStatus(status, Set(options, name, IntOptions(), value));
}

void wb_options_set_string(wb_options* options, const char* name, const char* value,
                           wb_status* status) {
  using namespace warpbeam::frontend;  // NOLINT
  SetStatus(status, value == nullptr ? Missing("value")
                                     : Set(options, name, StringOptions(), std::string(value)));
}

void wb_options_log_placement(wb_options* options, void (*log)(const char* line, void* argument),
                              void* argument) {
  if (options == nullptr) return;
  options->open.session.log_device_placement = nullptr;
  if (log == nullptr) return;
  options->open.session.log_device_placement = [log, argument](const std::string& line) {
    log(line.c_str(), argument);
  };
}
