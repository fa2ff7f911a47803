import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// The rate limits for codes that are sent to addresses, and for guesses at these codes.
///
/// A few codes and guesses per day are reserved for the known networks of an account, so other clients cannot
/// lock its user out on these networks.
package struct CodeLimits: Sendable {
    /// The longest wait for which no reserved code is used, because such a wait only spaces out codes.
    private static let spacing: Duration = .seconds(60)

    /// A request to send a code.
    package struct Request: Sendable {
        /// The address to which the code is to be sent.
        package let address: ContactAddress
        /// The address of the client that requests the code.
        package let peer: PeerAddress

        /// The id of the account that the code is for; a random id for a decoy, and `nil` for a sign-up.
        package var identity: Identifier?

        /// Whether the address is proven on the account, which selects the half of
        /// ``LimitSettings/textMessages`` that a text message counts against.
        package var isProven: Bool

        /// Whether no message is sent because the address belongs to no account.
        package var isDecoy: Bool

        /// Whether a registration triggered the code.
        ///
        /// The registration itself has already been counted against the limit of its network.
        package var followsRegistration: Bool

        /// Creates a request, by default for a sign-up with an address that is not proven on any account.
        package init(
            to address: ContactAddress,
            from peer: PeerAddress,
            of identity: Identifier? = nil,
            isProven: Bool = false,
            isDecoy: Bool = false,
            followsRegistration: Bool = false
        ) {
            self.address = address
            self.peer = peer
            self.identity = identity
            self.isProven = isProven
            self.isDecoy = isDecoy
            self.followsRegistration = followsRegistration
        }
    }

    private let limiter: Limiter
    private let known: KnownNetworks

    /// Creates the limits, with the limiter that counts events and the networks that are known for each
    /// account.
    package init(_ limiter: Limiter, known: KnownNetworks) {
        self.limiter = limiter
        self.known = known
    }

    /// Counts a code if it may be sent.
    ///
    /// A decoy is rejected in the same cases as a code to a proven address, but does not count against the
    /// limit for text messages.
    ///
    /// A reserved code is used only if the ordinary limits require a wait of more than a minute, and only for
    /// a known network of the account. A reserved code is also counted against the ordinary limits.
    ///
    /// - Parameters:
    ///   - request: The address, the account and the client.
    ///   - now: The time at which the code is counted.
    ///   - transaction: The transaction that counts the code; a rollback also undoes the count.
    /// - Returns: A reservation if the code may be sent, or else a refusal.
    /// - Throws: ``DatabaseError``.
    package func reserve(
        _ request: Request,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> LimitVerdict {
        let code = LimitedEvent.code(to: request.address)
        let text = limiter.textMessage(to: request.address, isProven: request.isProven || request.isDecoy)
        let texts = text.map { [$0] } ?? []
        let (sent, unsent) = request.isDecoy ? ([], texts) : (texts, [])
        // The limit for registrations also bounds the mail that they trigger. Text messages cost money, so
        // the limit per network applies to them as well.
        let networks =
            request.followsRegistration && request.address.via == .email ? [] : Network.all(of: request.peer)
        let asked = networks.map { LimitedEvent.codeFromNetwork($0) }
        let verdict = try limiter.reserve(
            [code] + asked + sent,
            checking: unsent,
            at: now,
            in: transaction
        )
        guard case .refused(let retryAfter) = verdict, .seconds(retryAfter) > Self.spacing,
            let identity = request.identity,
            try known.contains(request.peer, of: identity, at: now, in: transaction)
        else { return verdict }
        return try limiter.reserve(
            [.codeInReserve(to: request.address)] + sent,
            counting: [code] + asked,
            checking: unsent,
            at: now,
            in: transaction
        )
    }

    /// Counts a guess at a code as wrong before the code is verified, if another guess is allowed.
    ///
    /// A sign-up has no account and therefore no reserved guesses.
    ///
    /// - Parameters:
    ///   - address: The address to which the code was sent.
    ///   - identity: The id of the account that the code is for; a random id for a decoy, and `nil` for a
    ///     sign-up.
    ///   - isFirst: Whether this is the first guess at the code. The first guess also counts against the
    ///     client's network, unless the network is known.
    ///   - peer: The client's address.
    ///   - now: The current time.
    ///   - transaction: The transaction that counts the guess.
    /// - Returns: A reservation, which the caller gives back if the guess is correct, or else a refusal.
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
