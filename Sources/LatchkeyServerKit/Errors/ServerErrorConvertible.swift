/// An error that handlers may throw to produce a response other than a plain 500.
package protocol ServerErrorConvertible: Error {
    /// The error to return to the client.
    var serverError: ServerError { get }
}
