import LatchkeyModel
import LatchkeyWire

/// Ends a registration: uses the flow up and makes the identity, its session and the codes for its addresses.
///
/// All of it happens in one transaction, or nothing.
struct RegistrationCompletion: Sendable {
    /// The flow was used up by another request, or its time is over.
    struct FlowOver: Error {}

    /// What a registration is made of.
    struct Request: Sendable {
        let exchange: Exchange
        let flow: Flow
        let schema: IdentitySchema
        let traits: Traits
    }

    /// How somebody proved who they are, and what they go on with.
    struct Proof: Sendable {
        /// The method, as Kratos names it.
        let method: String
        var passwordHash: String?

        /// The address that a code was sent to.
        var address: Traits.Address?
    }

    /// What a registration ends in.
    struct Registered: Sendable {
        let identity: IdentityRecord
        let session: (Session, SessionToken)?

        /// How somebody proved who they are.
        let method: String

        /// The codes that are on their way to other addresses.
        let verifications: [VerificationSending.Begun]
    }

    private let context: ServerContext
    private let verifications: VerificationSending
    private let homes: HomeNetworks

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        verifications = VerificationSending(context, courier: courier)
        homes = HomeNetworks(context)
    }

    /// Ends a registration within the transaction of what proves it; ``wake()`` follows when that is done.
    ///
    /// - Parameters:
    ///   - request: What the registration is made of.
    ///   - proof: How somebody proved who they are.
    ///   - now: The time.
    ///   - transaction: The transaction.
    /// - Returns: The identity with its session.
    /// - Throws: ``FlowOver`` and ``IdentityRepository/Duplicate``, after which nothing of the transaction may stay.
    func register(
        _ request: Request,
        _ proof: Proof,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Registered {
        var flow = request.flow
        flow.active = proof.method
        flow.ui = nil
        guard try FlowRepository.complete(flow, at: now, in: transaction) else { throw FlowOver() }
        let verifiedPhone = request.schema.policy.verifiedPhone == nil ? nil : flow.verifiedPhone
        var identity = Identity(
            request.schema,
            request.traits,
            verified: Set([verifiedPhone, proof.address?.value].compactMap { $0 }),
            at: now,
            random: context.random
        )
        var begun: [VerificationSending.Begun] = []
        if context.settings.verificationAfterRegistration {
            (identity, begun) = try verifications.begin(
                for: identity,
                request.exchange,
                at: now,
                in: transaction
            )
        }
        try IdentityRepository.insert(identity, passwordHash: proof.passwordHash, in: transaction)
        try AuditLog.append(
            AuditEvent(
                .created,
                of: identity.id,
                by: .person,
                in: request.exchange,
                about: proof.method,
                at: now,
                random: context.random
            ),
            in: transaction
        )
        for identifier in identity.identifiers {
            try homes.remember(request.exchange.peer, of: identifier, at: now, in: transaction)
        }
        guard context.settings.sessionAfterRegistration else {
            return Registered(
                identity: identity.record,
                session: nil,
                method: proof.method,
                verifications: begun
            )
        }
        let opening = SessionOpening(
            of: identity.id,
            by: proof.method,
            request.schema,
            for: request.exchange,
            at: now,
            context
        )
        try SessionRepository.insert(opening.session, token: opening.token, in: transaction)
        return Registered(
            identity: identity.record,
            session: (opening.session, opening.token),
            method: proof.method,
            verifications: begun
        )
    }

    /// Has the codes sent that a registration has kept.
    func wake(_ registered: Registered) {
        if !registered.verifications.isEmpty { verifications.wake() }
    }
}
