import LatchkeyModel
import LatchkeyWire

/// Requests for the identity server's self-service flows.
extension IdentityAPI {
    /// Begins a flow.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema for a registration, or `nil` for the server's default.
    ///   - refresh: For logins, whether to ask the user of the current session to authenticate again.
    ///   - token: The session token. This is required for settings and for authenticating again.
    /// - Returns: The new flow.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/invalidResponse`` if the response isn't a
    ///   flow.
    func beginFlow(
        _ kind: Flow.Kind,
        schema: String? = nil,
        refresh: Bool = false,
        token: Secret? = nil
    ) async throws(LatchkeyError) -> Flow {
        var query: [String] = []
        if let schema { query.append("identity_schema=\(QueryItems.encode(schema))") }
        if refresh { query.append("refresh=true") }
        return try await flow(
            at: selfService + kind.initRoute,
            query: query.isEmpty ? nil : query.joined(separator: "&"),
            of: kind,
            token: token
        )
    }

    /// Fetches a flow.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - id: The flow's id.
    ///   - token: The session token. This is required for settings.
    /// - Returns: The flow.
    /// - Throws: ``LatchkeyError``. The code is ``LatchkeyError/Code/flowExpired`` if the flow has expired.
    func readFlow(_ kind: Flow.Kind, id: String, token: Secret?) async throws(LatchkeyError) -> Flow {
        try await flow(
            at: selfService + kind.readRoute,
            query: "id=\(QueryItems.encode(id))",
            of: kind,
            token: token
        )
    }

    /// Submits answers to a flow.
    ///
    /// The request is always sent to the configured server. The submission URL in the flow's form is ignored.
    ///
    /// - Parameters:
    ///   - answers: The user's answers.
    ///   - flow: The most recently received version of the flow.
    ///   - token: The session token, which is required for settings flows and for re-authentication.
    ///   - proof: A DPoP proof for ``submissionURL(of:)``, signed with the key that the device will enroll,
    ///     or `nil` if the submission can't create a session.
    /// - Returns: The decoded response.
    /// - Throws: ``LatchkeyError``. The error doesn't contain passwords or codes.
    func submit(
        _ answers: FlowSubmission,
        to flow: Flow,
        token: Secret?,
        proof: String?
    ) async throws(LatchkeyError) -> FlowReply {
        var writer = JSONWriter(reserving: 512)
        writer.value(answers.body(for: flow))
        var request = HTTP.Request(
            .post,
            selfService + flow.kind.submissionRoute,
            query: "flow=\(QueryItems.encode(flow.id))",
            headers: ["Content-Type": "application/json"],
            body: writer.bytes
        )
        if let token { request.headers["X-Session-Token"] = token.exposed }
        if let proof { request.headers[DPoPProof.header] = proof }
        let answer = try await exchange(request)
        return try FlowReply(
            decoding: answer,
            of: flow.kind,
            readPath: selfService + flow.kind.readRoute,
            secrets: answers.secrets(in: flow).map { Secret($0) } + (token.map { [$0] } ?? [])
        )
    }

    /// Sends a request whose response is a flow.
    private func flow(
        at path: String,
        query: String?,
        of kind: Flow.Kind,
        token: Secret?
    ) async throws(LatchkeyError) -> Flow {
        var request = HTTP.Request(.get, path, query: query)
        if let token { request.headers["X-Session-Token"] = token.exposed }
        let answer = try await send(request, for: FlowBody.self, secrets: token.map { [$0] } ?? [])
        return try Flow(decoding: answer.json, of: kind)
    }
}
