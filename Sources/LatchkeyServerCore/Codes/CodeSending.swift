import LatchkeyModel
import LatchkeyWire

/// Draws codes and has them sent.
struct CodeSending: Sendable {
    /// A code that is drawn, with the message that carries it.
    struct Dispatch: Sendable {
        let flow: Identifier
        let code: IssuedCode
        let guesses: CodeRepository.Guesses
        let message: Message

        /// Whether nobody gets it: the address belongs to no account, which is not to be seen from outside.
        let isDecoy: Bool
    }

    private let context: ServerContext
    private let courier: Courier
    private let keys: CodeKeys
    private let limits: CodeLimits

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        self.courier = courier
        keys = CodeKeys(secrets: context.secrets)
        limits = CodeLimits(Limiter(context), known: KnownNetworks(context))
    }

    /// Draws a code and writes the message that carries it.
    ///
    /// - Parameters:
    ///   - kind: What the code is for.
    ///   - address: Where it goes.
    ///   - owner: Whose account it opens or whose address it verifies.
    ///   - isDecoy: Whether nobody is to get it; then no guess at it is right.
    ///   - flow: The flow that it belongs to.
    ///   - guesses: What becomes of the guesses at the flow's old code.
    ///   - exchange: The request that asks for it.
    /// - Returns: The code with its message, to be kept.
    func dispatch(
        _ kind: MessageKind,
        to address: Traits.Address,
        of owner: Identifier? = nil,
        isDecoy: Bool = false,
        in flow: Identifier,
        guesses: CodeRepository.Guesses,
        for exchange: Exchange
    ) -> Dispatch {
        let digits = OneTimeCode(random: context.random)
        let sealed = keys.seal(digits, flow: flow, address: address.value)
        let lifespan = context.settings.codeLifespan
        return Dispatch(
            flow: flow,
            code: IssuedCode(
                address: address,
                // An index entry is written for an account; a decoy writes one, too.
                identityID: isDecoy ? Identifier(random: context.random) : owner,
                sealed: isDecoy ? context.random.bytes(sealed.count) : sealed,
                expiresAt: exchange.now + lifespan
            ),
            guesses: guesses,
            message: context.messages.message(
                kind,
                to: address,
                code: digits,
                lifespan: lifespan,
                language: context.settings.language(for: exchange.request.headers["Accept-Language"]),
                from: exchange.peer,
                at: exchange.now,
                random: context.random
            ),
            isDecoy: isDecoy
        )
    }

    /// Keeps a code in the place of the flow's old one, with its message; both, or neither.
    ///
    /// - Parameters:
    ///   - dispatch: The code.
    ///   - isAwaited: Whether ``firstAttempt(_:atMost:)`` follows.
    ///   - followsRegistration: Whether the code follows from a registration, which has a limit of its own.
    ///   - peer: Who asks for it.
    ///   - now: The time.
    ///   - transaction: The transaction.
    /// - Returns: In how many seconds to try again; nothing when it is kept, to be followed by ``wake()``.
    /// - Throws: What keeps it from being written.
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
            if reservation.isTextBudgetLow { courier.reportTextMessagesNearLimit(at: now) }
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

    /// Whether a code goes to a phone that is proven on its account; other addresses have no limit that asks.
    private func isProven(
        _ dispatch: Dispatch,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        let address = dispatch.code.address
        guard address.via == .sms, let identity = dispatch.code.identityID else { return false }
        return try AddressStateRepository.isProven(address, of: identity, in: transaction)
    }

    /// Keeps a code with the flow that waits for it, and has it sent.
    ///
    /// - Returns: Whether the flow was still open; if not, nothing is kept.
    /// - Throws: 429 when the address has had its codes; then nothing is kept either.
    func send(_ dispatch: Dispatch, in flow: Flow, for exchange: Exchange) async throws -> Bool {
        let isOpen = try await context.database.transaction { transaction in
            guard try FlowRepository.update(flow, in: transaction) else { return false }
            let wait = try keep(dispatch, for: exchange.peer, at: exchange.now, in: transaction)
            if let wait { throw ServerError.tooManyRequests(retryAfter: wait) }
            return true
        }
        if isOpen { wake() }
        return isOpen
    }

    /// Has what was kept sent.
    func wake() {
        courier.wake()
    }

    /// Waits until a message was tried once.
    func firstAttempt(_ dispatch: Dispatch, atMost limit: Duration) async -> FirstAttempt {
        await courier.waitForFirstAttempt(dispatch.message.id, atMost: limit)
    }
}
