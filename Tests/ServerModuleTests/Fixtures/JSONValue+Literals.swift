import LatchkeyWire

extension JSONValue {
    /// The members of an object, or `nil` for any other value.
    var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue {
    /// The elements of an array, or an empty array for any other value.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The first element of an array, or `nil` if there isn't one.
    var first: JSONValue? { elements.first }
}
