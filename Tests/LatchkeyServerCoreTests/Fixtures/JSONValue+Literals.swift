package import LatchkeyWire

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue {
    /// The members of an object.
    var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}
