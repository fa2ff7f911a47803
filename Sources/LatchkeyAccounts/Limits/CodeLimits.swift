import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// The rate limits for sending codes to addresses and for guessing these codes.
///
/// We reserve a few codes and guesses per day for the networks from which a user has logged in before. Other
/// clients can't use up these codes and guesses, so they can't prevent the user from logging in from a known
/// network.
package struct CodeLimits: Sendable {
    /// A request to send a code.
    package struct Request: Sendable {
        /// The address that the code is sent to.
        package let address: ContactAddress
        /// The network address of the client that requested the code.
        package let peer: PeerAddress

        /// The id of the account that the code is for.
        ///
        /// The value is a random id if the code is a decoy, or `nil` if the code is for a sign-up.
        package var identity: Identifier?

        /// Whether the address is proven on the account.
        ///
        /// Half of the ``LimitSettings/textMessages`` limit is reserved for proven addresses.
        package var isProven: Bool

        /// Whether no message is actually sent, because no account has this address.
        package var isDecoy: Bool

        /// Whether the code is sent because of a registration.
        ///
        /// The registration has already been counted towards its network's limit.
        package var followsRegistration: Bool

        /// Whether the response must be the same for addresses with and without an account.
        ///
        /// A refusal then never depends on anything that only an account's address has.
        package var isAnonymous: Bool

        /// Creates a request.
        ///
        /// The default values describe a sign-up with an address that hasn't been proven on any account.
        package init(
            to address: ContactAddress,
            from peer: PeerAddress,
            of identity: Identifier? = nil,
            isProven: Bool = false,
            isDecoy: Bool = false,
            followsRegistration: Bool = false,
            isAnonymous: Bool = false
        ) {
            self.address = address
            self.peer = peer
            self.identity = identity
            self.isProven = isProven
            self.isDecoy = isDecoy
            self.followsRegistration = followsRegistration
            self.isAnonymous = isAnonymous
        }
    }

    /// Whether a code may be sent, and whether the client is told.
    package enum Verdict: Sendable {
        /// The code may be sent, and has been counted.
        case reserved(LimitReservation)

        /// The code must not be sent, but the response must be the same as if it were.
        ///
        /// The request has been counted for the client's network.
        case silent

        /// The code must not be sent, and the client is told how many seconds it has to wait.
        case refused(retryAfter: Int)

        /// The server sends no text messages to the phone number, and no events were counted.
        case notServed
    }

    private let limiter: Limiter
    private let known: KnownNetworks
    private let texts: TextMessagePolicy?

    /// Creates the limits from a limiter that counts events and the store of known networks.
    ///
    /// - Parameters:
    ///   - limiter: Counts the events.
    ///   - known: The networks that users have logged in from.
    ///   - texts: Which unproven numbers get text messages, or `nil` if text messages are free because
    ///     they are only printed.
    package init(_ limiter: Limiter, known: KnownNetworks, texts: TextMessagePolicy?) {
        self.limiter = limiter
        self.known = known
        self.texts = texts
    }

    /// Counts a code if it may be sent.
    ///
    /// A decoy is rejected in the same cases as a code to a proven address, but it doesn't count towards the
    /// text message limit.
    ///
    /// If a code was just sent to the address, only the network that has requested it is told to wait. For
    /// every other network, the verdict is ``Verdict/silent``, so that it doesn't learn about the code.
    ///
    /// A reserved code is used only on a known network of the account, if a regular code would have to wait
    /// for anything but the network's own earlier request. Reserved codes are also included in the counts for
    /// the regular limits.
    ///
    /// - Parameters:
    ///   - request: The request for the code, which contains the address, the account and the client's
    ///     network address.
    ///   - now: The current time.
    ///   - transaction: The database transaction that the count is written in. If the transaction is rolled
    ///     back, the code isn't counted.
    /// - Returns: Whether the code may be sent.
    /// - Throws: ``DatabaseError``.
    package func reserve(
        _ request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Verdict {
        let texts = try textEvents(of: request, at: now, in: transaction)
        if texts.isServed == false, request.identity == nil { return .notServed }
        let network = Network.all(of: request.peer)[0]
        let spacing = LimitedEvent.codeSpacing(to: request.address)
        let own = LimitedEvent.codeOnNetwork(to: request.address, network)
        let early = try limiter.waits(for: [spacing, own], at: now, in: transaction)
        let isSilent = early[spacing, default: .zero] > .zero || !texts.isServed
        let code = LimitedEvent.code(to: request.address)
        // The limit on registrations already bounds the mail that they cause. The limit per network still
        // applies to text messages, because text messages cost money.
        let networks =
            request.followsRegistration && request.address.via == .email ? [] : Network.all(of: request.peer)
        let asked = networks.map { LimitedEvent.codeFromNetwork($0) }
        func reserve(
            _ sent: [LimitedEvent],
            checking checked: [LimitedEvent],
            counting counted: [LimitedEvent],
            in transaction: borrowing Transaction
        ) throws(DatabaseError) -> LimitVerdict {
            try limiter.reserve(
                checked + (isSilent ? [] : sent + texts.counted + [spacing]),
                counting: counted,
                pretending: texts.checked + (isSilent ? sent + texts.counted : []),
                writing: isSilent ? [spacing] : [],
                at: now,
                in: transaction
            )
        }
        var verdict = try reserve([code], checking: [own] + asked, counting: [], in: transaction)
        if case .refused = verdict, early[own, default: .zero] == .zero, let identity = request.identity,
            try known.contains(request.peer, of: identity, at: now, in: transaction)
        {
            verdict = try reserve(
                [.codeInReserve(to: request.address)],
                checking: [own],
                counting: asked + (isSilent ? [] : [code]),
                in: transaction
            )
        }
        switch verdict {
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        case .reserved(let reservation): return isSilent ? .silent : .reserved(reservation)
        }
    }

    /// The limits on text messages that a code has to observe.
    private struct TextEvents {
        /// The events that are counted if the message is sent.
        var counted: [LimitedEvent] = []
        /// The events that are only checked.
        var checked: [LimitedEvent] = []
        /// Whether the number gets text messages at all at this time.
        var isServed = true
    }

    /// Returns the limits on text messages that a code has to observe.
    ///
    /// An anonymous request must be rejected in the same cases for all addresses. Therefore, only the limit on
    /// messages to proven numbers rejects it, and if another limit does not allow the message, the number
    /// isn't served at this time.
    private func textEvents(
        of request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> TextEvents {
        let proven = limiter.textMessage(to: request.address, isProven: true).map { [$0] } ?? []
        guard request.address.via == .sms else { return TextEvents() }
        let unproven = try unprovenTextEvents(of: request, at: now, in: transaction)
        let waits =
            request.isAnonymous ? try limiter.waits(for: unproven, at: now, in: transaction) : [:]
        let isServed = PhoneNumber(request.address.value).flatMap { phone in texts?.serves(phone) } ?? true
        if request.isDecoy { return TextEvents(checked: proven) }
        if request.isProven { return TextEvents(counted: proven) }
        guard request.isAnonymous else { return TextEvents(counted: unproven, isServed: isServed) }
        let isAllowed = isServed && waits.values.allSatisfy { $0 <= .zero }
        return TextEvents(counted: isAllowed ? unproven : [], checked: proven, isServed: isAllowed)
    }

    /// Returns the limits on a text message to a number that isn't proven.
    private func unprovenTextEvents(
        of request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [LimitedEvent] {
        var events = limiter.textMessage(to: request.address, isProven: false).map { [$0] } ?? []
        guard let texts, let phone = PhoneNumber(request.address.value) else { return events }
        let block = NetworkBlock(of: request.peer)
        let (code, budgeted) = (
            LimitedEvent.callingCodeProven(phone.callingCode), texts.budgetedCode(of: phone)
        )
        let proofs = try limiter.times(of: [code, .blockProven(block)], at: now, in: transaction)
        if proofs[.blockProven(block), default: []].isEmpty {
            events.append(limiter.textMessageFromNewBlock(to: request.address))
        }
        events.append(.textMessageFromBlock(block))
        if let budgeted {
            let count = proofs[code, default: []].count
            events.append(.textMessageToCallingCode(budgeted, proven: count))
            events.append(.textMessageFromBlockToCallingCode(block, budgeted, proven: count))
        }
        return events
    }

    /// Records that a user has entered a code that was sent by text message.
    ///
    /// The number's calling code gets more messages for a day, and the client's block is no longer new. A
    /// number that is proven again on the same day counts only once.
    ///
    /// - Throws: ``DatabaseError``.
    package func recordProof(
        of address: ContactAddress,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        guard texts != nil, let phone = PhoneNumber(address.value) else { return }
        if try limiter.mark(.phoneProven(address), at: now, in: transaction) {
            try limiter.mark(.callingCodeProven(phone.callingCode), at: now, in: transaction)
        }
        try limiter.mark(.blockProven(NetworkBlock(of: peer)), at: now, in: transaction)
    }

    /// Counts a guess for a code as a wrong guess if another guess is allowed.
    ///
    /// Call this before verifying the code.
    ///
    /// A sign-up has no reserved guesses because there is no account yet.
    ///
    /// - Parameters:
    ///   - address: The address that the code was sent to.
    ///   - identity: The id of the account that the code is for, a random id for a decoy, or `nil` for a
    ///     sign-up.
    ///   - isFirst: Whether this is the first guess at the code. The first guess also counts towards the
    ///     limit of the client's network, unless the network is known.
    ///   - peer: The client's network address.
    ///   - now: The current time.
    ///   - transaction: The database transaction that the count is written in.
    /// - Returns: A reservation if the guess is allowed, or a refusal. If the guess is correct, the caller
    ///   cancels the reservation.
    /// - Throws: ``DatabaseError``.
    package func reserveGuess(
        at address: ContactAddress,
        of identity: Identifier?,
        isFirst: Bool,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> LimitVerdict {
        guard let identity else {
            return try limiter.reserve([.guess(at: address)], at: now, in: transaction)
        }
        let isKnown = try known.contains(peer, of: identity, at: now, in: transaction)
        let networks = isFirst && !isKnown ? Network.all(of: peer) : []
        let verdict = try limiter.reserve(
            [.guess(at: address)] + networks.map { .accountFailedFromNetwork($0) },
            at: now,
            in: transaction
        )
        guard case .refused = verdict, isKnown else { return verdict }
        return try limiter.reserve(
            [.guessInReserve(at: address)],
            counting: [.guess(at: address)],
            at: now,
            in: transaction
        )
    }
}
