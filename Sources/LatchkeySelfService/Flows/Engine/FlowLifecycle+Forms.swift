import LatchkeyAccounts
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension FlowLifecycle {
    /// Saves the form of a rejected submission.
    ///
    /// The flow stays open for another submission.
    ///
    /// - Parameters:
    ///   - flow: The flow in its new state.
    ///   - form: The values and messages to show.
    ///   - now: The time of the change.
    ///   - identity: The identity that a settings flow shows, or `nil` for other flows.
    ///   - peer: The client's network address. If the flow has no account, the form counts toward the limit
    ///     on forms that are stored for the network.
    ///   - isCounted: Whether another limit has already counted the submission, so that the form isn't
    ///     counted.
    /// - Returns: The outcome, which contains the saved flow.
    /// - Throws: A ``ServerError`` with status 429 if too many forms were stored for the network. Also throws
    ///   ``DatabaseError``.
    func refuse(
        _ flow: Flow,
        with form: Form,
        at now: Timestamp,
        of identity: IdentityRecord? = nil,
        from peer: PeerAddress,
        isCounted: Bool = false
    ) async throws -> FlowOutcome {
        let shown = try await update(flow, showing: form, at: now, from: peer, isCounted: isCounted)
        return .refused(shown, of: identity)
    }

    /// Saves a flow together with the form that it shows, and returns it.
    ///
    /// If another request has completed the flow in the meantime, it isn't changed in the database. In that
    /// case, the returned flow is only used to build this response.
    ///
    /// - Parameters:
    ///   - flow: The flow in its new state.
    ///   - form: The values and messages to show.
    ///   - now: The time of the change.
    ///   - peer: The client's network address. If the flow has no account, the form counts toward the limit
    ///     on forms that are stored for the network.
    ///   - isCounted: Whether another limit has already counted the submission, so that the form isn't
    ///     counted.
    /// - Returns: The saved flow.
    /// - Throws: A ``ServerError`` with status 429 if too many forms were stored for the network. Also throws
    ///   ``DatabaseError``.
    func update(
        _ flow: Flow,
        showing form: Form,
        at now: Timestamp,
        from peer: PeerAddress,
        isCounted: Bool = false
    ) async throws -> Flow {
        let shown = showing(form, in: flow, at: now)
        try await database.transaction { transaction in
            if !isCounted { try count(shown, at: now, from: peer, in: transaction) }
            _ = try FlowRepository.update(shown, in: transaction)
        }
        return shown
    }

    /// Counts a flow that is stored for a client without an account.
    ///
    /// - Throws: A ``ServerError`` with status 429 if too many forms were stored for the network. Also throws
    ///   ``DatabaseError``.
    func count(
        _ flow: Flow,
        at now: Timestamp,
        from peer: PeerAddress,
        in transaction: borrowing Transaction
    ) throws {
        guard flow.identityID == nil else { return }
        let forms = Network.all(of: peer).map { LimitedEvent.keptForm($0) }
        try limiter.require(forms, at: now, in: transaction)
    }

    /// Returns a copy of a completed verification flow that shows a message and a link to continue.
    ///
    /// ``FlowWriter`` adds the link when the verification is in its final state. The copy isn't saved.
    func leadingOn(_ flow: Flow, saying message: UIMessage, at now: Timestamp) -> Flow {
        showing(Form(messages: [message]), in: flow, at: now)
    }

    /// Returns a copy of the flow that shows a form and has `now` as its update time.
    ///
    /// The copy isn't saved.
    package func showing(_ form: Form, in flow: Flow, at now: Timestamp) -> Flow {
        var flow = flow
        flow.show(form)
        flow.updatedAt = now
        return flow
    }
}
