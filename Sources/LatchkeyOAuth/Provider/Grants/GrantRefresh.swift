import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The refresh token grant of clients (RFC 6749, section 6).
struct GrantRefresh: Sendable {
    private let tokens: GrantTokens
    private let duties: TokenDuties
    private let settings: ProviderSettings
    private let proofs: DPoPVerifier
    private let limiter: Limiter
    private let audit: AuditLog
    private let database: any Database
    private let grants: GrantRepository

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        settings: ProviderSettings,
        tokens: GrantTokens,
        proofs: DPoPVerifier
    ) {
        self.tokens = tokens
        duties = TokenDuties(accounts)
        self.settings = settings
        self.proofs = proofs
        limiter = accounts.limiter
        audit = accounts.audit
        database = environment.database
        grants = GrantRepository(database: environment.database)
    }

    /// Replaces the refresh token in a request with its successor.
    ///
    /// A token whose successor hasn't been used yet returns the same successor again, because a response may
    /// have been lost. Unless the grant is bound to a key, this ends after ``ProviderSettings/refreshRetry``,
    /// since a thief could also do it. Any other token that is used again ends the grant.
    ///
    /// - Throws: ``OAuthError`` if the token isn't accepted or a duty of the account blocks, ``ServerError``
    ///   with status 429 if the grant's tokens were refreshed too often, ``CryptoError`` or
    ///   ``DatabaseError``.
    func body(for request: ClientRequest) async throws -> GrantTokenBody {
        let (client, now) = (request.client, request.now)
        guard client.metadata.grantTypes.contains(.refreshToken) else {
            throw OAuthError(
                .unauthorizedClient,
                reason: "The client is not registered for this grant type."
            )
        }
        guard
            let token = tokens.refreshTokens.read(Secret(try request.fields.required("refresh_token")))
        else { throw Self.refusal }
        let requested = request.fields["scope"].map { [String](scopes: $0) }
        // The scope is checked before the token is used, so that a mistake has no effect.
        guard let found = try await grants.find(token.session, of: client.id, at: now), found.isAlive else {
            throw Self.refusal
        }
        let scopes = try Self.scopes(requested, of: found.grant)
        if let key = found.grant.keyThumbprint, key != request.keyThumbprint {
            throw PresentedProof.refusal(
                "The DPoP proof was not signed with the key to which the refresh token is bound."
            )
        }
        let open = try await openDuties(of: found, at: token.number, for: request)
        if let proof = request.proof { try await proofs.take(proof, at: now) }
        let end = now + tokens.refreshLifespan(of: client, afterRefresh: true)
        let used = try await database.transaction { [limiter] transaction in
            let grant = try GrantRepository.use(
                token,
                by: client.id,
                key: request.keyThumbprint,
                until: end,
                at: now,
                in: transaction
            )
            if grant != nil {
                try limiter.require([.renewal(token.session)], at: now, in: transaction)
            }
            return grant
        }
        var body =
            if let grant = used {
                try await body(after: token, of: grant, granting: scopes, for: request)
            } else {
                try await repeated(token, granting: scopes, for: request)
            }
        body.duties = open
        return body
    }

    /// Returns the duties of a grant's account.
    ///
    /// A token that was used before its successor ends the grant even while a duty blocks, because it was
    /// copied.
    ///
    /// - Throws: ``OAuthError`` with the code `interaction_required` if a duty blocks, or ``DatabaseError``.
    private func openDuties(
        of found: GrantRepository.Refreshing,
        at number: Int64,
        for request: ClientRequest
    ) async throws -> [AccountDuty] {
        guard number >= found.used else { return [] }
        return try await duties.requireNoneBlocking(
            of: found.grant.identity,
            at: request.client,
            in: request.context
        )
    }

    /// Answers a request with a token that isn't the newest one.
    private func repeated(
        _ token: RefreshToken,
        granting scopes: [String],
        for request: ClientRequest
    ) async throws -> GrantTokenBody {
        let now = request.now
        // Another request may have used the token in the meantime.
        guard let found = try await grants.find(token.session, of: request.client.id, at: now),
            found.isAlive
        else { throw Self.refusal }
        let isBound = found.grant.keyThumbprint != nil
        switch RefreshDecision(
            number: token.number,
            used: found.used,
            usedAt: found.usedAt,
            isBound: isBound,
            retry: settings.refreshRetry,
            now: now
        ) {
        case .successor:
            try await limiter.require([.renewal(token.session)], at: now, in: database)
            return try await body(after: token, of: found.grant, granting: scopes, for: request)
        case .end:
            if isBound, let proof = request.proof {
                try proofs.require(proof, madeAfter: found.usedAt, at: now)
            }
            try await end(found.grant, for: request)
            throw Self.refusal
        case .refuse: throw Self.refusal
        }
    }

    private func body(
        after token: RefreshToken,
        of grant: Grant,
        granting scopes: [String],
        for request: ClientRequest
    ) async throws -> GrantTokenBody {
        try await tokens.body(
            of: grant,
            for: request.client,
            scopes: scopes,
            refreshNumber: token.number + 1,
            isFirst: false,
            at: request.now
        )
    }

    private func end(_ grant: Grant, for request: ClientRequest) async throws {
        let event = audit.event(
            .grantReused,
            of: grant.identity,
            by: .server,
            in: request.context,
            about: request.client.id,
            at: request.now
        )
        try await database.transaction { transaction in
            guard try GrantRepository.end(grant.id, at: request.now, in: transaction) else { return }
            try AuditLog.append(event, in: transaction)
        }
    }

    /// Returns the scopes of the access token, which may be fewer than the grant's.
    private static func scopes(_ requested: [String]?, of grant: Grant) throws(OAuthError) -> [String] {
        guard let requested, !requested.isEmpty else { return grant.scopes }
        guard requested.allSatisfy(grant.scopes.contains) else {
            throw OAuthError(.invalidScope, reason: "The scope exceeds what the user has granted.")
        }
        return requested
    }

    /// The error for all rejected tokens.
    ///
    /// The text is always the same, so it doesn't reveal whether a token was ever valid.
    private static let refusal = OAuthError(
        .invalidGrant,
        reason: "The refresh token is invalid, expired or revoked."
    )
}

/// The decision about a refresh token that isn't the newest one of its grant.
enum RefreshDecision: Hashable, Sendable {
    /// The client gets the successor again.
    case successor
    /// The token was copied, so the grant ends.
    case end
    /// The token was never issued.
    case refuse

    /// Decides about a token.
    ///
    /// - Parameters:
    ///   - number: The number of the token.
    ///   - used: The highest number that has been used.
    ///   - usedAt: When that number was first used.
    ///   - isBound: Whether the request has proven possession of the grant's key.
    ///   - retry: How long a token without a key can be used again.
    ///   - now: The current time.
    init(
        number: Int64,
        used: Int64,
        usedAt: Timestamp,
        isBound: Bool,
        retry: Duration,
        now: Timestamp
    ) {
        switch number {
        case used where used > 0: self = isBound || usedAt + retry > now ? .successor : .end
        case 1..<max(1, used): self = .end
        default: self = .refuse
        }
    }
}
