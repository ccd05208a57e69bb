#include "tools/cli/step/graph_spec.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "google/protobuf/util/json_util.h"
#include "tools/benchmarks/feeds.h"
#include "tools/cli/bench_spec.pb.h"

namespace warpbeam {
namespace cli {
namespace {

StatusOr<BenchSpec> ParseSpec(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound("cannot open '", path, "'");
  std::ostringstream text;
  text << file.rdbuf();
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // what is there for others, such as reference results
  BenchSpec spec;
  const auto parsed = google::protobuf::util::JsonStringToMessage(text.str(), &spec, options);
  if (!parsed.ok()) {
    return InvalidArgument(path, ": not a spec in JSON: ", std::string(parsed.message()));
  }
  if (spec.graph().empty() == spec.saved_model().empty()) {
    return InvalidArgument(path, ": either 'graph' or 'saved_model' must be there");
  }
  if (spec.fetches().empty() && spec.targets().empty()) {
    return InvalidArgument(path, ": a step needs fetches or targets");
  }
  return spec;
}

template <typename T>
Tensor ConvertTo(const std::vector<float>& values, const Shape& shape) {
  const std::vector<T> converted(values.begin(), values.end());
  return Tensor::FromValues<T>(shape, converted);
}

StatusOr<Tensor> MakeFeed(const BenchSpec::Feed& feed) {
  WB_ASSIGN_OR_RETURN(Shape shape,
                      Shape::Make(std::vector<int64_t>(feed.shape().begin(), feed.shape().end())));
  const std::string& kind = feed.kind();
  const bool counted = kind.size() > 1 && (kind[0] == 'i' || kind[0] == 'h') && atoi(&kind[1]) > 0;
  if (!counted && kind != "u") {
    return InvalidArgument("feed '", feed.name(), "': '", kind, "' is no kind; u, iK and hK are");
  }
  const std::vector<float> values =
      benchmarks::FeedValues(kind, static_cast<size_t>(shape.num_elements()));
  if (feed.dtype() == "float32") return ConvertTo<float>(values, shape);
  if (feed.dtype() == "int32") return ConvertTo<int32_t>(values, shape);
  if (feed.dtype() == "int64") return ConvertTo<int64_t>(values, shape);
  return InvalidArgument("feed '", feed.name(), "': '", feed.dtype(),
                         "' is none of float32, int32, int64");
}

}  // namespace

StatusOr<GraphSpec> ReadSpec(const std::string& path) {
  WB_ASSIGN_OR_RETURN(BenchSpec parsed, ParseSpec(path));
  GraphSpec spec;
  spec.saved_model = parsed.saved_model();
  if (!parsed.graph().empty()) {
    spec.graph_path = (std::filesystem::path(path).parent_path() / parsed.graph()).string();
  }
  spec.devices = std::max(1, parsed.devices());
  for (const auto& feed : parsed.feeds()) {
    WB_ASSIGN_OR_RETURN(Tensor tensor, MakeFeed(feed));
    spec.feeds.emplace_back(feed.name(), std::move(tensor));
  }
  spec.fetches.assign(parsed.fetches().begin(), parsed.fetches().end());
  spec.targets.assign(parsed.targets().begin(), parsed.targets().end());
  spec.init.assign(parsed.init().begin(), parsed.init().end());
  spec.queue_runners.assign(parsed.queue_runners().begin(), parsed.queue_runners().end());
  spec.save = parsed.save();
  return spec;
}

}  // namespace cli
}  // namespace warpbeam
