/// The error that an identity schema is invalid or unsupported, with the place in its text.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    /// A JSON pointer (RFC 6901) into the schema, empty for the whole text; ``SchemaCatalog`` adds the
    /// schema's id before it.
    package let place: String
    /// The reason as the rest of a sentence that begins with the place, such as "must be an object".
    package let message: String

    /// The place and the message in one line.
    package var description: String {
        "\(place.isEmpty ? "the identity schema" : place): \(message)"
    }
}
