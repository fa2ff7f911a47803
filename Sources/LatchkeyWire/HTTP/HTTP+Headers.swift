extension HTTP {
    /// An ordered list of header fields with case-insensitive lookup (RFC 9110, section 5).
    public struct Headers: Sendable, ExpressibleByDictionaryLiteral {
        /// A header field.
        public struct Field: Sendable {
            /// The name in its original spelling.
            public var name: String

            /// The value, without surrounding white space.
            public var value: String

            /// Creates a field.
            ///
            /// - Parameters:
            ///   - name: The name; its spelling is preserved.
            ///   - value: The value, without surrounding white space.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// All fields, in their order.
        public var fields: [Field]

        /// Creates header fields from a dictionary literal, in the order of the literal.
        ///
        /// - Parameter elements: Names and values; names may occur more than once.
        public init(dictionaryLiteral elements: (String, String)...) {
            fields = elements.map { Field(name: $0.0, value: $0.1) }
        }

        /// The value of the first field with a name; setting it replaces all fields with that name, and
        /// setting `nil` removes them.
        public subscript(name: String) -> String? {
            get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
            set {
                fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
                if let newValue { fields.append(Field(name: name, value: newValue)) }
            }
        }

        /// Returns the values of all fields with a name, in their order.
        ///
        /// - Parameter name: The name, case-insensitive.
        /// - Returns: The values; empty if there is no such field.
        public func all(_ name: String) -> [String] {
            fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
        }
    }
}

extension String {
    /// Returns whether two strings have the same UTF-8 bytes.
    ///
    /// The operator `==` would normalize both strings, at a cost that is quadratic in the number of
    /// consecutive combining marks.
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Returns whether two strings have the same bytes, ignoring the case of ASCII letters.
    ///
    /// Other letters are compared exactly. This is how names of header fields and URL schemes are compared.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var others = other.utf8.makeIterator()
        for left in utf8 {
            guard let right = others.next() else { return false }
            let isLetter = (0x61...0x7A).contains(left | 0x20)
            guard left == right || (isLetter && left | 0x20 == right | 0x20) else { return false }
        }
        return true
    }
}
