package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Creates and stores one-time codes, and enqueues their messages.
package struct CodeSender: Sendable {
    /// A new code with the message that contains it.
    ///
    /// ``keep(_:isAwaited:followsRegistration:for:at:in:)`` stores the code and the message in one
    /// transaction.
    struct Dispatch: Sendable {
        /// The flow in which the code is to be entered.
        let flow: Identifier
        /// The code as stored, without its digits.
        let code: IssuedCode
        /// Whether guesses at the flow's old code count toward the limit of this one.
        let guesses: CodeRepository.Guesses
        /// The message with the code's digits, which is stored encrypted in the outbox.
        let message: Message

        /// Whether the message is never sent because the address has no account, which responses must not
        /// reveal.
        let isDecoy: Bool
    }

    private let codeSettings: CodeSettings
    private let random: any RandomSource
    private let messages: MessageWriter
    private let database: any Database
    private let courier: Courier
    private let keys: CodeKeys
    private let limits: CodeLimits

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - keys: The keys under which codes are stored.
    ///   - limits: The rate limits for addresses, accounts and networks.
    ///   - courier: The outbox of messages.
    ///   - codeSettings: The lifespan of codes.
    ///   - random: The random source for codes, message ids and decoys.
    ///   - messages: Renders messages in all languages.
    ///   - database: The database that stores flows and codes.
    package init(
        keys: CodeKeys,
        limits: CodeLimits,
        courier: Courier,
        codeSettings: CodeSettings,
        random: any RandomSource,
        messages: MessageWriter,
        database: any Database
    ) {
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
    /// A decoy costs the same as a real code, because its digits, MAC and message are created as well.
    ///
    /// - Parameters:
    ///   - kind: The kind of message.
    ///   - address: The recipient.
    ///   - owner: The account to log in to, or whose address is verified; `nil` if there is none.
    ///   - isDecoy: Whether the message is never sent. The stored MAC of a decoy is random, so every guess is
    ///     wrong.
    ///   - flow: The flow in which the code is to be entered.
    ///   - guesses: The handling of guesses at the flow's old code.
    ///   - context: The request for the code, which determines the language of the message.
    /// - Returns: The code with its message, to be stored.
    func dispatch(
        _ kind: MessageKind,
        to address: ContactAddress,
        of owner: Identifier? = nil,
        isDecoy: Bool = false,
        in flow: Identifier,
        guesses: CodeRepository.Guesses,
        for context: RequestContext
    ) -> Dispatch {
        let digits = OneTimeCode(random: random)
        let sealed = keys.seal(digits, flow: flow, address: address.value)
        let lifespan = codeSettings.lifespan
        return Dispatch(
            flow: flow,
            code: IssuedCode(
                address: address,
                // A real code adds an index entry for its account, so a decoy adds one for a random id.
                identityID: isDecoy ? Identifier(random: random) : owner,
                sealed: isDecoy ? random.bytes(sealed.count) : sealed,
                expiresAt: context.now + lifespan
            ),
            guesses: guesses,
            message: messages.message(
                kind,
                to: address.value,
                by: address.via,
                code: digits,
                lifespan: lifespan,
                language: messages.language(of: context),
                from: context.peer,
                at: context.now,
                random: random
            ),
            isDecoy: isDecoy
        )
    }

    /// Stores a code, replacing the flow's old one, and enqueues its message in the same transaction.
    ///
    /// The code is counted against the rate limits first. If a rate limit rejects the code, no row has
    /// changed, so the caller may commit the transaction without the code. After the commit, the operator is
    /// notified if the budget for text messages is low.
    ///
    /// - Parameters:
    ///   - dispatch: The code and its message.
    ///   - isAwaited: Whether the caller waits with ``firstAttempt(_:atMost:)``.
    ///   - followsRegistration: Whether a registration sends the code. The registration limit then covers
    ///     codes sent by mail.
    ///   - peer: The client's address, for the rate limits.
    ///   - now: The time of issue.
    ///   - transaction: The transaction that stores the code and the message.
    /// - Returns: `nil` if the code was stored; otherwise the number of seconds after which to try again.
    /// - Throws: ``DatabaseError``, or an error if the message cannot be encrypted.
    func keep(
        _ dispatch: Dispatch,
        isAwaited: Bool = false,
        followsRegistration: Bool = false,
        for peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Int? {
        let address = dispatch.code.address
        let request = CodeLimits.Request(
            to: address,
            from: peer,
            of: dispatch.code.identityID,
            isProven: try isProven(dispatch, in: transaction),
            isDecoy: dispatch.isDecoy,
            followsRegistration: followsRegistration
        )
        switch try limits.reserve(request, at: now, in: transaction) {
        case .refused(let retryAfter): return retryAfter
        case .reserved(let reservation):
            if reservation.isTextBudgetLow {
                transaction.afterCommit { [courier] in courier.reportTextMessagesNearLimit(at: now) }
            }
        }
        try CodeRepository.replace(
            dispatch.code,
            of: dispatch.flow,
            guesses: dispatch.guesses,
            at: now,
            in: transaction
        )
        try courier.enqueue(
            dispatch.message,
            about: dispatch.code.identityID,
            asDecoy: dispatch.isDecoy,
            isAwaited: isAwaited,
            in: transaction
        )
        return nil
    }

    /// Returns whether the code's account has proven the phone number, for the limit on text messages.
    ///
    /// No lookup is made for codes without an account or codes sent by mail.
    private func isProven(
        _ dispatch: Dispatch,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let address = dispatch.code.address
        guard address.via == .sms, let identity = dispatch.code.identityID else { return false }
        return try AddressStateRepository.isProven(address, of: identity, in: transaction)
    }

    /// Stores a code together with the flow that waits for it, and enqueues the message with the code.
    ///
    /// - Throws: ``FlowEnded`` if another request has completed the flow, or 429 if the address has reached
    ///   its limit for codes. In both cases, neither the flow nor the code is stored.
    func send(_ dispatch: Dispatch, in flow: Flow, for context: RequestContext) async throws {
        try await database.transaction { transaction in
            guard try FlowRepository.update(flow, in: transaction) else { throw FlowEnded() }
            let wait = try keep(dispatch, for: context.peer, at: context.now, in: transaction)
            if let wait { throw ServerError.tooManyRequests(retryAfter: wait) }
        }
    }

    /// Waits until the first attempt to deliver a message has ended, for at most `limit`.
    ///
    /// Call it after committing the transaction of ``keep(_:isAwaited:followsRegistration:for:at:in:)``. Do
    /// not call it for a decoy, whose message is never sent.
    func firstAttempt(_ dispatch: Dispatch, atMost limit: Duration) async -> FirstAttempt {
        await courier.waitForFirstAttempt(dispatch.message.id, atMost: limit)
    }
}
