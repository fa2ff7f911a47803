import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Creates and stores one-time codes and enqueues their messages.
struct CodeSender: Sendable {
    /// A new code together with the message that contains it.
    ///
    /// ``keep(_:isAwaited:followsRegistration:isAnonymous:for:at:in:)`` stores the code and the message in
    /// one transaction.
    struct Dispatch: Sendable {
        /// The flow in which the user enters the code.
        let flow: Identifier
        /// The code as stored in the database, without its digits.
        let code: IssuedCode
        /// Whether guesses at the flow's previous code still count.
        let guesses: CodeRepository.Guesses
        /// The message that contains the digits of the code.
        ///
        /// The message is encrypted when it is stored in the outbox.
        let message: Message

        /// Whether the message is a decoy, which is never sent because no account uses the address.
        ///
        /// Responses must not reveal whether the message is a decoy.
        let isDecoy: Bool
    }

    /// The outcome of a request for a code.
    enum Outcome: Hashable, Sendable {
        /// The code is stored, and its message is in the outbox.
        case sent

        /// No message is sent, but the client must not find out.
        ///
        /// The flow has a code that behaves like any other, so the response is the one to ``sent``.
        case silent

        /// No code was stored, and the client is told how many seconds it has to wait.
        case wait(seconds: Int)

        /// No code was stored, because the server sends no text messages to this phone number.
        case notServed
    }

    private let codeSettings: CodeSettings
    private let random: any RandomSource
    private let messages: MessageWriter
    private let database: any Database
    private let courier: Courier
    private let keys: CodeKeys
    private let limits: CodeLimits
    private let links: MailedLinks

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - keys: The keys for the MACs of stored codes.
    ///   - limits: The rate limits for addresses, accounts and networks.
    ///   - courier: The outbox for messages.
    ///   - codeSettings: The lifespan of codes.
    ///   - random: The source of random values for codes, message ids and decoys.
    ///   - messages: Renders messages in all languages.
    ///   - database: The database that stores flows and codes.
    ///   - links: Creates the links in mails.
    init(
        keys: CodeKeys,
        limits: CodeLimits,
        courier: Courier,
        codeSettings: CodeSettings,
        random: any RandomSource,
        messages: MessageWriter,
        database: any Database,
        links: MailedLinks
    ) {
        self.links = links
        self.courier = courier
        self.codeSettings = codeSettings
        self.random = random
        self.messages = messages
        self.database = database
        self.keys = keys
        self.limits = limits
    }

    /// Creates a code and the message that contains it, without storing them.
    ///
    /// Creating a decoy takes as much work as creating a real code, because its digits, MAC and message are
    /// created too.
    ///
    /// - Parameters:
    ///   - kind: The kind of message.
    ///   - address: The address to send the code to.
    ///   - owner: The account that the user is logging in to, or whose address is being verified. Pass `nil`
    ///     if there is no account.
    ///   - isDecoy: Whether the message must never be sent. A decoy is stored with a random MAC, so every
    ///     guess is wrong.
    ///   - flow: The flow in which the user enters the code.
    ///   - guesses: Whether guesses at the flow's previous code still count.
    ///   - hasLink: Whether a mail for a flow with links (``FlowKind/hasMailedLinks``) contains one.
    ///   - context: The request for the code, which determines the language of the message.
    /// - Returns: The code and its message, ready to be stored.
    func dispatch(
        _ kind: MessageKind,
        to address: ContactAddress,
        of owner: Identifier? = nil,
        isDecoy: Bool = false,
        in flow: Identifier,
        guesses: CodeRepository.Guesses,
        hasLink: Bool = true,
        for context: RequestContext
    ) -> Dispatch {
        let digits = OneTimeCode(random: random)
        let sealed = keys.seal(digits, flow: flow, address: address.value)
        let lifespan = codeSettings.lifespan
        return Dispatch(
            flow: flow,
            code: IssuedCode(
                address: address,
                // For a real code, the account's id is added to an index. For a decoy, we add a random id so
                // that storing it takes just as much work.
                identityID: isDecoy ? Identifier(random: random) : owner,
                sealed: isDecoy ? random.bytes(sealed.count) : sealed,
                askedFrom: NetworkBlock(of: context.peer).description,
                expiresAt: context.now + lifespan
            ),
            guesses: guesses,
            message: messages.message(
                kind,
                to: address.value,
                by: address.via,
                code: digits,
                link: hasLink && address.via == .email
                    ? kind.linkedFlow.map { links.address(of: $0, flow: flow, code: digits) } : nil,
                lifespan: lifespan,
                language: messages.language(of: context),
                from: context.peer,
                at: context.now,
                random: random
            ),
            isDecoy: isDecoy
        )
    }

