import LatchkeyModel
import LatchkeyWire

/// The self-service flows of the identity server.
extension IdentityAPI {
    /// Begins a flow.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - schema: The identity schema of a registration; `nil` for the server's default.
    ///   - refresh: Whether a login re-authenticates the user of the session.
    ///   - token: The session token, for settings and re-authentications.
    /// - Returns: The flow.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/invalidAnswer`` if the response is not a flow.
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

    /// Reads a flow.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - id: The id of the flow.
    ///   - token: The session token, for settings.
    /// - Returns: The flow.
    /// - Throws: ``LatchkeyError``, such as ``LatchkeyError/Code/flowExpired``.
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
    /// The request is sent to the configured server, whatever address the form of the flow names.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - flow: The flow, as it was last received.
    ///   - token: The session token, for settings and re-authentications.
    ///   - proof: A DPoP proof for ``submissionURL(of:)`` signed by the key that the device enrolls
    ///     afterwards; `nil` if the submission cannot open a session.
    /// - Returns: The server's reply.
    /// - Throws: ``LatchkeyError``, which contains neither passwords nor codes.
    func submit(
        _ answers: FlowAnswers,
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

    /// Requests a flow.
    private func flow(
        at path: String,
        query: String?,
        of kind: Flow.Kind,
        token: Secret?
    ) async throws(LatchkeyError) -> Flow {
        var request = HTTP.Request(.get, path, query: query)
        if let token { request.headers["X-Session-Token"] = token.exposed }
        let answer = try await exchange(request)
        guard answer.status == 200 else {
            let refusal = ServerRefusal(decoding: answer)
            throw LatchkeyError(refusal: token.map { refusal.without([$0]) } ?? refusal)
        }
        return try Flow(decoding: answer.json, of: kind)
    }
}
