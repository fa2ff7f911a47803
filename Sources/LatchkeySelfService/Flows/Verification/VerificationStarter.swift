import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Starts verification flows for an identity's addresses and enqueues their codes.
struct VerificationStarter: Sendable {
    /// A verification whose code has been enqueued.
    struct Begun: Sendable {
        /// The id of the flow that is waiting for the code.
        let flow: Identifier
        /// The address that the code was sent to.
        let address: ContactAddress

        /// The `continue_with` step that takes the client to the verification.
        var continuation: ContinueWith { .verification(flow: flow, address: address.value) }
    }

    private let verification: VerificationSettings
    private let lifecycle: FlowLifecycle
    private let sender: CodeSender

    init(lifecycle: FlowLifecycle, sender: CodeSender, verification: VerificationSettings) {
        self.lifecycle = lifecycle
        self.sender = sender
        self.verification = verification
    }

    /// Starts a flow for each unverified address, beginning with phone numbers.
    ///
    /// If too many codes were sent to an address, no flow is started for it, but it can be verified later in
    /// another flow. If verification is disabled, no flows are started at all.
    ///
    /// - Parameters:
    ///   - identity: The identity, which doesn't need to be saved yet.
    ///   - known: The addresses that don't need a flow.
    ///   - session: The session that the flows are bound to. The flows become invalid when this session ends.
    ///     Pass `nil` to bind the flows only to the account.
    ///   - followsRegistration: Whether the flows are started by a registration. Registrations have their own
    ///     limit.
    ///   - kind: The kind of message that contains the codes.
    ///   - returnTo: Where to send the user after the verification, or `nil` to use the default URL.
    ///   - loginChallenge: The authorization request that the verifications lead to, if there is one.
    ///   - clientID: The registered client that the app has named, which the page of a mailed link shows.
    ///   - context: The request, which determines the language of the messages.
    ///   - type: The type of client, which is that of the flow that starts the verifications.
    ///   - now: The time of issue.
    ///   - transaction: The transaction in which the caller also saves the identity.
    /// - Returns: The identity, updated to show that codes were sent to the addresses, and the flows that
    ///   were started. The caller must save the identity.
    /// - Throws: ``DatabaseError``, or an error if a message cannot be encrypted.
    func begin(
        for identity: Identity,
        except known: [ContactAddress] = [],
        boundTo session: Identifier? = nil,
        followsRegistration: Bool = false,
        sending kind: MessageKind = .verificationCode,
        returnTo: String? = nil,
        loginChallenge: Identifier? = nil,
        clientID: String? = nil,
        in context: RequestContext,
        type: FlowType,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> (Identity, [Begun]) {
        guard verification.isEnabled else { return (identity, []) }
        var identity = identity
        var begun: [Begun] = []
        let open = identity.verifiable.filter { !$0.isVerified && !known.contains($0.address) }.map(\.address)
        for address in open.filter({ $0.via == .sms }) + open.filter({ $0.via != .sms }) {
            var flow = waiting(
                for: address,
                of: identity,
                in: context,
                type: type,
                returnTo: returnTo,
                loginChallenge: loginChallenge,
                clientID: clientID,
                // Other flows are started in an existing session, or without one.
                withNewSession: followsRegistration && session != nil,
                at: now
            )
            flow.sessionID = session
            let outcome = try keepCode(
                for: address,
                of: identity,
                flow: flow,
                followsRegistration: followsRegistration,
                sending: kind,
                context: context,
                at: now,
                in: transaction
            )
            guard outcome.refusal == nil else { continue }
            try FlowRepository.insert(flow, in: transaction)
            identity = identity.marking(address: address.value, as: .sent, at: now)
            begun.append(Begun(flow: flow.id, address: address))
        }
        return (identity, begun)
    }

    /// Starts the verification flow that a change is waiting for, and enqueues its code.
    ///
    /// The change is stored in the flow. The flow becomes invalid when the session that requested the change
    /// ends.
    ///
    /// - Throws: A ``ServerError`` with status 429 if a rate limit for sending codes has been reached. The
    ///   caller must then roll back the transaction.
    func begin(
        _ change: PendingChange,
        of identity: Identity,
        for context: RequestContext,
        after settings: Flow,
        in transaction: borrowing Transaction
    ) throws -> Begun {
        let (address, now) = (change.address, context.now)
        var flow = waiting(
            for: address,
            of: identity,
            in: context,
            type: settings.type,
            loginChallenge: settings.loginChallenge,
            at: now
        )
        flow.traits = change.json
        flow.sessionID = change.session
        let outcome = try keepCode(
            for: address,
            of: identity,
            flow: flow,
            context: context,
            at: now,
            in: transaction
        )
        if let refusal = outcome.refusal { throw refusal }
        try FlowRepository.insert(flow, in: transaction)
        return Begun(flow: flow.id, address: address)
    }

    /// Stores a code for an address.
    private func keepCode(
        for address: ContactAddress,
        of identity: Identity,
        flow: Flow,
        followsRegistration: Bool = false,
        sending kind: MessageKind = .verificationCode,
        context: RequestContext,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> CodeSender.Outcome {
        let dispatch = sender.dispatch(
            kind,
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

    /// Creates a verification flow that is waiting for the code sent to an address.
    private func waiting(
        for address: ContactAddress,
        of identity: Identity,
        in context: RequestContext,
        type: FlowType,
        returnTo: String? = nil,
        loginChallenge: Identifier? = nil,
        clientID: String? = nil,
        withNewSession opensSession: Bool = false,
        at now: Timestamp
    ) -> Flow {
        var flow = lifecycle.flow(
            .verification,
            for: type,
            of: identity.id,
            schemaID: identity.schemaID,
            returnTo: returnTo,
            loginChallenge: loginChallenge,
            clientID: clientID,
            withNewSession: opensSession,
            in: context,
            at: now
        )
        flow.state = .sentEmail
        flow.address = address.value
        return lifecycle.showing(Form(messages: [.verificationCodeSent(address)]), in: flow, at: now)
    }
}
