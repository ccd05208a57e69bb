#include "frontend/device/device_spec.h"

#include "placement/device_name.h"

namespace warpbeam {
namespace frontend {
namespace {

DeviceName NameOf(const DeviceSpec& spec) {
  return {spec.job_name, spec.replica_number, spec.task_number, spec.type, spec.index};
}

DeviceSpec SpecOf(const DeviceName& name) {
  DeviceSpec spec;
  spec.job_name = name.job;
  spec.replica_number = name.replica;
  spec.task_number = name.task;
  spec.type = name.type;
  spec.index = name.id;
  return spec;
}

}  // namespace

StatusOr<DeviceSpec> DeviceSpec::FromString(const std::string& spec) {
  WB_ASSIGN_OR_RETURN(const DeviceName name, DeviceName::Parse(spec));
  return SpecOf(name);
}

void DeviceSpec::MergeFrom(const DeviceSpec& inner) { *this = MakeMergedSpec(inner); }

DeviceSpec DeviceSpec::MakeMergedSpec(const DeviceSpec& inner) const {
  DeviceName merged = NameOf(*this);
  merged.OverrideWith(NameOf(inner));
  return SpecOf(merged);
}

std::string DeviceSpec::ToString() const { return NameOf(*this).ToString(); }

bool operator==(const DeviceSpec& a, const DeviceSpec& b) { return NameOf(a) == NameOf(b); }

}  // namespace frontend
}  // namespace warpbeam
