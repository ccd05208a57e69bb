// How much faster training is with more devices: a table, and a plot as an SVG picture.
//
//   std::vector<SpeedOfDevices> speeds = {{1, 900}, {2, 1700}};
//   std::printf("%s", SpeedUpTable(speeds).c_str());
//   Status written = WriteSpeedUpPlot(speeds, "speed_up.svg");
//
// The first entry is what the others are compared with. Ownership: values. Thread safety: free
// functions. Errors: what the system says where the file cannot be written; INVALID_ARGUMENT for no
// entries.
#ifndef WARPBEAM_EXAMPLES_SPEED_UP_H_
#define WARPBEAM_EXAMPLES_SPEED_UP_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {
namespace examples {

struct SpeedOfDevices {
  int devices = 1;
  double examples_per_second = 0;
};

// A line for each entry: devices, examples in a second, and how often the first entry's speed that
// is.
std::string SpeedUpTable(const std::vector<SpeedOfDevices>& speeds);
// The speed-up over the number of devices, beside the straight line of a perfect one.
std::string SpeedUpPlot(const std::vector<SpeedOfDevices>& speeds);
Status WriteSpeedUpPlot(const std::vector<SpeedOfDevices>& speeds, const std::string& path);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_SPEED_UP_H_
