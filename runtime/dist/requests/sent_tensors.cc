#include "runtime/dist/requests/sent_tensors.h"

#include <algorithm>

namespace warpbeam {
namespace {

// What an entry costs besides the tensor.
constexpr int64_t kEntryBytes = 512;

int64_t BytesOf(const StatusOr<Rendezvous::Value>& value) {
  if (!value.ok()) return kEntryBytes + static_cast<int64_t>(value.status().message().size());
  const Tensor& tensor = value->tensor;
  if (!tensor.has_value()) return kEntryBytes;
  int64_t bytes = kEntryBytes + static_cast<int64_t>(tensor.bytes());
  if (tensor.dtype() != DType::kString) return bytes;
  const std::string* const strings = tensor.data<std::string>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    bytes += static_cast<int64_t>(strings[i].size());
  }
  return bytes;
}

Status CameBefore(int64_t request_id, bool may_be_kept) {
  return Aborted("the RecvTensor request ", request_id,
                 " has been answered before, and the tensor is kept no longer",
                 may_be_kept ? "" : " (--keep_sent_mb keeps large ones)");
}

}  // namespace

bool SentTensors::Begin(int64_t request_id, int64_t step_id, Rendezvous::Receiver* receiver,
                        int64_t* number) {
  *number = 0;
  StatusOr<Rendezvous::Value> answer = Rendezvous::Value();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = requests_.find(request_id);
    if (known == requests_.end()) {
      if (recent_.Begin(request_id, "RecvTensor").ok()) {
        Request& request = requests_[request_id];
        request.step_id = step_id;
        *number = next_number_++;
        request.waiting.emplace_back(*number, std::move(*receiver));
        *receiver = [self = shared_from_this(), request_id](StatusOr<Rendezvous::Value> value) {
          self->Arrive(request_id, std::move(value));
        };
        return true;
      }
      answer = CameBefore(request_id, asks_for_word());
    } else if (!known->second.value.has_value()) {
      *number = next_number_++;
      known->second.waiting.emplace_back(*number, std::move(*receiver));
      return false;
    } else {
      answer = *known->second.value;
    }
  }
  (*receiver)(std::move(answer));
  return false;
}

void SentTensors::SetWaiting(int64_t request_id, std::shared_ptr<Rendezvous> rendezvous,
                             std::string key, int64_t number) {
  if (number == 0) return;
  std::lock_guard<std::mutex> lock(mutex_);
  const auto known = requests_.find(request_id);
  if (known == requests_.end() || known->second.value.has_value()) return;
  known->second.rendezvous = std::move(rendezvous);
  known->second.key = std::move(key);
  known->second.number = number;
}

bool SentTensors::IsKept(int64_t bytes) const {
  return bytes <= (asks_for_word() ? kept_bytes_ : kSmallBytes);
}

void SentTensors::Arrive(int64_t request_id, StatusOr<Rendezvous::Value> value) {
  const int64_t bytes = BytesOf(value);
  std::vector<std::pair<int64_t, Rendezvous::Receiver>> waiting;
  std::vector<Request> gone;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = requests_.find(request_id);
    if (known == requests_.end()) return;  // nobody waits any more
    waiting.swap(known->second.waiting);
    if (IsKept(bytes)) {
      Request& request = known->second;
      request.value = value;
      request.bytes = bytes;
      request.rendezvous = nullptr;
      request.age = order_.insert(order_.end(), request_id);
      steps_[request.step_id].insert(request_id);
      bytes_ += bytes;
      while (bytes_ > Most()) Drop(requests_.find(order_.front()), &gone);
    } else {
      requests_.erase(known);
    }
  }
  for (size_t i = 0; i + 1 < waiting.size(); ++i) waiting[i].second(value);
  if (!waiting.empty()) waiting.back().second(std::move(value));
}

void SentTensors::Drop(Requests::iterator request, std::vector<Request>* gone) {
  bytes_ -= request->second.bytes;
  order_.erase(request->second.age);
  const auto step = steps_.find(request->second.step_id);
  step->second.erase(request->first);
  if (step->second.empty()) steps_.erase(step);
  gone->push_back(std::move(request->second));
  requests_.erase(request);
}

bool SentTensors::Forget(int64_t request_id, int64_t number) {
  std::shared_ptr<Rendezvous> rendezvous;
  std::string key;
  int64_t at = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = requests_.find(request_id);
    if (known == requests_.end()) return false;
    auto& waiting = known->second.waiting;
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [number](const auto& one) { return one.first == number; });
    if (found == waiting.end()) return false;
    waiting.erase(found);
    if (!waiting.empty()) return true;
    rendezvous = std::move(known->second.rendezvous);
    key = std::move(known->second.key);
    at = known->second.number;
    requests_.erase(known);
    recent_.Forget(request_id);
  }
  if (rendezvous != nullptr) rendezvous->Forget(key, at);
  return true;
}

void SentTensors::MarkReceived(int64_t request_id) {
  std::vector<Request> gone;
  std::lock_guard<std::mutex> lock(mutex_);
  const auto known = requests_.find(request_id);
  if (known != requests_.end() && known->second.value.has_value()) Drop(known, &gone);
}

void SentTensors::EndStep(int64_t step_id) {
  std::vector<Request> gone;
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto step = steps_.find(step_id); step != steps_.end(); step = steps_.find(step_id)) {
    Drop(requests_.find(*step->second.begin()), &gone);
  }
}

int64_t SentTensors::bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

}  // namespace warpbeam
