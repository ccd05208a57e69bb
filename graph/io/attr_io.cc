#include "graph/io/attr_io.h"

#include <algorithm>

#include "graph/io/dtype_io.h"
#include "graph/types/shown_name.h"
#include "proto/attr_value.pb.h"

namespace warpbeam {
namespace {

using Wire = tensorflow::AttrValue;
using WireList = tensorflow::AttrValue::ListValue;

StatusOr<Tensor> ReadTensor(const tensorflow::TensorProto& proto, ValueBudget* budget) {
  if (budget == nullptr) return TensorFromProto(proto);
  int64_t taken = 0;
  auto tensor = TensorFromProto(proto, std::min(budget->left(), kMaxTensorBytes), &taken);
  if (IsResourceExhausted(tensor.status())) return budget->Refuse(tensor.status());
  if (!tensor.ok()) return tensor.status();
  WB_RETURN_IF_ERROR(budget->Take(taken));
  return tensor;
}

// What a list takes in memory, without what its elements point to.
int64_t ListBytes(const WireList& list) {
  return int64_t{list.s_size()} * static_cast<int64_t>(sizeof(std::string)) +
         int64_t{list.i_size()} * static_cast<int64_t>(sizeof(int64_t)) +
         int64_t{list.f_size()} * static_cast<int64_t>(sizeof(float)) + list.b_size() / 8 +
         int64_t{list.type_size()} * static_cast<int64_t>(sizeof(DType)) +
         int64_t{list.shape_size()} * static_cast<int64_t>(sizeof(PartialShape)) +
         int64_t{list.tensor_size()} * static_cast<int64_t>(sizeof(Tensor)) +
         int64_t{list.func_size()} * static_cast<int64_t>(sizeof(FunctionRef));
}

StatusOr<FunctionRef> ReadFunction(const tensorflow::NameAttrList& proto, ValueBudget* budget) {
  FunctionRef ref;
  ref.name = proto.name();
  const Status read = ReadAttrs(proto.attr(), budget, &ref.attrs);
  if (read.ok()) return ref;
  return Status(read.code(),
                absl::StrCat("function '", ShownName(ref.name), "', ", read.message()));
}

// Reads every element of a repeated field; an error names the element.
template <typename T, typename List, typename Read>
StatusOr<AttrValue> ReadEach(const List& list, Read read) {
  std::vector<T> values;
  values.reserve(static_cast<size_t>(list.size()));
  for (int i = 0; i < list.size(); ++i) {
    StatusOr<T> value = read(list.Get(i));
    if (!value.ok()) return Annotate(value.status(), absl::StrCat("list element ", i));
    values.push_back(*std::move(value));
  }
  return AttrValue(std::move(values));
}

template <typename T, typename List>
AttrValue CopyList(const List& list) {
  return AttrValue(std::vector<T>(list.begin(), list.end()));
}

int NumKinds(const WireList& list) {
  return (list.s_size() > 0) + (list.i_size() > 0) + (list.f_size() > 0) + (list.b_size() > 0) +
         (list.type_size() > 0) + (list.shape_size() > 0) + (list.tensor_size() > 0) +
         (list.func_size() > 0);
}

StatusOr<AttrValue> ReadList(const WireList& list, ValueBudget* budget) {
  if (budget != nullptr) WB_RETURN_IF_ERROR(budget->Take(ListBytes(list)));
  if (NumKinds(list) > 1) return InvalidArgument("a list attribute mixes values of several kinds");
  if (list.s_size() > 0) return CopyList<std::string>(list.s());
  if (list.i_size() > 0) return CopyList<int64_t>(list.i());
  if (list.f_size() > 0) return CopyList<float>(list.f());
  if (list.b_size() > 0) return CopyList<bool>(list.b());
  if (list.type_size() > 0) return ReadEach<DType>(list.type(), DTypeFromNumber);
  if (list.shape_size() > 0) return ReadEach<PartialShape>(list.shape(), ShapeFromProto);
  if (list.tensor_size() > 0) {
    return ReadEach<Tensor>(list.tensor(),
                            [budget](const auto& t) { return ReadTensor(t, budget); });
  }
  if (list.func_size() > 0) {
    return ReadEach<FunctionRef>(list.func(),
                                 [budget](const auto& f) { return ReadFunction(f, budget); });
  }
  return AttrValue::EmptyList();
}

Status WriteFunction(const FunctionRef& ref, tensorflow::NameAttrList* proto) {
  proto->set_name(ref.name);
  for (const auto& [name, value] : ref.attrs) {
    WB_RETURN_IF_ERROR(AttrToProto(value, &(*proto->mutable_attr())[name]));
  }
  return OkStatus();
}

Status WriteList(const AttrValue& value, WireList* list) {
  switch (value.kind()) {
    case AttrValue::Kind::kIntList:
      for (int64_t v : value.list<int64_t>()) list->add_i(v);
      break;
    case AttrValue::Kind::kFloatList:
      for (float v : value.list<float>()) list->add_f(v);
      break;
    case AttrValue::Kind::kBoolList:
      for (bool v : value.list<bool>()) list->add_b(v);
      break;
    case AttrValue::Kind::kTypeList:
      for (DType v : value.list<DType>()) {
        list->add_type(static_cast<tensorflow::DataType>(NumberOf(v)));
      }
      break;
    case AttrValue::Kind::kStringList:
      for (const std::string& v : value.list<std::string>()) list->add_s(v);
      break;
    case AttrValue::Kind::kShapeList:
      for (const PartialShape& v : value.list<PartialShape>()) ShapeToProto(v, list->add_shape());
      break;
    case AttrValue::Kind::kTensorList:
      for (const Tensor& v : value.list<Tensor>()) {
        WB_RETURN_IF_ERROR(TensorToProto(v, TensorForm::kCompact, list->add_tensor()));
      }
      break;
    case AttrValue::Kind::kFunctionList:
      for (const FunctionRef& v : value.list<FunctionRef>()) {
        WB_RETURN_IF_ERROR(WriteFunction(v, list->add_func()));
      }
      break;
    default:
      break;
  }
  return OkStatus();
}

template <typename Message>
bool HasUnknownFields(const Message& message) {
  return !message.GetReflection()->GetUnknownFields(message).empty();
}

bool HasMore(const tensorflow::TensorShapeProto& shape) {
  return HasUnknownFields(shape) ||
         std::any_of(shape.dim().begin(), shape.dim().end(),
                     [](const auto& dim) { return !dim.name().empty() || HasUnknownFields(dim); });
}

bool HasMore(const tensorflow::TensorProto& tensor) {
  return tensor.version_number() != 0 || HasUnknownFields(tensor) || HasMore(tensor.tensor_shape());
}

bool HasMore(const tensorflow::NameAttrList& func) {
  return HasUnknownFields(func) ||
         std::any_of(func.attr().begin(), func.attr().end(),
                     [](const auto& entry) { return HasMoreThanValue(entry.second); });
}

template <typename List>
bool AnyHasMore(const List& list) {
  return std::any_of(list.begin(), list.end(), [](const auto& v) { return HasMore(v); });
}

}  // namespace

Status ValueBudget::Take(int64_t bytes) {
  if (bytes <= left_) {
    left_ -= bytes;
    return OkStatus();
  }
  return Refuse(ResourceExhausted("it takes ", bytes, " bytes"));
}

Status ValueBudget::Refuse(const Status& why) const {
  return ResourceExhausted(why.message(), "; ", left_, " bytes are left of the ", all_,
                           " that the values of the graph may take together: raise the import "
                           "limit (ImportLimits::max_expansion, --max_expansion) if it is to be "
                           "trusted");
}

Status ForEachAttr(const WireAttrs& proto, ValueBudget* budget,
                   const std::function<Status(const std::string&, const Wire&)>& read) {
  using Entry = const WireAttrs::value_type*;
  constexpr size_t kUsual = 16;  // what nodes have; the message itself is larger
  if (budget != nullptr && proto.size() > kUsual) {
    WB_RETURN_IF_ERROR(budget->Take(static_cast<int64_t>(proto.size() * sizeof(AttrMap::Entry))));
  }
  std::vector<Entry> entries;
  entries.reserve(proto.size());
  for (const auto& entry : proto) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](Entry a, Entry b) { return a->first < b->first; });
  for (const Entry entry : entries) {
    if (Status s = read(entry->first, entry->second); !s.ok()) {
      return Annotate(s, absl::StrCat("attribute '", ShownName(entry->first), "'"));
    }
  }
  return OkStatus();
}

