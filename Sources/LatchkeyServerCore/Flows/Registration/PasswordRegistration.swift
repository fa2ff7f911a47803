import LatchkeyModel

/// Makes an identity with a password and opens its first session: all of it in one transaction, or nothing.
struct PasswordRegistration: Sendable {
    /// What came of a registration.
    enum Outcome: Sendable {
        case session(Session, SessionToken, IdentityRecord)

        /// Somebody has one of the identifiers or addresses.
        case duplicate

        /// Another request ended the flow, or verified another phone number in it.
        case flowOver
    }

    private struct FlowOver: Error {}

    private let context: ServerContext

    init(_ context: ServerContext) {
        self.context = context
    }

    func register(
        _ traits: Traits,
        _ password: Secret,
        _ schema: IdentitySchema,
        _ flow: Flow,
        _ exchange: Exchange
    ) async throws -> Outcome {
        let hash = try await context.hasher.hash(password)
        let now = context.time.now
        let verified = schema.policy.verifiedPhone == nil ? nil : flow.verifiedPhone
        let identity = Identity(
            schema,
            traits,
            verified: verified.map { [$0] } ?? [],
            at: now,
            random: context.random
        )
        let opening = SessionOpening(of: identity.id, schema, for: exchange, at: now, context)
        do {
            try await context.database.transaction { transaction in
                guard try FlowRepository.consume(flow, at: now, in: transaction) else { throw FlowOver() }
                try IdentityRepository.insert(identity, passwordHash: hash, in: transaction)
                try SessionRepository.insert(opening.session, token: opening.token, in: transaction)
            }
        } catch is IdentityRepository.Duplicate {
            return .duplicate
        } catch is FlowOver {
            return .flowOver
        }
        return .session(opening.session, opening.token, identity.record)
    }
}
