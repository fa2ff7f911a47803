/// The error that an identity schema is invalid or unsupported, with the place in its text.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    /// A JSON pointer (RFC 6901) into the schema, empty for the whole text; ``SchemaCatalog`` adds the
    /// schema's id before it.
    package let place: String
    package let message: String

    package var description: String {
        "\(place.isEmpty ? "the identity schema" : place): \(message)"
    }
}
