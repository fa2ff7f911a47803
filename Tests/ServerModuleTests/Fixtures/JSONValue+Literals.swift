import LatchkeyWire

extension JSONValue {
    /// The members of an object.
    var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue {
    /// The elements of an array; empty for other values.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The first element of an array.
    var first: JSONValue? { elements.first }
}
