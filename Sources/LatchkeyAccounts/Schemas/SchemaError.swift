/// An error in an identity schema that is invalid or not supported, with its location in the text.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    /// A JSON pointer (RFC 6901) into the schema; the empty pointer stands for the whole text.
    ///
    /// ``SchemaCatalog`` prepends the schema's id.
    package let place: String
    /// The reason, such as "must be an object", which continues a sentence that begins with ``place``.
    package let message: String

    /// The text `place: message` on one line.
    package var description: String {
        "\(place.isEmpty ? "the identity schema" : place): \(message)"
    }
}
