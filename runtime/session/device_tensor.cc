#include "runtime/session/device_tensor.h"

#include <typeinfo>
#include <utility>

namespace warpbeam {
namespace {

class HeldBuffer final : public Buffer {
 public:
  HeldBuffer(BufferRef inner, const Device* device, std::shared_ptr<DeviceSet> devices)
      : Buffer(inner->data(), inner->bytes()),
        device_(device),
        devices_(std::move(devices)),
        inner_(std::move(inner)) {}

  const Device* device() const { return device_; }

 private:
  void Release() override { delete this; }

  const Device* const device_;
  const std::shared_ptr<DeviceSet> devices_;  // goes after the bytes
  const BufferRef inner_;
};

const HeldBuffer* AsHeld(const Tensor& tensor) {
  const Buffer* buffer = tensor.buffer().get();
  if (buffer == nullptr || typeid(*buffer) != typeid(HeldBuffer)) return nullptr;
  return static_cast<const HeldBuffer*>(buffer);
}

}  // namespace

Tensor HoldOnDevice(Tensor tensor, const Device* device, std::shared_ptr<DeviceSet> devices) {
  if (!tensor.buffer() || AsHeld(tensor) != nullptr) return tensor;
  BufferRef held(new HeldBuffer(tensor.buffer(), device, std::move(devices)));
  return Tensor(tensor.dtype(), tensor.shape(), std::move(held), tensor.raw_data());
}

Status CheckMemory(const Tensor& tensor, const Device* device, const std::string& what) {
  const HeldBuffer* held = AsHeld(tensor);
  const Device* lies_on = held == nullptr ? nullptr : held->device();
  if (lies_on == device || tensor.num_elements() == 0) return OkStatus();
  const auto name = [](const Device* d) {
    return d == nullptr ? std::string("host memory") : d->name().ToString();
  };
  return InvalidArgument(what, " must be a tensor in ", name(device), ", this one lies in ",
                         name(lies_on), lies_on == nullptr ? "" : " or in another session's device",
                         device == nullptr ? "; callables whose feed_devices name it take it" : "");
}

}  // namespace warpbeam
