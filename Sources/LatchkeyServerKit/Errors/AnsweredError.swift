package import LatchkeyWire

/// An error with a response of its own, which the router sends instead of the error envelope.
///
/// The router reports and counts the underlying error as usual.
package struct AnsweredError: Error {
    let underlying: any Error
    let response: HTTP.Response

    package init(_ underlying: any Error, response: HTTP.Response) {
        self.underlying = underlying
        self.response = response
    }
}
