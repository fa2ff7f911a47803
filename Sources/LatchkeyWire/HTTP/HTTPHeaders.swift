/// Header fields in their order, found without regard to case (RFC 9110, section 5).
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// One header field.
    public struct Field: Sendable {
        /// The name as it was written.
        public var name: String

        /// The value, without surrounding white space.
        public var value: String

        /// Creates a field.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - value: The value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields in order.
    public var fields: [Field]

    /// Creates fields from a literal, keeping its order.
    ///
    /// - Parameter elements: Names and values.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first field of a name; setting it replaces all of that name.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
        set {
            fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// All values of a name, in order.
    ///
    /// - Parameter name: The name, in any case.
    /// - Returns: The values; none when there is no such field.
    public func all(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }
}

extension String {
    /// Whether two texts have the same bytes.
    ///
    /// `==` brings both into a Unicode normalization form first, at a cost that grows with the square of the number of
    /// combining marks in a row.
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Compares two texts byte by byte, with ASCII letters taken as lower case.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { left, right in
            left == right || (left | 0x20 == right | 0x20 && (0x61...0x7A).contains(left | 0x20))
        }
    }
}
