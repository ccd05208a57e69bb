#include "tests/fuzz/node_mutator.h"

#include <algorithm>
#include <limits>
#include <map>

#include "graph/op/op_registry.h"
#include "proto/node_def.pb.h"
#include "tests/fuzz/byte_mutator.h"
#include "tests/fuzz/tensor_mutator.h"

namespace warpbeam {
namespace fuzz {
namespace {

using tensorflow::AttrValue;
using tensorflow::NodeDef;

constexpr size_t kLongestString = 4096;

tensorflow::DataType AsType(int number) { return static_cast<tensorflow::DataType>(number); }

// An attribute of the node that `wanted` takes, by a fair choice; null when there is none.
template <typename Wanted>
AttrValue* PickAttr(RandomSource& random, NodeDef* node, Wanted wanted) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : node->attr()) {
    if (wanted(value)) keys.push_back(key);
  }
  if (keys.empty()) return nullptr;
  std::sort(keys.begin(), keys.end());  // the map's own order changes from run to run
  return &(*node->mutable_attr())[random.Pick(keys)];
}

void MutateFloat(RandomSource& random, float* value) {
  using Limits = std::numeric_limits<float>;
  const float edges[] = {0,
                         -0.0f,
                         1,
                         -1,
                         0.5f,
                         1e-9f,
                         1e9f,
                         Limits::max(),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN()};
  *value = random.Pick(edges);
}

int64_t MutatedInt(RandomSource& random, int64_t value) {
  if (random.OneIn(2)) return random.EdgeInt();
  // Unsigned, as the edges have no neighbours on one side.
  const uint64_t step = random.OneIn(2) ? 1 : ~uint64_t{0};
  return static_cast<int64_t>(static_cast<uint64_t>(value) + step);
}

std::string MutatedString(RandomSource& random, std::string value) {
  // Words that attributes of several ops take.
  static constexpr const char* kWords[] = {"SAME",      "VALID",   "EXPLICIT",  "NHWC",
                                           "NCHW",      "REFLECT", "SYMMETRIC", "",
                                           "ab,bc->ac", "loc:@x"};
  if (random.OneIn(2)) return random.Pick(kWords);
  MutateBytes(random, kLongestString, &value);
  return value;
}

void MutateList(RandomSource& random, const GraphNames& names, AttrValue::ListValue* list) {
  if (list->s_size() > 0) {
    if (random.OneIn(3)) return list->mutable_s()->RemoveLast();
    auto* const s = list->mutable_s(random.IntBelow(list->s_size()));
    *s = MutatedString(random, *s);
  } else if (list->type_size() > 0) {
    if (random.OneIn(3)) return list->mutable_type()->RemoveLast();
    if (random.OneIn(3)) return list->add_type(AsType(RandomType(random)));
    list->set_type(random.IntBelow(list->type_size()), AsType(RandomType(random)));
  } else if (list->shape_size() > 0) {
    if (random.OneIn(4)) return list->mutable_shape()->RemoveLast();
    MutateShape(random, list->mutable_shape(random.IntBelow(list->shape_size())));
  } else if (list->f_size() > 0) {
    float value;
    MutateFloat(random, &value);
    list->set_f(random.IntBelow(list->f_size()), value);
  } else if (list->func_size() > 0) {
    auto* const func = list->mutable_func(random.IntBelow(list->func_size()));
    if (!names.functions.empty()) func->set_name(random.Pick(names.functions));
  } else if (list->i_size() > 0 && !random.OneIn(4)) {
    const int at = random.IntBelow(list->i_size());
    list->set_i(at, MutatedInt(random, list->i(at)));
  } else if (list->i_size() > 0 && random.OneIn(2)) {
    list->mutable_i()->RemoveLast();
  } else {
    list->add_i(random.EdgeInt());
  }
}

void ChangeOp(RandomSource& random, NodeDef* node) {
  // The op types by their number of inputs, so that the node's inputs may do for another one.
  static const auto* by_inputs = [] {
    auto* map = new std::map<size_t, std::vector<const OpSchema*>>;
    for (const OpSchema* schema : OpRegistry::Global().All()) {
      (*map)[schema->inputs.size()].push_back(schema);
    }
    return map;
  }();
  const auto found = by_inputs->find(static_cast<size_t>(node->input_size()));
  if (found != by_inputs->end()) node->set_op(random.Pick(found->second)->name);
}

void ChangeDevice(RandomSource& random, const GraphNames& names, NodeDef* node) {
  static constexpr const char* kDevices[] = {"",
                                             "/cpu:0",
                                             "/cpu:1",
                                             "/gpu:0",
                                             "/device:GPU:*",
                                             "/gpu:7",
                                             "/job:localhost/replica:0/task:0/device:CPU:1",
                                             "/job:worker/task:3",
                                             "/device:TPU:0",
                                             "nowhere"};
  if (random.OneIn(3) && !names.nodes.empty()) {
    (*node->mutable_attr())["_class"].mutable_list()->add_s("loc:@" + random.Pick(names.nodes));
  } else {
    node->set_device(random.Pick(kDevices));
  }
}

bool IsTensor(const AttrValue& a) { return a.value_case() == AttrValue::kTensor; }

void ReplaceTypeIn(int from, int to, AttrValue* attr) {
  switch (attr->value_case()) {
    case AttrValue::kType:
      if (attr->type() == AsType(from)) attr->set_type(AsType(to));
      return;
    case AttrValue::kTensor:
      if (attr->tensor().dtype() == AsType(from)) ConvertTensor(to, attr->mutable_tensor());
      return;
    case AttrValue::kList:
      for (int i = 0; i < attr->list().type_size(); ++i) {
        if (attr->list().type(i) == AsType(from)) attr->mutable_list()->set_type(i, AsType(to));
      }
      return;
    default:
      return;
  }
}

}  // namespace

