#include "ops/data/iterator/iterator_state.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "graph/functions/callees.h"
#include "graph/io/variant_codec.h"
#include "graph/types/shown_name.h"
#include "ops/data/wire_message.h"

namespace warpbeam {
namespace {

// Those of the tree, each once, from its root: a dataset may be an input twice, and its inputs too.
std::vector<const Dataset*> AllOf(const Dataset& dataset) {
  std::vector<const Dataset*> all, rest = {&dataset};
  std::set<const Dataset*> seen;
  while (!rest.empty()) {
    const Dataset* next = rest.back();
    rest.pop_back();
    if (!seen.insert(next).second) continue;
    all.push_back(next);
    for (const DatasetRef& input : next->inputs()) rest.push_back(input.get());
  }
  return all;
}

void Describe(const Dataset& dataset, std::string* names, std::vector<SeedGenerator*>* seeds) {
  for (const Dataset* d : AllOf(dataset)) {
    absl::StrAppend(names, d->name(), "(", d->inputs().size(), ")");
    if (d->seeds() != nullptr) seeds->push_back(d->seeds());
  }
}

class Continued final : public Dataset {
 public:
  Continued(DatasetRef dataset, int64_t passed)
      : Dataset(dataset->spec(), {dataset}), passed_(passed) {}

  const char* name() const override { return "Continued"; }
  // Passing over many elements is nothing for the thread of whoever asks for the next.
  bool FindImmediate() const override { return false; }
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      PipelineContext& pipeline) const override {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<DatasetIterator> input,
                        this->input().MakeIterator(pipeline));
    return std::make_unique<Iterator>(std::move(input), passed_, pipeline);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(std::unique_ptr<DatasetIterator> input, int64_t left, PipelineContext& pipeline)
        : input_(std::move(input)), left_(left), pipeline_(pipeline) {}
    Status GetNext(Element* element, bool* end) override {
      *end = false;
      for (; left_ > 0 && !*end; --left_) {
        if (pipeline_.IsCancelled()) return pipeline_.cancel_reason();
        const Status s = input_->GetNext(element, end);
        if (IsCancelled(s)) return s;
      }
      return *end ? OkStatus() : input_->GetNext(element, end);
    }

   private:
    const std::unique_ptr<DatasetIterator> input_;
    int64_t left_;
    PipelineContext& pipeline_;
  };

  const int64_t passed_;
};

constexpr char kOurs[] = "warpbeam";

StatusOr<VariantData> Write(const Variant& variant) {
  const IteratorState& state = *variant.get<IteratorState>();
  MessageWriter writer;
  writer.Bytes(1, kOurs);
  writer.Bytes(2, state.datasets);
  writer.Number(3, static_cast<uint64_t>(state.taken));
  for (const SeedGenerator::State& seeds : state.seeds) {
    MessageWriter one;
    one.Number(1, static_cast<uint64_t>(seeds.seeds.seed));
    one.Number(2, static_cast<uint64_t>(seeds.seeds.seed2));
    one.Number(3, static_cast<uint64_t>(seeds.given) + 1);  // never 0, which would be left out
    writer.Bytes(4, one.message());
  }
  return VariantData{writer.message(), {}};
}

StatusOr<SeedGenerator::State> ReadSeeds(absl::string_view message) {
  SeedGenerator::State state;
  state.given = -1;
  MessageReader reader(message);
  MessageField field;
  while (reader.Next(&field)) {
    const auto number = static_cast<int64_t>(field.number);
    if (field.id == 1) state.seeds.seed = number;
    if (field.id == 2) state.seeds.seed2 = number;
    if (field.id == 3) state.given = number - 1;
  }
  if (!reader.is_damaged() && state.given >= 0) return state;
  return InvalidArgument("the state of an iterator is damaged in its seeds");
}

StatusOr<Variant> Read(VariantData data) {
  IteratorState state;
  MessageReader reader(data.metadata);
  MessageField field;
  bool is_ours = false;
  while (reader.Next(&field)) {
    if (field.id == 1) is_ours = field.bytes == kOurs;
    if (field.id == 2) state.datasets = std::string(field.bytes);
    if (field.id == 3) state.taken = static_cast<int64_t>(field.number);
    if (field.id == 4) {
      WB_ASSIGN_OR_RETURN(const SeedGenerator::State seeds, ReadSeeds(field.bytes));
      state.seeds.push_back(seeds);
    }
  }
  if (!is_ours) {
    return InvalidArgument(
        "the state of an iterator that another runtime has written: only that one can go on from "
        "it");
  }
  if (reader.is_damaged() || state.taken < 0) {
    return InvalidArgument("the state of an iterator is damaged");
  }
  return Variant::Of<IteratorState>(std::move(state));
}

[[maybe_unused]] const bool kRegistered =
    RegisterVariantCodec<IteratorState>("tensorflow::Iterator", Write, Read);

// A dataset in a function is made anew by each call, and a call keeps what its function keeps.
bool KeepsState(const NodeSpec& node) {
  const OpSchema* schema = OpRegistry::Global().Find(node.op);
  if (schema == nullptr || !schema->is_stateful || absl::StrContains(node.op, "Dataset")) {
    return false;
  }
  for (const auto& [key, value] : node.attrs) {
    if (value.kind() == AttrValue::Kind::kFunction) return false;
  }
  return true;
}

}  // namespace

IteratorState BeginningOf(const Dataset& dataset) {
  IteratorState state;
  std::vector<SeedGenerator*> generators;
  Describe(dataset, &state.datasets, &generators);
  for (SeedGenerator* generator : generators) state.seeds.push_back(generator->state());
  return state;
}

Status ApplySeeds(const IteratorState& state, const Dataset& dataset) {
  std::string names;
  std::vector<SeedGenerator*> generators;
  Describe(dataset, &names, &generators);
  if (names != state.datasets || generators.size() != state.seeds.size()) {
    return NotFound(
        "Failed to restore dataset iterator from checkpoint: it is the state of an iterator over ",
        ShownName(state.datasets), ", this one is over ", ShownName(names),
        ". Make sure the dataset definition has not changed between the process that saved the "
        "checkpoint and the process that is restoring it.");
  }
  for (size_t i = 0; i < generators.size(); ++i) generators[i]->set_state(state.seeds[i]);
  return OkStatus();
}

DatasetRef ContinuedDataset(DatasetRef dataset, int64_t passed) {
  if (passed == 0) return dataset;
  return std::make_shared<Continued>(std::move(dataset), passed);
}

Status CheckNoExternalState(const Dataset& dataset, const FunctionLibrary& library) {
  std::vector<FunctionRef> functions;
  for (const Dataset* d : AllOf(dataset)) {
    if (d->origin() == nullptr) continue;
    const DatasetOp& op = *d->origin()->made_by;
    for (FunctionRef& f : CalledFunctions(library, op.op, op.attrs)) {
      functions.push_back(std::move(f));
    }
  }
  // The dataset's own are looked at first.
  std::reverse(functions.begin(), functions.end());
  std::string found;
  VisitBodies(library, std::move(functions), [&](const NodeSpec& node) {
    if (KeepsState(node)) found = node.op;
    return found.empty();
  });
  if (!found.empty()) return FailedPrecondition(found, " is stateful.");
  return OkStatus();
}

}  // namespace warpbeam
