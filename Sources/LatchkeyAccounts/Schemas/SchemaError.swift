/// The error for an identity schema that is invalid or not supported, with the location of the problem in its
/// text.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    /// A JSON pointer (RFC 6901) into the schema, which is empty for the whole text; ``SchemaCatalog``
    /// prepends the schema's id.
    package let place: String
    /// The reason, such as "must be an object", which continues a sentence that begins with ``place``.
    package let message: String

    /// ``place`` and ``message`` on one line.
    package var description: String {
        "\(place.isEmpty ? "the identity schema" : place): \(message)"
    }
}