Status ReadAttrs(const WireAttrs& proto, ValueBudget* budget, AttrMap* attrs) {
  return ForEachAttr(proto, budget, [&](const std::string& name, const Wire& attr) -> Status {
    WB_ASSIGN_OR_RETURN(AttrValue value, AttrFromProto(attr, budget));
    attrs->Set(name, std::move(value));
    return OkStatus();
  });
}

StatusOr<AttrValue> AttrFromProto(const Wire& proto, ValueBudget* budget) {
  switch (proto.value_case()) {
    case Wire::VALUE_NOT_SET:
      return AttrValue();
    case Wire::kS:
      return AttrValue(proto.s());
    case Wire::kI:
      return AttrValue(static_cast<int64_t>(proto.i()));
    case Wire::kF:
      return AttrValue(proto.f());
    case Wire::kB:
      return AttrValue(proto.b());
    case Wire::kType: {
      WB_ASSIGN_OR_RETURN(DType type, DTypeFromNumber(proto.type()));
      return AttrValue(type);
    }
    case Wire::kShape: {
      WB_ASSIGN_OR_RETURN(PartialShape shape, ShapeFromProto(proto.shape()));
      return AttrValue(std::move(shape));
    }
    case Wire::kTensor: {
      WB_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(proto.tensor(), budget));
      return AttrValue(std::move(tensor));
    }
    case Wire::kList:
      return ReadList(proto.list(), budget);
    case Wire::kFunc: {
      WB_ASSIGN_OR_RETURN(FunctionRef func, ReadFunction(proto.func(), budget));
      return AttrValue(std::move(func));
    }
    case Wire::kPlaceholder:
      return AttrValue::Placeholder(proto.placeholder());
  }
  return Internal("an attribute of an unexpected kind ", static_cast<int>(proto.value_case()));
}

