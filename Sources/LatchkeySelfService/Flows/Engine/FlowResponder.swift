package import LatchkeyServerKit
package import LatchkeyWire

/// Converts the outcomes of flows to responses for one kind of client.
package protocol FlowResponder: Sendable {
    /// Creates the response to an outcome.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - kind: The kind of flow.
    /// - Returns: The response.
    /// - Throws: ``ServerError`` for outcomes that clients receive as errors.
    func respond(to outcome: FlowOutcome, of kind: FlowKind) throws(ServerError) -> HTTP.Response
}
