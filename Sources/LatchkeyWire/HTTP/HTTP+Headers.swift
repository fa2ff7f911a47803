import LatchkeyModel

extension HTTP {
    /// An ordered list of header fields.
    ///
    /// Names are case-insensitive (RFC 9110, section 5).
    public struct Headers: Sendable, ExpressibleByDictionaryLiteral {
        /// A single header field.
        public struct Field: Sendable {
            /// The name, with its original capitalization.
            public var name: String

            /// The value without surrounding white space.
            public var value: String

            /// Creates a header field.
            ///
            /// - Parameters:
            ///   - name: The name, whose capitalization is preserved.
            ///   - value: The value without surrounding white space.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// All header fields, in order.
        public var fields: [Field]

        /// Creates header fields from a dictionary literal, preserving its order.
        ///
        /// - Parameter elements: The names and values. The same name can occur more than once.
        public init(dictionaryLiteral elements: (String, String)...) {
            fields = elements.map { Field(name: $0.0, value: $0.1) }
        }

        /// The value of the first field with the given name.
        ///
        /// Setting a value replaces all fields with the given name, and setting `nil` removes them.
        public subscript(name: String) -> String? {
            get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
            set {
                fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
                if let newValue { fields.append(Field(name: name, value: newValue)) }
            }
        }

        /// Returns whether there is more than one field with the given name.
        package func repeats(_ name: String) -> Bool {
            var isFound = false
            for field in fields where field.name.equalsIgnoringASCIICase(name) {
                if isFound { return true }
                isFound = true
            }
            return false
        }

        /// Returns the values of all fields with the given name, in order.
        ///
        /// - Parameter name: The name of the field, which is case-insensitive.
        /// - Returns: The values, or an empty array if there are no such fields.
        public func all(_ name: String) -> [String] {
            fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
        }
    }
}

extension String {
    /// Returns `true` if both strings consist of the same UTF-8 bytes.
    ///
    /// The `==` operator would normalize both strings, which takes quadratic time if there are many combining
    /// marks in a row.
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Returns `true` if both strings consist of the same UTF-8 bytes, ignoring the case of ASCII letters.
    ///
    /// Non-ASCII characters must match exactly. Use this method to compare header field names and URL
    /// schemes.
    package func equalsIgnoringASCIICase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Comparing buffers takes a fraction of the time. The bytes of bridged strings may not be available.
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { Self.equalsIgnoringASCIICase(bytes, $0) }
        }
        return isEqual.flatMap(\.self) ?? Self.equalsIgnoringASCIICase(Array(utf8), Array(other.utf8))
    }

    private static func equalsIgnoringASCIICase(
        _ bytes: some Collection<UInt8>,
        _ others: some Collection<UInt8>
    ) -> Bool {
        zip(bytes, others).allSatisfy { left, right in
            let isLetter = (0x61...0x7A).contains(left | 0x20)
            return left == right || (isLetter && left | 0x20 == right | 0x20)
        }
    }
}

extension HTTP.Headers.Field: CustomReflectable {
    /// A mirror for printing, in which the value is masked, because it may be a credential.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": Masked()], displayStyle: .struct)
    }
}
