/// Thrown when an identity schema is invalid or isn't supported.
///
/// Contains the location of the error.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    /// A JSON pointer (RFC 6901) into the schema.
    ///
    /// An empty pointer refers to the whole schema.
    ///
    /// ``SchemaCatalog`` prepends the schema's id.
    package let place: String
    /// The problem, such as "must be an object".
    ///
    /// The message is the rest of a sentence that begins with ``place``.
    package let message: String

    /// The location and the message on one line, separated by a colon.
    package var description: String {
        "\(place.isEmpty ? "the identity schema" : place): \(message)"
    }
}