Status AttrToProto(const AttrValue& value, Wire* proto) {
  proto->Clear();
  switch (value.kind()) {
    case AttrValue::Kind::kNone:
      return OkStatus();
    case AttrValue::Kind::kInt:
      proto->set_i(value.i());
      return OkStatus();
    case AttrValue::Kind::kFloat:
      proto->set_f(value.f());
      return OkStatus();
    case AttrValue::Kind::kBool:
      proto->set_b(value.b());
      return OkStatus();
    case AttrValue::Kind::kType:
      proto->set_type(static_cast<tensorflow::DataType>(NumberOf(value.type())));
      return OkStatus();
    case AttrValue::Kind::kString:
      proto->set_s(value.s());
      return OkStatus();
    case AttrValue::Kind::kShape:
      ShapeToProto(value.shape(), proto->mutable_shape());
      return OkStatus();
    case AttrValue::Kind::kTensor:
      return TensorToProto(value.tensor(), TensorForm::kCompact, proto->mutable_tensor());
    case AttrValue::Kind::kFunction:
      return WriteFunction(value.func(), proto->mutable_func());
    case AttrValue::Kind::kPlaceholder:
      proto->set_placeholder(value.placeholder());
      return OkStatus();
    default:
      return WriteList(value, proto->mutable_list());
  }
}

bool HasMoreThanValue(const Wire& proto) {
  if (HasUnknownFields(proto)) return true;
  switch (proto.value_case()) {
    case Wire::kShape:
      return HasMore(proto.shape());
    case Wire::kTensor:
      return HasMore(proto.tensor());
    case Wire::kFunc:
      return HasMore(proto.func());
    case Wire::kList:
      return HasUnknownFields(proto.list()) || AnyHasMore(proto.list().shape()) ||
             AnyHasMore(proto.list().tensor()) || AnyHasMore(proto.list().func());
    default:
      return false;
  }
}

}  // namespace warpbeam
