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

        /// The key that the request proved possession of.
        let key: KeyBinding
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

        /// The verdict on a login to an existing account.
        let judged: AddressProver.Judged?
    }

    private let context: ServerContext
    private let verifications: VerificationSending
    private let prover: AddressProver
    private let networks: KnownNetworks

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        verifications = VerificationSending(context, courier: courier)
        prover = AddressProver(context, courier: courier)
        networks = KnownNetworks(context)
    }

    /// Ends a registration within the transaction of what proves it; ``wake(_:)`` follows the transaction.
    ///
    /// Addresses that the sign-up proves are taken from accounts that only claim them. If one is proven on an account
    /// that takes logins by code, the operator may have the caller logged in to it instead.
    ///
    /// - Parameters:
    ///   - request: What the registration is made of.
    ///   - proof: How the caller proved who they are.
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
        flow.clearForm()
        guard try FlowRepository.complete(flow, at: now, in: transaction) else { throw FlowOver() }
        let proven = Self.provenAddresses(request, proof)
        if let entered = try logIn(request, proof, at: now, in: transaction) { return entered }
        for address in proven {
            guard try prover.takeOver(address, in: request.exchange, at: now, transaction) else {
                throw IdentityRepository.Duplicate()
            }
        }
        let identity = Identity(
            request.schema,
            request.traits,
            verified: Set(proven.map(\.value)),
            at: now,
            random: context.random
        )
        return try create(identity, request, proof, at: now, in: transaction)
    }

    /// Whether another account has one of the identifiers, other than an address that the flow has proven.
    ///
    /// - Throws: ``DatabaseError``.
    func isTaken(
        _ request: Request,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let proven = request.flow.verifiedPhone
        for identifier in request.traits.identifiers where identifier != proven {
            let rows = try transaction.rows(
                "SELECT 1 FROM identifiers WHERE identifier = $1",
                .text(identifier)
            )
            if !rows.isEmpty { return true }
        }
        return false
    }

    /// Sends what a registration has left in the outbox.
    func wake(_ registered: Registered) {
        if !registered.verifications.isEmpty { verifications.wake() }
        if let judged = registered.judged { prover.sendNotices(of: judged) }
    }

    private static func provenAddresses(_ request: Request, _ proof: Proof) -> [Traits.Address] {
        let phone = request.schema.policy.verifiedPhone == nil ? nil : request.flow.verifiedPhone
        let proven = Set(
            [phone.map { Traits.Address(via: .sms, value: $0) }, proof.address].compactMap { $0 }
        )
        return proven.intersection(request.traits.addresses).sorted { $0.value < $1.value }
    }

    private func create(
        _ new: Identity,
        _ request: Request,
        _ proof: Proof,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Registered {
        var identity = new
        let opening =
            context.settings.sessionAfterRegistration
            ? opening(of: identity, request.schema, request, proof, at: now) : nil
        var begun: [VerificationSending.Begun] = []
        if context.settings.verificationAfterRegistration {
            (identity, begun) = try verifications.begin(
                for: identity,
                boundTo: opening?.session.id,
                followsRegistration: true,
                request.exchange,
                at: now,
                in: transaction
            )
        }
        try IdentityRepository.insert(identity, passwordHash: proof.passwordHash, in: transaction)
        let event = context.event(
            .created,
            of: identity.id,
            in: request.exchange,
            about: proof.method,
            at: now
        )
        try AuditLog.append(event, in: transaction)
        try networks.remember(request.exchange.peer, of: identity.id, at: now, in: transaction)
        if let opening { try SessionRepository.insert(opening, in: transaction) }
        return Registered(
            identity: identity.record,
            session: opening.map { ($0.session, $0.token) },
            method: proof.method,
            verifications: begun,
            judged: nil
        )
    }

    /// Logs the caller in to the account that has proven the address of their code, where the operator wants that.
    ///
    /// - Returns: `nil` if there is no such account.
    private func logIn(
        _ request: Request,
        _ proof: Proof,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Registered? {
        guard
            context.settings.existingAccount == .logIn, context.settings.codeEnabled,
            let address = proof.address, let id = try prover.owner(of: address, in: transaction)
        else { return nil }
        let judged = try prover.prove(
            AddressProver.Request(
                address: address,
                identity: id,
                role: .login,
                proof: .entry,
                flow: request.flow.id,
                exchange: request.exchange
            ),
            at: now,
            in: transaction
        )
        guard case .granted(let identity) = judged.verdict else { return nil }
        let opening = opening(of: identity, context.schemas[identity.schemaID], request, proof, at: now)
        let event = context.event(.loggedIn, of: id, in: request.exchange, about: proof.method, at: now)
        try AuditLog.append(event, in: transaction)
        try networks.remember(request.exchange.peer, of: id, at: now, in: transaction)
        try SessionRepository.insert(opening, in: transaction)
        return Registered(
            identity: identity.record,
            session: (opening.session, opening.token),
            method: proof.method,
            verifications: [],
            judged: judged
        )
    }

    private func opening(
        of identity: Identity,
        _ schema: IdentitySchema?,
        _ request: Request,
        _ proof: Proof,
        at now: Timestamp
    ) -> SessionOpening {
        SessionOpening(
            of: identity.id,
            by: proof.method,
            proof.evidence,
            schema,
            for: request.exchange,
            keyThumbprint: request.key.keyThumbprint,
            at: now,
            context
        )
    }
}

extension RegistrationCompletion.Proof {
    fileprivate var evidence: SessionEvidence {
        let code = address.map { SessionEvidence.code($0) } ?? SessionEvidence()
        return passwordHash == nil ? code : code.adding(.password)
    }
}
