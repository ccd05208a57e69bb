#include "graph/io/attr_io.h"

#include <algorithm>

#include "graph/io/dtype_io.h"
#include "proto/attr_value.pb.h"

namespace warpbeam {
namespace {

using Wire = tensorflow::AttrValue;
using WireList = tensorflow::AttrValue::ListValue;

absl::StatusOr<Tensor> ReadTensor(const tensorflow::TensorProto& proto, TensorBudget* budget) {
  if (budget == nullptr) return TensorFromProto(proto);
  int64_t taken = 0;
  WB_ASSIGN_OR_RETURN(Tensor tensor,
                      TensorFromProto(proto, std::min(budget->bytes, kMaxTensorBytes), &taken));
  budget->bytes -= taken;
  return tensor;
}

absl::StatusOr<FunctionRef> ReadFunction(const tensorflow::NameAttrList& proto,
                                         TensorBudget* budget) {
  FunctionRef ref;
  ref.name = proto.name();
  for (const auto& [name, attr] : proto.attr()) {
    auto value = AttrFromProto(attr, budget);
    if (!value.ok()) {
      return Annotate(value.status(),
                      absl::StrCat("function '", ref.name, "', attribute '", name, "'"));
    }
    ref.attrs.Set(name, *std::move(value));
  }
  return ref;
}

// Reads every element of a repeated field; an error names the element.
template <typename T, typename List, typename Read>
absl::StatusOr<AttrValue> ReadEach(const List& list, Read read) {
  std::vector<T> values;
  values.reserve(static_cast<size_t>(list.size()));
  for (int i = 0; i < list.size(); ++i) {
    absl::StatusOr<T> value = read(list.Get(i));
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

absl::StatusOr<AttrValue> ReadList(const WireList& list, TensorBudget* budget) {
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

absl::Status WriteFunction(const FunctionRef& ref, tensorflow::NameAttrList* proto) {
  proto->set_name(ref.name);
  for (const auto& [name, value] : ref.attrs) {
    WB_RETURN_IF_ERROR(AttrToProto(value, &(*proto->mutable_attr())[name]));
  }
  return absl::OkStatus();
}

absl::Status WriteList(const AttrValue& value, WireList* list) {
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
  return absl::OkStatus();
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

absl::StatusOr<AttrValue> AttrFromProto(const Wire& proto, TensorBudget* budget) {
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

absl::Status AttrToProto(const AttrValue& value, Wire* proto) {
  proto->Clear();
  switch (value.kind()) {
    case AttrValue::Kind::kNone:
      return absl::OkStatus();
    case AttrValue::Kind::kInt:
      proto->set_i(value.i());
      return absl::OkStatus();
    case AttrValue::Kind::kFloat:
      proto->set_f(value.f());
      return absl::OkStatus();
    case AttrValue::Kind::kBool:
      proto->set_b(value.b());
      return absl::OkStatus();
    case AttrValue::Kind::kType:
      proto->set_type(static_cast<tensorflow::DataType>(NumberOf(value.type())));
      return absl::OkStatus();
    case AttrValue::Kind::kString:
      proto->set_s(value.s());
      return absl::OkStatus();
    case AttrValue::Kind::kShape:
      ShapeToProto(value.shape(), proto->mutable_shape());
      return absl::OkStatus();
    case AttrValue::Kind::kTensor:
      return TensorToProto(value.tensor(), TensorForm::kCompact, proto->mutable_tensor());
    case AttrValue::Kind::kFunction:
      return WriteFunction(value.func(), proto->mutable_func());
    case AttrValue::Kind::kPlaceholder:
      proto->set_placeholder(value.placeholder());
      return absl::OkStatus();
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