    /// Stores a code, replacing the flow's previous one, and enqueues its message in the same transaction.
    ///
    /// The rate limits are checked first. If the outcome is ``Outcome/wait(seconds:)`` or
    /// ``Outcome/notServed``, no rows of flows, codes or messages have been changed, so the caller may still
    /// commit the transaction. After the commit, the operator is notified if the budget for text messages is
    /// running low.
    ///
    /// - Parameters:
    ///   - dispatch: The code and its message.
    ///   - isAwaited: Whether the caller will call ``firstAttempt(_:after:atMost:)`` to wait until the
    ///     message has been sent.
    ///   - followsRegistration: Whether the code is sent during a registration, so that codes sent by mail
    ///     count toward the registration limit.
    ///   - isAnonymous: Whether the response must be the same for addresses with and without an account.
    ///   - peer: The client's address, for rate limiting.
    ///   - now: The time at which the code is issued.
    ///   - transaction: The transaction that stores the code and the message.
    /// - Returns: Whether the message is sent, and how the caller responds.
    /// - Throws: ``DatabaseError``, or an error if the message cannot be encrypted.
    func keep(
        _ dispatch: Dispatch,
        isAwaited: Bool = false,
        followsRegistration: Bool = false,
        isAnonymous: Bool = false,
        for peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Outcome {
        let request = CodeLimits.Request(
            to: dispatch.code.address,
            from: peer,
            of: dispatch.code.identityID,
            isProven: try isProven(dispatch, in: transaction),
            isDecoy: dispatch.isDecoy,
            followsRegistration: followsRegistration,
            isAnonymous: isAnonymous
        )
        switch try limits.reserve(request, at: now, in: transaction) {
        case .refused(let retryAfter): return .wait(seconds: retryAfter)
        case .notServed: return .notServed
        case .silent:
            try store(dispatch, isSent: false, isAwaited: isAwaited, at: now, in: transaction)
            return .silent
        case .reserved(let reservation):
            if reservation.isTextBudgetLow {
                transaction.afterCommit { [courier] in courier.reportTextMessagesNearLimit() }
            }
            try store(dispatch, isSent: true, isAwaited: isAwaited, at: now, in: transaction)
            return .sent
        }
    }

    /// Stores a code like ``keep(_:isAwaited:followsRegistration:isAnonymous:for:at:in:)``, but never asks
    /// the client to wait.
    ///
    /// Use this if the response must not depend on how often codes were sent to the address. If any limit
    /// rejects the code, or the number isn't served, the outcome is ``Outcome/silent``: the flow gets a
    /// decoy, unless it already has an unused code for this address, which stays valid until it expires.
    ///
    /// - Returns: ``Outcome/sent`` or ``Outcome/silent``.
    /// - Throws: ``DatabaseError``, or an error if the message cannot be encrypted.
    @discardableResult
    func keepWithoutRefusal(
        _ dispatch: Dispatch,
        followsRegistration: Bool = false,
        for peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Outcome {
        let outcome = try keep(
            dispatch,
            followsRegistration: followsRegistration,
            for: peer,
            at: now,
            in: transaction
        )
        switch outcome {
        case .sent, .silent: return outcome
        case .wait, .notServed:
            try store(dispatch, isSent: false, isAwaited: false, at: now, in: transaction)
            return .silent
        }
    }

    /// Stores a code and its message.
    ///
    /// If the message isn't sent, a decoy of both is stored, which takes as much work. A code that the flow
    /// already has for the same address then stays valid, so that a client on another network can't
    /// invalidate it by requesting a code at the right moment.
    private func store(
        _ dispatch: Dispatch,
        isSent: Bool,
        isAwaited: Bool,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        var code = dispatch.code
        if !isSent { code.sealed = random.bytes(code.sealed.count) }
        try CodeRepository.replace(
            code,
            of: dispatch.flow,
            guesses: dispatch.guesses,
            keepsEarlier: !isSent,
            at: now,
            in: transaction
        )
        try courier.enqueue(
            dispatch.message,
            about: dispatch.code.identityID,
            asDecoy: dispatch.isDecoy || !isSent,
            isAwaited: isAwaited,
            in: transaction
        )
    }

    /// Returns whether the phone number is proven on the account.
    ///
    /// The limit on text messages depends on whether the phone number is proven.
    ///
    /// The database isn't queried if there is no account or if the code is sent by mail.
    private func isProven(
        _ dispatch: Dispatch,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let address = dispatch.code.address
        guard address.via == .sms, let identity = dispatch.code.identityID else { return false }
        return try AddressStateRepository.isProven(address, of: identity, in: transaction)
    }

    /// Saves a flow together with its code, and enqueues the message with the code.
    ///
    /// - Throws: ``FlowEnded`` if another request has completed the flow, or a ``ServerError`` with status
    ///   429 if a rate limit for sending codes has been reached, or 502 if this is a sign-up and the server
    ///   sends no text messages to the number. In all cases, neither the flow nor the code is saved.
    func send(_ dispatch: Dispatch, in flow: Flow, for context: RequestContext) async throws {
        // A flow that belongs to the account was started by the account's user.
        let owner = dispatch.code.identityID
        let isAnonymous = owner != nil && flow.identityID != owner
        try await database.transaction { transaction in
            guard try FlowRepository.update(flow, in: transaction) else { throw FlowEnded() }
            let outcome = try keep(
                dispatch,
                isAnonymous: isAnonymous,
                for: context.peer,
                at: context.now,
                in: transaction
            )
            if let refusal = outcome.refusal { throw refusal }
        }
    }

    /// Waits until the first attempt to deliver a message has finished, but no longer than `limit`.
    ///
    /// Call this after committing the transaction that called
    /// ``keep(_:isAwaited:followsRegistration:isAnonymous:for:at:in:)``. A decoy is never sent, so we wait as
    /// long as for a recent message instead.
    func firstAttempt(
        _ dispatch: Dispatch,
        after outcome: Outcome,
        atMost limit: Duration
    ) async -> FirstAttempt {
        switch outcome {
        case .sent: await courier.waitForFirstAttempt(dispatch.message.id, atMost: limit)
        case .silent: await courier.imitateFirstAttempt(atMost: limit)
        case .wait, .notServed: .refused
        }
    }
}

extension MessageKind {
    /// The kind of flow that a link in such mails leads to, or `nil` if they contain no link.
    fileprivate var linkedFlow: FlowKind? {
        switch self {
        case .verificationCode, .signUpLink: .verification
        case .recoveryCode: .recovery
        default: nil
        }
    }
}

extension CodeSender.Outcome {
    /// The error to return to the client, or `nil` if the response is the usual one.
    var refusal: ServerError? {
        switch self {
        case .sent, .silent: nil
        case .wait(let seconds): .tooManyRequests(retryAfter: seconds)
        case .notServed: .deliveryFailed
        }
    }
}

extension ServerError {
    /// The error for a message that the provider has permanently rejected.
    static let deliveryFailed = ServerError(
        502,
        id: .deliveryFailed,
        reason: "The code could not be delivered."
    )
}
