import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit

/// The rate limits for sending codes to addresses and for guessing these codes.
///
/// We reserve a few codes and guesses per day for the networks from which a user has logged in before. Other
/// clients can't use up these codes and guesses, so they can't prevent the user from logging in from a known
/// network.
package struct CodeLimits: Sendable {
    /// Reserved codes are only used if the wait for a regular code would be longer than this.
    private static let spacing: Duration = .seconds(60)

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

        /// Creates a request.
        ///
        /// The default values describe a sign-up with an address that hasn't been proven on any account.
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

    /// Creates the limits from a limiter that counts events and the store of known networks.
    package init(_ limiter: Limiter, known: KnownNetworks) {
        self.limiter = limiter
        self.known = known
    }

    /// Counts a code if it may be sent.
    ///
    /// A decoy is rejected in the same cases as a code to a proven address, but it doesn't count towards the
    /// text message limit.
    ///
    /// A reserved code is used only on a known network of the account, and only if the regular limits would
    /// require the user to wait for more than a minute. Reserved codes are also included in
    /// the counts for the regular limits.
    ///
    /// - Parameters:
    ///   - request: The request for the code, which contains the address, the account and the client's
    ///     network address.
    ///   - now: The current time.
    ///   - transaction: The database transaction that the count is written in. If the transaction is rolled
    ///     back, the code isn't counted.
    /// - Returns: A reservation if the code may be sent, or a refusal.
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
        // The limit on registrations already bounds the mail that they cause. The limit per network still
        // applies to text messages, because text messages cost money.
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
