package import LatchkeyServerKit
package import LatchkeyWire

/// Turns the outcomes of flows into responses for one type of client.
package protocol FlowResponder: Sendable {
    /// Creates the response for an outcome.
    ///
    /// - Parameters:
    ///   - outcome: The outcome to respond with.
    ///   - kind: The kind of flow.
    /// - Returns: The response.
    /// - Throws: ``ServerError`` if the outcome is reported to clients as an error.
    func respond(to outcome: FlowOutcome, of kind: FlowKind) throws(ServerError) -> HTTP.Response
}
