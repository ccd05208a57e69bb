#include "runtime/dist/health/task_health.h"

#include "absl/strings/str_format.h"

namespace warpbeam {
namespace {

std::string Seconds(TaskHealth::Time::duration time) {
  return absl::StrFormat("%.1f s", std::chrono::duration<double>(time).count());
}

}  // namespace

void TaskHealth::Watch(Time now) {
  watched_since_ = now;
  refused_ = OkStatus();
}

void TaskHealth::Answered(Time now) {
  last_answer_ = now;
  refused_ = OkStatus();
}

void TaskHealth::Refused(const Status& why) {
  if (refused_.ok() && !why.ok()) refused_ = why;
}

TaskHealth::State TaskHealth::state(Time now) const {
  if (!refused_.ok()) return State::kDead;
  const Time::duration silent = now - Heard();
  if (silent >= kDeadAfter) return State::kDead;
  return silent >= kSuspectAfter ? State::kSuspect : State::kAlive;
}

Status TaskHealth::Check(Time now) const {
  if (state(now) != State::kDead) return OkStatus();
  const std::string last =
      last_answer_.has_value()
          ? absl::StrCat("its last answer came ", Seconds(now - *last_answer_), " ago")
          : std::string("it has never answered");
  const std::string why = refused_.ok()
                              ? absl::StrCat("it has been silent for ", Seconds(now - Heard()))
                              : std::string(refused_.message());
  return Unavailable(
      absl::StrCat(task_, " at ", address_, " is taken for dead: ", why, "; ", last));
}

}  // namespace warpbeam
