import CGio

/// A D-Bus value that owns a reference to its `GVariant`.
final class Variant {
    let pointer: OpaquePointer

    /// Takes ownership of a reference, or sinks a floating reference.
    init(_ pointer: OpaquePointer) {
        self.pointer = g_variant_take_ref(pointer)
    }

    deinit {
        g_variant_unref(pointer)
    }

    /// Creates a string (`s`).
    static func string(_ text: String) -> Variant {
        Variant(g_variant_new_string(text))
    }

    /// Creates an object path (`o`) from a string, which must be a valid path.
    static func path(_ path: String) -> Variant {
        Variant(g_variant_new_object_path(path))
    }

    static func boolean(_ value: Bool) -> Variant {
        Variant(g_variant_new_boolean(value ? 1 : 0))
    }

    /// Creates an array of bytes (`ay`).
    static func bytes(_ bytes: [UInt8]) -> Variant {
        array(of: "y", bytes.map { Variant(g_variant_new_byte($0)) })
    }

    static func tuple(_ members: [Variant]) -> Variant {
        let pointers: [OpaquePointer?] = members.map(\.pointer)
        return withExtendedLifetime(members) { Variant(g_variant_new_tuple(pointers, gsize(pointers.count))) }
    }

    /// Creates an array of members of the given D-Bus type.
    static func array(of type: String, _ members: [Variant]) -> Variant {
        let kind = g_variant_type_new(type)
        defer { g_variant_type_free(kind) }
        let pointers: [OpaquePointer?] = members.map(\.pointer)
        return withExtendedLifetime(members) {
            Variant(g_variant_new_array(kind, pointers, gsize(pointers.count)))
        }
    }

    /// Creates a dictionary from strings to strings (`a{ss}`).
    static func texts(_ pairs: [String: String]) -> Variant {
        array(of: "{ss}", pairs.map { entry(key: $0.key, value: .string($0.value)) })
    }

    /// Creates a dictionary from strings to values of any type (`a{sv}`).
    static func values(_ pairs: [String: Variant]) -> Variant {
        array(of: "{sv}", pairs.map { entry(key: $0.key, value: .variant($0.value)) })
    }

    /// Creates a variant (`v`), which contains a value together with its type.
    static func variant(_ value: Variant) -> Variant {
        withExtendedLifetime(value) { Variant(g_variant_new_variant(value.pointer)) }
    }

    private static func entry(key: String, value: Variant) -> Variant {
        withExtendedLifetime(value) {
            Variant(g_variant_new_dict_entry(g_variant_new_string(key), value.pointer))
        }
    }
}

// These accessors do not check types because a call already fails if its reply has the wrong type.
extension Variant {
    /// Returns the element of a tuple, array or dictionary entry at an index.
    subscript(_ index: Int) -> Variant {
        Variant(g_variant_get_child_value(pointer, gsize(index)))
    }

    /// All elements of an array or tuple.
    var members: [Variant] {
        (0..<Int(g_variant_n_children(pointer))).map { self[$0] }
    }

    /// The contents of a string or an object path.
    var text: String {
        String(cString: g_variant_get_string(pointer, nil))
    }

    /// Whether this value is a variant (`v`) that contains the boolean `true`.
    var isTrue: Bool {
        guard let inner = g_variant_get_variant(pointer) else { return false }
        let value = Variant(inner)
        return String(cString: g_variant_get_type_string(value.pointer)) == "b"
            && g_variant_get_boolean(value.pointer) != 0
    }

    /// The contents of a byte array.
    var bytes: [UInt8] {
        var count: gsize = 0
        guard let start = g_variant_get_fixed_array(pointer, &count, 1) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
    }
}
