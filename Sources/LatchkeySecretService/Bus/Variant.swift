import CGio

/// A value that goes over the bus; holds a reference as long as it lives.
final class Variant {
    let pointer: OpaquePointer

    /// Takes over a reference, or sinks a floating one.
    init(_ pointer: OpaquePointer) {
        self.pointer = g_variant_take_ref(pointer)
    }

    deinit {
        g_variant_unref(pointer)
    }

    static func string(_ text: String) -> Variant {
        Variant(g_variant_new_string(text))
    }

    static func path(_ path: String) -> Variant {
        Variant(g_variant_new_object_path(path))
    }

    static func boolean(_ value: Bool) -> Variant {
        Variant(g_variant_new_boolean(value ? 1 : 0))
    }

    static func bytes(_ bytes: [UInt8]) -> Variant {
        array(of: "y", bytes.map { Variant(g_variant_new_byte($0)) })
    }

    static func tuple(_ members: [Variant]) -> Variant {
        let pointers: [OpaquePointer?] = members.map(\.pointer)
        return withExtendedLifetime(members) { Variant(g_variant_new_tuple(pointers, gsize(pointers.count))) }
    }

    static func array(of type: String, _ members: [Variant]) -> Variant {
        let kind = g_variant_type_new(type)
        defer { g_variant_type_free(kind) }
        let pointers: [OpaquePointer?] = members.map(\.pointer)
        return withExtendedLifetime(members) {
            Variant(g_variant_new_array(kind, pointers, gsize(pointers.count)))
        }
    }

    /// A dictionary from text to text.
    static func texts(_ pairs: [String: String]) -> Variant {
        array(of: "{ss}", pairs.map { entry($0.key, .string($0.value)) })
    }

    /// A dictionary from text to values of any type.
    static func values(_ pairs: [String: Variant]) -> Variant {
        array(of: "{sv}", pairs.map { entry($0.key, .any($0.value)) })
    }

    /// A value together with its type.
    static func any(_ value: Variant) -> Variant {
        withExtendedLifetime(value) { Variant(g_variant_new_variant(value.pointer)) }
    }

    private static func entry(_ key: String, _ value: Variant) -> Variant {
        withExtendedLifetime(value) {
            Variant(g_variant_new_dict_entry(g_variant_new_string(key), value.pointer))
        }
    }
}

// What is read has the type that the call asked for, or the call would have failed.
extension Variant {
    subscript(_ index: Int) -> Variant {
        Variant(g_variant_get_child_value(pointer, gsize(index)))
    }

    var members: [Variant] {
        (0..<Int(g_variant_n_children(pointer))).map { self[$0] }
    }

    /// The text of a string or an object path.
    var text: String {
        String(cString: g_variant_get_string(pointer, nil))
    }

    /// Whether a value of any type is a true one.
    var isTrue: Bool {
        guard let inner = g_variant_get_variant(pointer) else { return false }
        let value = Variant(inner)
        return String(cString: g_variant_get_type_string(value.pointer)) == "b"
            && g_variant_get_boolean(value.pointer) != 0
    }

    /// The bytes of an array of them.
    var bytes: [UInt8] {
        var count: gsize = 0
        guard let start = g_variant_get_fixed_array(pointer, &count, 1) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}
