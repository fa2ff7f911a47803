/// An error that a handler may throw and that produces a response other than a bare 500.
package protocol ServerErrorConvertible: Error {
    /// The error that is returned to the client.
    var serverError: ServerError { get }
}
