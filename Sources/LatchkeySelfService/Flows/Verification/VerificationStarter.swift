import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Begins verification flows for the addresses of an identity, and enqueues their codes.
package struct VerificationStarter: Sendable {
    /// A verification whose code was enqueued.
    struct Begun: Sendable {
        /// The id of the flow that waits for the code.
        let flow: Identifier
        /// The address to which the code was sent.
        let address: ContactAddress

        /// The step in `continue_with` that leads the client to the verification.
        var continuation: ContinueWith { .verification(flow: flow, address: address.value) }
    }

    private let verification: VerificationSettings
    private let lifecycle: FlowLifecycle
    private let sender: CodeSender

    package init(lifecycle: FlowLifecycle, sender: CodeSender, verification: VerificationSettings) {
        self.lifecycle = lifecycle
        self.sender = sender
        self.verification = verification
    }

    /// Begins a flow for each unverified address, with phone numbers first.
    ///
    /// No flow is begun for an address that has reached its limit for codes; it can be verified later in
    /// another flow. If verification is disabled, no flow is begun at all.
    ///
    /// - Parameters:
    ///   - identity: The identity, which need not be stored yet.
    ///   - known: The addresses for which no flow is begun.
    ///   - session: The session whose end also ends the flows; `nil` to bind them only to the account.
    ///   - followsRegistration: Whether a registration begins the flows; registrations have their own limit.
    ///   - context: The request, which determines the language of the messages.
    ///   - now: The time of issue.
    ///   - transaction: The transaction in which the caller also saves the identity.
    /// - Returns: The flows, and the identity with its addresses marked as sent, which the caller saves.
    /// - Throws: ``DatabaseError``, or an error if a message cannot be encrypted.
    func begin(
        for identity: Identity,
        except known: [ContactAddress] = [],
        boundTo session: Identifier? = nil,
        followsRegistration: Bool = false,
        in context: RequestContext,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> (Identity, [Begun]) {
        guard verification.isEnabled else { return (identity, []) }
        var identity = identity
        var begun: [Begun] = []
        let open = identity.verifiable.filter { !$0.isVerified && !known.contains($0.address) }.map(\.address)
        for address in open.filter({ $0.via == .sms }) + open.filter({ $0.via != .sms }) {
            var flow = waiting(for: address, of: identity, in: context, at: now)
            flow.sessionID = session
            let wait = try keepCode(
                for: address,
                of: identity,
                flow: flow,
                followsRegistration: followsRegistration,
                context: context,
                at: now,
                in: transaction
            )
            guard wait == nil else { continue }
            try FlowRepository.insert(flow, in: transaction)
            identity = identity.marking(address: address.value, as: .sent, at: now)
            begun.append(Begun(flow: flow.id, address: address))
        }
        return (identity, begun)
    }

    /// Begins the verification flow that a change waits for, and enqueues its code.
    ///
    /// The flow stores the change and ends with the session that requested it.
    ///
    /// - Throws: 429 if the address has reached its limit for codes, after which the caller must roll back
    ///   the transaction.
    func begin(
        _ change: PendingChange,
        of identity: Identity,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws -> Begun {
        let (address, now) = (change.address, context.now)
        var flow = waiting(for: address, of: identity, in: context, at: now)
        flow.traits = change.json
        flow.sessionID = change.session
        let wait = try keepCode(
            for: address,
            of: identity,
            flow: flow,
            context: context,
            at: now,
            in: transaction
        )
        if let wait { throw ServerError.tooManyRequests(retryAfter: wait) }
        try FlowRepository.insert(flow, in: transaction)
        return Begun(flow: flow.id, address: address)
    }

    /// Stores a code for an address.
    ///
    /// - Returns: `nil` if the code was stored; otherwise the number of seconds after which to try again.
    private func keepCode(
        for address: ContactAddress,
        of identity: Identity,
        flow: Flow,
        followsRegistration: Bool = false,
        context: RequestContext,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Int? {
        let dispatch = sender.dispatch(
            .verificationCode,
            to: address,
            of: identity.id,
            in: flow.id,
            guesses: .kept,
            for: context
        )
        return try sender.keep(
            dispatch,
            followsRegistration: followsRegistration,
            for: context.peer,
            at: now,
            in: transaction
        )
    }

    /// Creates a verification flow that waits for the code that is sent to an address.
    private func waiting(
        for address: ContactAddress,
        of identity: Identity,
        in context: RequestContext,
        at now: Timestamp
    ) -> Flow {
        var flow = lifecycle.flow(
            .verification,
            of: identity.id,
            schemaID: identity.schemaID,
            in: context,
            at: now
        )
        flow.state = .sentEmail
        flow.address = address.value
        return lifecycle.showing(Form(messages: [.verificationCodeSent(address)]), in: flow, at: now)
    }
}
