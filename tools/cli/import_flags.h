// The flags that say what a graph may ask for when it is read, shared by the commands that read
// one.
//
//   ImportFlags flags;
//   flags.AddTo(args);
//   WB_RETURN_IF_ERROR(ImportGraphFile(path, flags.Options(), &graph));
//
// Thread safety: none. Errors: none.
#ifndef WARPBEAM_TOOLS_CLI_IMPORT_FLAGS_H_
#define WARPBEAM_TOOLS_CLI_IMPORT_FLAGS_H_

#include "graph/io/graph_import.h"
#include "tools/cli/arguments.h"

namespace warpbeam {
namespace cli {

struct ImportFlags {
  int max_expansion = 1024;
  bool clear_devices = false;

  void AddTo(Arguments& args) {
    args.Int("max_expansion", &max_expansion,
             "MiB of memory that a graph's constants and attributes may take beyond its size");
  }
  // For commands that read the graph that they work on, as a server does not.
  void AddDevicesTo(Arguments& args) {
    args.Bool("clear_devices", &clear_devices, "forget the devices that a graph asks for");
  }
  ImportOptions Options() const {
    ImportOptions options;
    options.limits.max_expansion = int64_t{max_expansion} << 20;
    options.clear_devices = clear_devices;
    return options;
  }
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_IMPORT_FLAGS_H_