void MutateAttr(RandomSource& random, const GraphNames& names, AttrValue* attr) {
  switch (attr->value_case()) {
    case AttrValue::kS:
      attr->set_s(MutatedString(random, attr->s()));
      return;
    case AttrValue::kI:
      attr->set_i(MutatedInt(random, attr->i()));
      return;
    case AttrValue::kF: {
      float value;
      MutateFloat(random, &value);
      attr->set_f(value);
      return;
    }
    case AttrValue::kB:
      attr->set_b(!attr->b());
      return;
    case AttrValue::kType:
      attr->set_type(AsType(RandomType(random)));
      return;
    case AttrValue::kShape:
      MutateShape(random, attr->mutable_shape());
      return;
    case AttrValue::kTensor:
      MutateTensor(random, attr->mutable_tensor());
      return;
    case AttrValue::kList:
      MutateList(random, names, attr->mutable_list());
      return;
    case AttrValue::kFunc:
      if (!names.functions.empty()) attr->mutable_func()->set_name(random.Pick(names.functions));
      return;
    default:
      attr->set_i(random.EdgeInt());
  }
}

void MutateNode(RandomSource& random, const GraphNames& names, NodeDef* node) {
  const size_t choice = random.Below(16);
  AttrValue* attr = nullptr;
  if (choice < 7) attr = PickAttr(random, node, IsTensor);
  if (choice < 13 && attr == nullptr) {
    // Types seldom: most nodes with another type fit nowhere.
    attr = PickAttr(random, node, [&](const AttrValue& a) {
      return a.value_case() != AttrValue::kType || choice == 7;
    });
  }
  if (attr != nullptr) return MutateAttr(random, names, attr);
  if (choice == 13) return ChangeOp(random, node);
  if (choice == 14) {
    attr = PickAttr(random, node, [](const AttrValue& a) { return !IsTensor(a); });
    if (attr != nullptr && random.OneIn(4)) attr->Clear();
    return;
  }
  ChangeDevice(random, names, node);
}

void ReplaceType(int from, int to, NodeDef* node) {
  for (auto& [key, attr] : *node->mutable_attr()) ReplaceTypeIn(from, to, &attr);
}

}  // namespace fuzz
}  // namespace warpbeam
