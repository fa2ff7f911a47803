/// An identity schema that the server does not take, with the place in its text.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    /// A JSON pointer (RFC 6901); empty for the whole text.
    package let place: String
    package let message: String

    package var description: String {
        "\(place.isEmpty ? "the identity schema" : place): \(message)"
    }
}
