// What examples in headers of placement/ use undeclared (header_examples.py).
#include <fstream>
#include <iostream>

#include "gmock/gmock.h"
#include "graph/passes/pass_pipeline.h"
#include "proto/config.pb.h"
#include "proto/master.pb.h"
#include "runtime/device/local/device_set.h"

extern const Graph& graph;
extern const Node& node;
extern GraphPart part;
extern NodeId id;
extern OutputRef x, y, output;
extern std::vector<OutputRef> feeds, fetches;
extern std::vector<NodeId> kept, targets, order;
extern warpbeam::Status status;
extern Tensor tensor, value;
extern std::vector<Tensor> out, *fetched;
extern Shape shape;
extern std::string bytes, name;
extern int64_t n, timeout_ms;

//== average.h
extern Consumers consumers;

//== colocation.h
extern NodeId first;
extern std::vector<NodeTraits> traits;
extern std::vector<DeviceTypes> types;
extern std::vector<int32_t> requests;
extern PlacerState state;

//== device_choice.h
extern DeviceChooser chooser;
extern int request;
extern DeviceTypes types;

//== device_name.h
extern DeviceName full;

//== device_requests.h
extern DeviceName device;

//== diagram.h
extern const PlacementReport& report;
extern std::string page;

//== step_timeline.h
extern const PlacementReport& report;
extern std::string page;

//== kernel_support.h
extern const KernelCatalog& catalog;

//== layered_layout.h
extern std::vector<LayoutBox> boxes;
extern std::vector<std::pair<int, int>> edges;
extern std::vector<double> lane_widths;
extern int box, edge;

//== cut.h
extern std::shared_ptr<const Graph> graph;
extern PlanBounds bounds;
extern SiteList sites;
extern std::vector<DeviceSet*> devices_of;
void Compile(const TaskPart& part, DeviceSet* devices);

//== partition.h
extern PlanBounds bounds;
extern Placer placer;
extern const KernelCatalog& catalog;
extern int k, i;

//== placement_messages.h
extern PlacementMessages messages;
extern NodeId node;

//== placement_pass.h
extern PlacerState state;

//== placer.h
extern Graph& graph;
extern const KernelCatalog& catalog;
extern std::vector<DeviceName> devices;
extern PlacerOptions options;
extern NodeId node_id;

//== report.h
extern Placer placer;

//== short_names.h
extern PlacementReport report;

//== picture_geometry.h
using testing::IsEmpty;
extern const PlacementReport& report;
