import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension FlowLifecycle {
    /// Returns a registration with the rules of the client that the new session will belong to.
    ///
    /// Other flows are returned unchanged.
    func withFields(_ flow: Flow, at now: Timestamp) async throws(DatabaseError) -> Flow {
        guard flow.kind == .registration else { return flow }
        return try await withFields(flow, of: flow.clientID, at: now)
    }

    /// Returns a flow with the rules of the client that it leads to, or else of the given client.
    func withFields(
        _ flow: Flow,
        of clientID: String?,
        at now: Timestamp
    ) async throws(DatabaseError) -> Flow {
        var client = flow.authorization?.client
        if client == nil, let clientID { client = try await clients.client(clientID) }
        guard let client else { return flow }
        var flow = flow
        flow.fields = FieldRules(of: client, for: schemas[flow.schemaID] ?? schemas.standard, at: now)
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
