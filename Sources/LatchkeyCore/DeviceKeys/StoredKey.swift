/// A device key in its stored form; never printed, because it may be the private key itself.
package struct StoredKey: Hashable, Sendable {
    /// The bytes; the property's name makes every use stand out in code reviews.
    package let exposed: [UInt8]

    /// Wraps the bytes that a provider exported; only the provider knows their format.
    package init(_ bytes: [UInt8]) {
        exposed = bytes
    }
}

extension StoredKey: CustomStringConvertible, CustomReflectable {
    /// A placeholder, so that the key cannot appear in logs.
    package var description: String { "‹key›" }

    /// A mirror without children, so that `dump` does not print the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
