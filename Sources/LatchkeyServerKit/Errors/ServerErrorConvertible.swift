/// An error that a handler may throw and that produces a response other than a bare 500.
package protocol ServerErrorConvertible: Error {
    /// The error to respond with.
    var serverError: ServerError { get }
}
