#include "ops/parsing/example_wire.h"

#include <cstring>

#include "ops/parsing/wire_reader.h"

namespace warpbeam {
namespace {

// Up to here comparing with every name is faster than hashing.
constexpr size_t kFewNames = 8;

// Feature: bytes_list = 1, float_list = 2, int64_list = 3, of which the last one counts.
bool ReadFeature(absl::string_view bytes, FeatureView* view) {
  *view = FeatureView();
  WireReader r(bytes);
  uint32_t tag;
  while (r.ReadTag(&tag)) {
    DType type;
    switch (tag) {
      case DelimitedTag(1):
        type = DType::kString;
        break;
      case DelimitedTag(2):
        type = DType::kFloat;
        break;
      case DelimitedTag(3):
        type = DType::kInt64;
        break;
      default:
        if (!r.Skip(tag)) return false;
        continue;
    }
    if (!r.ReadBytes(&view->list)) return false;
    view->type = type;
  }
  return r.AtEnd();
}

// An entry of the map of features: key = 1, value = 2.
bool ReadEntry(absl::string_view bytes, const FeatureIndex& index, FeatureView* views) {
  WireReader r(bytes);
  uint32_t tag;
  absl::string_view key, feature;
  while (r.ReadTag(&tag)) {
    if (tag == DelimitedTag(1)) {
      if (!r.ReadBytes(&key)) return false;
    } else if (tag == DelimitedTag(2)) {
      if (!r.ReadBytes(&feature)) return false;
    } else if (!r.Skip(tag)) {
      return false;
    }
  }
  if (!r.AtEnd()) return false;
  const int first = index.Find(key);
  if (first < 0) return true;
  if (!ReadFeature(feature, &views[first])) return false;
  for (int i = index.Next(first); i >= 0; i = index.Next(i)) views[i] = views[first];
  return true;
}

bool ReadFeatures(absl::string_view bytes, const FeatureIndex& index, FeatureView* views) {
  WireReader r(bytes);
  uint32_t tag;
  absl::string_view entry;
  while (r.ReadTag(&tag)) {
    if (tag != DelimitedTag(1)) {
      if (!r.Skip(tag)) return false;
    } else if (!r.ReadBytes(&entry) || !ReadEntry(entry, index, views)) {
      return false;
    }
  }
  return r.AtEnd();
}

// Calls fn(tag, reader) for every run of values (field 1) of a list; false where one fails.
template <typename Fn>
bool ForEachRun(absl::string_view list, Fn fn) {
  WireReader r(list);
  uint32_t tag;
  while (r.ReadTag(&tag)) {
    if (tag >> 3 == 1 ? !fn(tag, r) : !r.Skip(tag)) return false;
  }
  return r.AtEnd();
}

bool CountBytes(absl::string_view list, int64_t* count) {
  return ForEachRun(list, [count](uint32_t tag, WireReader& r) {
    absl::string_view value;
    ++*count;
    return tag == DelimitedTag(1) && r.ReadBytes(&value);
  });
}

bool CountFloats(absl::string_view list, int64_t* count) {
  return ForEachRun(list, [count](uint32_t tag, WireReader& r) {
    uint32_t bits;
    absl::string_view packed;
    if (tag == Fixed32Tag(1)) {
      ++*count;
      return r.ReadFixed32(&bits);
    }
    if (tag != DelimitedTag(1) || !r.ReadBytes(&packed) || packed.size() % 4 != 0) return false;
    *count += static_cast<int64_t>(packed.size() / 4);
    return true;
  });
}

bool CountInts(absl::string_view list, int64_t* count) {
  return ForEachRun(list, [count](uint32_t tag, WireReader& r) {
    uint64_t value;
    absl::string_view packed;
    if (tag == VarintTag(1)) {
      ++*count;
      return r.ReadVarint(&value);
    }
    if (tag != DelimitedTag(1) || !r.ReadBytes(&packed)) return false;
    WireReader values(packed);
    while (!values.AtEnd()) {
      if (!values.ReadVarint(&value)) return false;
      ++*count;
    }
    return true;
  });
}

}  // namespace

FeatureIndex::FeatureIndex(std::vector<std::string> names)
    : names_(std::move(names)), next_(names_.size(), -1) {
  absl::flat_hash_map<absl::string_view, int> last;
  for (size_t i = 0; i < names_.size(); ++i) {
    const int number = static_cast<int>(i);
    auto [it, is_new] = last.try_emplace(names_[i], number);
    if (is_new) {
      if (names_.size() > kFewNames) numbers_[names_[i]] = number;
    } else {
      next_[static_cast<size_t>(it->second)] = number;
      it->second = number;
    }
  }
}

int FeatureIndex::Find(absl::string_view name) const {
  if (names_.size() > kFewNames) {
    const auto it = numbers_.find(name);
    return it == numbers_.end() ? -1 : it->second;
  }
  for (size_t i = 0; i < names_.size(); ++i) {
    if (name == names_[i]) return static_cast<int>(i);
  }
  return -1;
}

bool FindFeatures(absl::string_view example, const FeatureIndex& index, FeatureView* views) {
  for (size_t i = 0; i < index.size(); ++i) views[i] = FeatureView();
  WireReader r(example);
  uint32_t tag;
  absl::string_view features;
  while (r.ReadTag(&tag)) {
    if (tag != DelimitedTag(1)) {
      if (!r.Skip(tag)) return false;
    } else if (!r.ReadBytes(&features) || !ReadFeatures(features, index, views)) {
      return false;
    }
  }
  return r.AtEnd();
}

absl::StatusOr<int64_t> CountValues(const FeatureView& view) {
  int64_t count = 0;
  bool sound = true;
  switch (view.type) {
    case DType::kString:
      sound = CountBytes(view.list, &count);
      break;
    case DType::kFloat:
      sound = CountFloats(view.list, &count);
      break;
    case DType::kInt64:
      sound = CountInts(view.list, &count);
      break;
    default:
      break;
  }
  if (!sound) return InvalidArgument("the list of values is malformed");
  return count;
}

void DecodeValues(const FeatureView& view, int64_t* out) {
  ForEachRun(view.list, [&out](uint32_t tag, WireReader& r) {
    uint64_t value = 0;
    absl::string_view packed;
    if (tag == VarintTag(1)) {
      if (!r.ReadVarint(&value)) return false;
      *out++ = static_cast<int64_t>(value);
      return true;
    }
    if (!r.ReadBytes(&packed)) return false;
    for (WireReader values(packed); !values.AtEnd();) {
      if (!values.ReadVarint(&value)) return false;
      *out++ = static_cast<int64_t>(value);
    }
    return true;
  });
}

void DecodeValues(const FeatureView& view, float* out) {
  ForEachRun(view.list, [&out](uint32_t tag, WireReader& r) {
    absl::string_view packed;
    if (tag == Fixed32Tag(1)) {
      uint32_t bits;
      if (!r.ReadFixed32(&bits)) return false;
      memcpy(out++, &bits, sizeof(bits));
      return true;
    }
    if (!r.ReadBytes(&packed)) return false;
    memcpy(out, packed.data(), packed.size());
    out += packed.size() / 4;
    return true;
  });
}

void DecodeValues(const FeatureView& view, std::string* out) {
  ForEachRun(view.list, [&out](uint32_t, WireReader& r) {
    absl::string_view value;
    if (!r.ReadBytes(&value)) return false;
    (out++)->assign(value.data(), value.size());
    return true;
  });
}

}  // namespace warpbeam
