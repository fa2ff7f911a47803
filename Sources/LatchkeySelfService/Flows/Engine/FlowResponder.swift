package import LatchkeyServerKit
package import LatchkeyWire

/// Turns the outcomes of flows into responses for a kind of client.
package protocol FlowResponder: Sendable {
    /// Creates the response.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - kind: The kind of flow.
    /// - Returns: The response.
    /// - Throws: ``ServerError`` for outcomes that clients receive as errors.
    func respond(to outcome: FlowOutcome, of kind: FlowKind) throws(ServerError) -> HTTP.Response
}
