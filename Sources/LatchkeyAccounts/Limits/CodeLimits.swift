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
        /// Half of the ``LimitSettings/textMessages`` limit is reserved for proven addresses. A sign-up
        /// counts as proven on a known network of the account that has proven the address.
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
    /// every other network, the verdict is ``Verdict/silent``, so that it doesn't learn about the code. The
    /// verdict is also silent if the server sends no text messages to the number of an account. The request
    /// is then counted like one for an unknown number, because a refusal would otherwise tell them apart.
    ///
    /// A reserved code is used only on a known network of the account, if a regular code would have to wait
    /// for anything but the network's own earlier request. Reserved codes are also included in the counts for
    /// the regular limits.
    ///
    /// A user who returns by the sign-up form has an account already. On a known network of the account that
    /// has proven the address, the sign-up is treated like a login.
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
        let isKnown = try isKnown(
            request.peer,
            of: request.identity,
            with: request.address,
            at: now,
            in: transaction
        )
        var request = request
        if request.identity == nil, isKnown { request.isProven = true }
        let texts = try textEvents(of: request, at: now, in: transaction)
        if !texts.isServed, request.identity == nil { return .notServed }
        let plan = Plan(for: request, texts: texts)
        let early = try limiter.waits(for: [plan.spacing, plan.own], at: now, in: transaction)
        let isSpaced = early[plan.spacing, default: .zero] > .zero
        let hasReserve = isKnown && early[plan.own, default: .zero] <= .zero
        // The interval between two codes is a silent wait, so it would never lead to a refusal.
        if isSpaced, hasReserve, texts.isServed,
            case .reserved(let reservation) = try reserve(plan.fromReserve, at: now, in: transaction)
        {
            return .reserved(reservation)
        }
        var verdict = try reserve(isSpaced ? plan.withoutMessage : plan, at: now, in: transaction)
        if case .refused = verdict, hasReserve {
            let reserved = plan.fromReserve
            verdict = try reserve(isSpaced ? reserved.withoutMessage : reserved, at: now, in: transaction)
        }
        switch verdict {
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        case .reserved(let reservation):
            return isSpaced || !texts.isServed ? .silent : .reserved(reservation)
        }
    }

    private func reserve(
        _ plan: Plan,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> LimitVerdict {
        try limiter.reserve(
            plan.decisive,
            counting: plan.counted,
            pretending: plan.pretended,
            writing: plan.written,
            at: now,
            in: transaction
        )
    }

    /// Returns whether the client's network is known for an account.
    ///
    /// A sign-up has no account, so it is the one that has proven the address.
    private func isKnown(
        _ peer: PeerAddress,
        of identity: Identifier?,
        with address: ContactAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        if let identity { return try known.contains(peer, of: identity, at: now, in: transaction) }
        return try known.contains(peer, ofOwnerOf: address, at: now, in: transaction)
    }

    /// The events that a request for a code counts, checks and writes.
    ///
    /// Requests from strangers write the same rows for all addresses, so that the time they take doesn't
    /// depend on the account.
    private struct Plan {
        let code: LimitedEvent
        let reserve: LimitedEvent
        let spacing: LimitedEvent
        let own: LimitedEvent

        /// The events that are counted only if a message is sent.
        private let sent: [LimitedEvent]
        /// The events of the client's network and its prefixes.
        private let asked: [LimitedEvent]

        /// The events that are counted and may reject the request.
        private(set) var decisive: [LimitedEvent]
        /// The events that are counted but never reject the request.
        private(set) var counted: [LimitedEvent] = []
        /// The events that may reject the request but aren't counted.
        private(set) var pretended: [LimitedEvent]
        /// The events whose rows are only written.
        private(set) var written: [LimitedEvent]

        init(for request: Request, texts: TextEvents) {
            code = .code(to: request.address)
            reserve = .codeInReserve(to: request.address)
            spacing = .codeSpacing(to: request.address)
            let networks = Network.all(of: request.peer)
            own = .code(to: request.address, on: networks[0])
            // The limit on registrations already bounds the mail that they cause. The limit per network still
            // applies to text messages, because text messages cost money.
            let isCharged = request.followsRegistration && request.address.via == .email
            asked = isCharged ? [] : networks.map { .codeFromNetwork($0) }
            sent = texts.counted
            decisive = [own, code, spacing] + asked + sent
            pretended = texts.checked
            written = texts.written
        }

        /// The plan for a code that is reserved for known networks, on which the limits of the network and
        /// the address don't apply.
        var fromReserve: Plan {
            var plan = self
            plan.decisive = [own, reserve] + sent
            plan.counted = asked + [code, spacing]
            return plan
        }

        /// The plan for a request that must look as usual, but sends no message because of an earlier one.
        ///
        /// Only the network's own events are counted.
        var withoutMessage: Plan {
            var plan = self
            let unsent = Set([code, reserve] + sent)
            plan.decisive = decisive.filter { !unsent.contains($0) && $0 != spacing }
            plan.counted = counted.filter { !unsent.contains($0) && $0 != spacing }
            plan.pretended += decisive.filter { unsent.contains($0) }
            plan.written += counted.filter { unsent.contains($0) } + [spacing]
            return plan
        }
    }

    /// The limits on text messages that a code has to observe.
    private struct TextEvents {
        /// The events that are counted if the message is sent.
        var counted: [LimitedEvent] = []
        /// The events that are only checked.
        var checked: [LimitedEvent] = []
        /// The events whose rows are only written.
        var written: [LimitedEvent] = []
        /// Whether the number gets text messages at all at this time.
        var isServed = true
    }

    /// Returns the limits on text messages that a code has to observe.
    ///
    /// An anonymous request must be rejected in the same cases for all addresses, and must take as long.
    /// Therefore, only the limit on messages to proven numbers rejects it, and if another limit does not
    /// allow the message, the number isn't served at this time. The rows of all these limits are written in
    /// any case.
    private func textEvents(
        of request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> TextEvents {
        guard request.address.via == .sms else { return TextEvents() }
        let proven = limiter.textMessage(to: request.address, isProven: true).map { [$0] } ?? []
        let unproven = try unprovenTextEvents(of: request, at: now, in: transaction)
        let isServed = PhoneNumber(request.address.value).flatMap { phone in texts?.serves(phone) } ?? true
        guard request.isAnonymous else {
            if request.isDecoy { return TextEvents(checked: proven) }
            if request.isProven { return TextEvents(counted: proven) }
            return isServed ? TextEvents(counted: unproven) : TextEvents(isServed: false)
        }
        let waits = try limiter.waits(for: unproven, at: now, in: transaction)
        if request.isDecoy { return TextEvents(checked: proven, written: unproven) }
        if request.isProven { return TextEvents(counted: proven, written: unproven) }
        let isAllowed = isServed && waits.values.allSatisfy { $0 <= .zero }
        return isAllowed
            ? TextEvents(counted: unproven, checked: proven)
            : TextEvents(checked: proven, written: unproven, isServed: false)
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
            events.append(.textMessageFromBlockToCallingCode(block, code: budgeted, proven: count))
        }
        return events
    }

    /// Records that a user has entered a code that was sent by text message.
    ///
    /// The client's block is no longer new. If the number's calling code has a limit of its own, it gets more
    /// messages for a day. A number that is proven again on the same day counts only once.
    ///
    /// - Throws: ``DatabaseError``.
    package func recordProof(
        of address: ContactAddress,
        from peer: PeerAddress,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        guard let texts, let phone = PhoneNumber(address.value) else { return }
        if texts.budgetedCode(of: phone) != nil,
            try limiter.mark(.phoneProven(address), at: now, in: transaction)
        {
            try limiter.mark(.callingCodeProven(phone.callingCode), at: now, in: transaction)
        }
        try limiter.mark(.blockProven(NetworkBlock(of: peer)), at: now, in: transaction)
    }

    /// Counts a guess for a code as a wrong guess if another guess is allowed.
    ///
    /// Call this before verifying the code.
    ///
    /// A sign-up has reserved guesses only on known networks of the account that has proven the address. It
    /// doesn't count towards the network's limit on accounts.
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
        let isKnown = try isKnown(peer, of: identity, with: address, at: now, in: transaction)
        let networks = isFirst && !isKnown && identity != nil ? Network.all(of: peer) : []
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
