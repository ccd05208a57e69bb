"""Messages with every field set, serialized by the protobuf runtime that TensorFlow uses."""

from google.protobuf import message_factory
from tensorflow.core.protobuf import meta_graph_pb2

# Messages inside a message are filled down to this depth. Every message type is filled on its own, too.
_DEPTH = 2


class _Filler:
    """Gives each scalar a value of its own, so that no two fields can be mistaken for one another."""

    def __init__(self, variant):
        self._variant = variant
        self._count = 0

    def _scalar(self, field):
        self._count += 1
        count = self._count
        kind = field.cpp_type
        if kind == field.CPPTYPE_STRING:
            return "text%d" % count if field.type == field.TYPE_STRING else b"\x00\xff%d" % count
        if kind == field.CPPTYPE_BOOL:
            return True
        if kind == field.CPPTYPE_ENUM:
            return field.enum_type.values[-1 - self._variant % (len(field.enum_type.values) - 1)].number
        if kind in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
            return count + 0.25
        if kind == field.CPPTYPE_INT32:
            return -count if count % 3 == 0 else count * 1000
        if kind == field.CPPTYPE_INT64:
            return -count if count % 3 == 0 else count << 33
        return count * 100003

    def _fill_map(self, message, field, depth):
        entry = field.message_type.fields_by_name
        target = getattr(message, field.name)
        is_text = entry["key"].cpp_type == field.CPPTYPE_STRING
        # Runtimes differ in how they order integer keys, and keys that begin alike, in deterministic output.
        for _ in range(2 if is_text else 1):
            self._count += 1
            key = "key%d" % (9000 - self._count) if is_text else 9000 - self._count
            if entry["value"].message_type:
                self.fill(target[key], depth - 1)
            else:
                target[key] = self._scalar(entry["value"])

    def fill(self, message, depth):
        message.SetInParent()
        for field in message.DESCRIPTOR.fields:
            oneof = field.containing_oneof
            if oneof and oneof.fields[self._variant % len(oneof.fields)] != field:
                continue
            is_message = field.message_type is not None
            if is_message and field.message_type.GetOptions().map_entry:
                if depth > 0:
                    self._fill_map(message, field, depth)
            elif is_message and depth <= 0:
                continue
            elif field.is_repeated:
                target = getattr(message, field.name)
                for _ in range(2):
                    if is_message:
                        self.fill(target.add(), depth - 1)
                    else:
                        target.append(self._scalar(field))
            elif is_message:
                self.fill(getattr(message, field.name), depth - 1)
            else:
                setattr(message, field.name, self._scalar(field))
        return message


def _variants(descriptor):
    nested = [_variants(inner) for inner in descriptor.nested_types]
    return max([len(oneof.fields) for oneof in descriptor.oneofs] + nested + [1])


def filled_messages(pool, names):
    """A list of filled messages, as many of each type as its oneofs have members."""
    result = meta_graph_pb2.CollectionDef.AnyList()
    for name in names:
        descriptor = pool.FindMessageTypeByName(name)
        for variant in range(_variants(descriptor)):
            message = _Filler(variant).fill(message_factory.GetMessageClass(descriptor)(), _DEPTH)
            result.value.add(type_url="type.googleapis.com/" + name,
                             value=message.SerializeToString(deterministic=True))
    return result
