import LatchkeyModel
import LatchkeyWire

/// Ends a recovery: uses the flow up, opens a session and begins the settings in which a new password is set.
struct RecoveryCompletion: Sendable {
    /// The flow was used up by another request, or its time is over.
    struct FlowOver: Error {}

    /// What a recovery ends in.
    struct Recovered: Sendable {
        let flow: Flow
        let session: Session
        let token: SessionToken
        let settings: Flow
    }

    private let context: ServerContext
    private let gate: FlowGate

    init(_ context: ServerContext) {
        self.context = context
        gate = FlowGate(context)
    }

    /// Ends a recovery within the transaction of the code that proves it.
    ///
    /// - Throws: ``FlowOver``, after which nothing of the transaction may stay.
    func open(
        _ identity: Identity,
        _ flow: Flow,
        _ exchange: Exchange,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Recovered {
        var passed = flow
        passed.state = .passedChallenge
        passed = gate.showing(Form(), in: passed, at: now)
        guard try FlowRepository.complete(passed, at: now, in: transaction) else { throw FlowOver() }
        let opening = SessionOpening(
            of: identity.id,
            by: "code_recovery",
            context.schemas[identity.schemaID],
            for: exchange,
            at: now,
            context
        )
        try SessionRepository.insert(opening.session, token: opening.token, in: transaction)
        try AuditLog.append(
            AuditEvent(
                .recovered,
                of: identity.id,
                by: .person,
                in: exchange,
                at: now,
                random: context.random
            ),
            in: transaction
        )
        let settings = settings(of: identity, opening.session, exchange, at: now)
        try FlowRepository.insert(settings, in: transaction)
        return Recovered(flow: passed, session: opening.session, token: opening.token, settings: settings)
    }

    private func settings(
        of identity: Identity,
        _ session: Session,
        _ exchange: Exchange,
        at now: Timestamp
    ) -> Flow {
        let flow = gate.flow(.settings, of: identity.id, identity.schemaID, exchange, at: now)
        let end = session.authenticatedAt + context.settings.privilegedSessionAge
        let schema = context.schemas[identity.schemaID]
        let form = schema.map { Form.showing(identity.record, $0) } ?? Form()
        return gate.showing(form.with(.recovered(until: end)), in: flow, at: now)
    }
}
