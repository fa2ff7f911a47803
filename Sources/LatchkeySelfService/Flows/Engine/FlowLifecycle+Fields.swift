import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension FlowLifecycle {
    /// Returns a registration with the rules of the client that the new session will belong to, and with the documents
    /// that its user has to answer.
    ///
    /// Other flows are returned unchanged.
    func withRequirements(_ flow: Flow, in context: RequestContext) async throws(DatabaseError) -> Flow {
        guard flow.kind == .registration else { return flow }
        return try await withRequirements(
            flow,
            of: flow.authorization?.client.id ?? flow.clientID,
            in: context
        )
    }

    /// Returns a flow with the rules of a client, and with the documents that the account still has to answer.
    ///
    /// Without an account, these are all documents that ask for an answer.
    func withRequirements(
        _ flow: Flow,
        of clientID: String?,
        for account: IdentityRecord? = nil,
        in context: RequestContext
    ) async throws(DatabaseError) -> Flow {
        var (flow, client) = (flow, flow.authorization?.client)
        if client?.id != clientID {
            client = nil
            if let clientID { client = try await clients.client(clientID) }
        }
        if let client {
            let schema = schemas[flow.schemaID] ?? schemas.standard
            flow.fields = FieldRules(of: client, for: schema, at: context.now)
        }
        flow.terms = FlowTerms(
            try await terms.documents(),
            for: client,
            blocking: blockingTerms,
            after: Agreements(column: account?.agreements),
            preferring: context.request.headers["Accept-Language"].map { LanguageRanges($0) },
            urls: urls,
            at: context.now
        )
        return flow
    }

    /// Starts the settings flow in which the user of an app completes the profile after a login or registration.
    ///
    /// Like the list of duties, the flow is left out if it can't be stored, because the session is already open.
    ///
    /// - Returns: The id of the flow, or `nil` if the profile is complete, or if the user has a browser.
    func settings(
        for duties: [AccountDuty],
        after outcome: FlowOutcome,
        in context: RequestContext
    ) async -> Identifier? {
        guard outcome.flow.type == .api, duties.contains(where: { $0.kind == .completeProfile }) else {
            return nil
        }
        let identity: IdentityRecord
        switch outcome {
        case .loggedIn(let opened): identity = opened.identity
        case .registered(let registered): identity = registered.identity
        default: return nil
        }
        guard let schema = schemas[identity.schemaID] else { return nil }
        let flow = flow(.settings, for: .api, of: identity.id, schemaID: schema.id, in: context)
        let shown = showing(Form.showing(identity, by: schema), in: flow, at: flow.createdAt)
        do {
            try await database.transaction { transaction in
                try FlowRepository.insert(shown, in: transaction)
            }
            return shown.id
        } catch {
            return nil
        }
    }
}
