// What examples in the headers of placement/cost, placement/simulate and placement/search use
// without declaring it (header_examples.py).
#include <iostream>

extern const Graph& graph;
extern const Node& node;
extern Machine machine;
extern PlanBounds bounds;
extern const KernelCatalog& catalog;
extern StepGraph step;
extern Simulator simulator;
extern std::vector<int> devices;

//== movable_groups.h
extern std::vector<DeviceName> devices;
extern PlacerOptions options;
extern std::vector<Site> sites;
extern NodeId id;

//== placement_search.h
extern MovableGroups groups;

//== ranked_moves.h
extern MovableGroups groups;
extern FoundPlacement found;

//== coarse_groups.h
extern MovableGroups groups;
extern SearchOptions options;

//== op_costs.h
extern std::string model, key, op, path;
extern NodeCost cost;
extern double seconds;
extern int device;
void WriteFile(const std::string& path, const std::string& text);

//== starts.h
extern MovableGroups groups;

//== machine.h
extern std::vector<MachineDevice> devices;
extern std::vector<MachineLink> links;
extern NodeCost cost;
extern int device, from, to;
extern double bytes;

//== searched_step.h
extern PlacerOptions placer_options;
extern StepGraphOptions step_options;
extern SearchOptions search_options;
extern std::vector<Site> sites;

//== json_object.h
extern std::string name;
extern std::vector<std::string> links;

//== predicted_step.h
extern PlacementReport report;
