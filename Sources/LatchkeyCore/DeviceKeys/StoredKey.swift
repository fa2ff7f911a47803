/// A device key in its stored form.
///
/// The stored form may be the private key itself, so it is never printed.
package struct StoredKey: Hashable, Sendable {
    /// The bytes of the key.
    ///
    /// The property's name makes it easy to notice every use of it in code reviews.
    package let exposed: [UInt8]

    /// Wraps the bytes exported by a provider.
    ///
    /// The format of the bytes depends on the provider.
    package init(_ bytes: [UInt8]) {
        exposed = bytes
    }
}

extension StoredKey: CustomStringConvertible, CustomReflectable {
    /// A placeholder that prevents the key from appearing in logs.
    package var description: String { "‹key›" }

    /// An empty mirror that prevents `dump` from printing the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
