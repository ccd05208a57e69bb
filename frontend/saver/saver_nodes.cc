#include "frontend/saver/saver_nodes.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "placement/device_name.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using Variables = std::vector<SavedVariable>;

// A device's neighbour that reads and writes files.
std::string CpuBeside(const std::string& device) {
  auto name = DeviceName::Parse(device);
  if (!name.ok()) return "/device:CPU:0";
  name->type = "CPU";
  name->id = 0;
  return name->ToString();
}

class SaverNodes {
 public:
  SaverNodes(const Scope& scope, const std::string& name)
      : inside_(scope.NoControlDependencies().NameScope(name)) {
    const Output path = BuildOutput(inside_.Named("filename"), "PlaceholderWithDefault", {"model"},
                                    OpAttrs().Set("shape", PartialShape()));
    path_ = BuildOutput(inside_.Named("Const"), "PlaceholderWithDefault", {path},
                        OpAttrs().Set("shape", PartialShape(Shape())));
  }

  SaverNames BuildWhole(const Variables& variables) {
    const Operation save = AddSave(inside_, path_, variables);
    const Output saved = AfterSave(inside_, path_, {save});
    const std::vector<Operation> assigned = AddRestore(inside_, variables);
    return Names(saved, Group(inside_.Named("restore_all"), assigned));
  }

  SaverNames BuildSharded(const Variables& variables) {
    std::map<std::string, Variables> by_device;
    for (const SavedVariable& saved : variables) {
      by_device[saved.variable.op().device()].push_back(saved);
    }
    const Output prefix = TemporaryPrefix();
    const Output count = Constant(inside_.Named("num_shards"), static_cast<int>(by_device.size()));
    std::vector<Output> files;
    std::vector<Operation> written;
    int shard = 0;
    for (const auto& [device, group] : by_device) {
      const Scope on = inside_.Device(CpuBeside(device));
      const Output file = BuildOutput(on, "ShardedFilename", {prefix, shard++, count});
      const Operation save = AddSave(on, file, group);
      files.push_back(file);
      written.push_back(AfterSave(on, file, {save}).op());
    }
    const Scope last = inside_.Device(CpuBeside(by_device.rbegin()->first));
    const Output saved = Merge(last, files, written);
    std::vector<Operation> restored;
    for (const auto& [device, group] : by_device) {
      const Scope on = inside_.Device(device);
      restored.push_back(Group(on.Named("restore_shard"), AddRestore(on, group)));
    }
    return Names(saved, Group(inside_.Named("restore_all"), restored));
  }

 private:
  SaverNames Names(const Output& saved, const Operation& restored) const {
    return {path_.name(), saved.name(), restored.name()};
  }

  static std::vector<std::string> Keys(const Variables& variables) {
    std::vector<std::string> keys;
    for (const SavedVariable& saved : variables) keys.push_back(saved.name);
    return keys;
  }

  static std::vector<std::string> Slices(const Variables& variables) {
    std::vector<std::string> slices;
    for (const SavedVariable& saved : variables) slices.push_back(saved.slice());
    return slices;
  }

  static Operation AddSave(const Scope& scope, const Output& file, const Variables& variables) {
    std::vector<Output> tensors;
    for (const SavedVariable& saved : variables) {
      const Variable& variable = saved.variable;
      const bool is_read = variable.is_resource() || saved.is_part;
      tensors.push_back(is_read ? variable.read() : variable.ref());
    }
    return BuildOp(scope, "SaveV2", {file, Keys(variables), Slices(variables), InputList(tensors)});
  }

  // `file` once it has been written.
  static Output AfterSave(const Scope& scope, const Output& file,
                          const std::vector<Operation>& written) {
    const Scope after = scope.ColocateWith(file.op()).ControlDependencies(written);
    return Identity(after.Named("control_dependency"), file);
  }

  std::vector<Operation> AddRestore(const Scope& scope, const Variables& variables) {
    std::vector<DType> types;
    for (const SavedVariable& saved : variables) types.push_back(saved.variable.dtype());
    const Scope reads = scope.Device(CpuBeside(scope.device()));
    const std::vector<Output> values =
        BuildOutputs(reads, "RestoreV2", {path_, Keys(variables), Slices(variables)},
                     OpAttrs().Set("dtypes", types), static_cast<int>(types.size()));
    std::vector<Operation> assigned;
    size_t i = 0;
    for (const SavedVariable& saved : variables) {
      assigned.push_back(BuildOp(scope, "Assign", {saved.variable, values[i++]}));
    }
    return assigned;
  }

  // Parts are written beside the checkpoint and then made one.
  Output TemporaryPrefix() {
    const Scope cpu = inside_.Device("/device:CPU:*");
    const Output is_remote = BuildOutput(cpu, "StaticRegexFullMatch", {path_},
                                         OpAttrs().Set("pattern", std::string("^s3://.*")));
    const Output remote = Constant(cpu, ".part"), plain = Constant(cpu, "_temp/part");
    return BuildOutput(
        cpu, "StringJoin",
        {InputList({path_, BuildOutput(cpu, "Select", {is_remote, remote, plain})})});
  }

  Output Merge(const Scope& scope, const std::vector<Output>& files,
               const std::vector<Operation>& written) {
    const Output all = Stack(
        scope.ControlDependencies(written).Named("MergeV2Checkpoints/checkpoint_prefixes"), files);
    const Operation merged =
        BuildOp(scope, "MergeV2Checkpoints", {all, path_}, OpAttrs().Set("delete_old_dirs", true));
    std::vector<Operation> before = written;
    before.push_back(merged);
    return Identity(scope.ControlDependencies(before), path_);
  }

  const Scope inside_;
  Output path_;
};

}  // namespace

SaverNames BuildSaverNodes(const Scope& scope, const std::string& name, const Variables& variables,
                           bool sharded) {
  SaverNodes nodes(scope, name);
  return sharded ? nodes.BuildSharded(variables) : nodes.BuildWhole(variables);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
