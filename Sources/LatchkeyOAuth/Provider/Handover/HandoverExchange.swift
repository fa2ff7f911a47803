import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The exchange of an app's session for a code of another client (RFC 8693).
///
/// The other client must be registered to accept the app's users. Otherwise, any app with a session could log its
/// user in elsewhere, or get tokens there.
struct HandoverExchange: Sendable {
    /// The purpose of a code.
    enum RequestedCode: Sendable {
        /// A browser continues the session, and is sent to the client.
        case webSession
        /// The client's server redeems the code.
        case authorizationCode

        /// The purpose of a token request, or `nil` if the request is another one.
        init?(of fields: FormFields) {
            guard fields["grant_type"] == TokenRequest.Grant.tokenExchange.rawValue else { return nil }
            switch fields["requested_token_type"].map({ TokenType(rawValue: $0) }) {
            case .webSessionCode: self = .webSession
            case .authorizationCode: self = .authorizationCode
            default: return nil
            }
        }

        fileprivate var type: TokenType {
            switch self {
            case .webSession: .webSessionCode
            case .authorizationCode: .authorizationCode
            }
        }
    }

    /// A request that may be answered.
    private struct RequestedHandover {
        let purpose: RequestedCode
        let found: AuthenticatedSession
        let source: OAuthClient
        let target: OAuthClient
        let redirectURI: String
        /// The scopes of an authorization code.
        let scopes: [String]
        let context: RequestContext

        var session: Session { found.session }
    }

    private let proofs: DPoPVerifier
    private let duties: TokenDuties
    private let sessions: SessionRepository
    private let families: TokenFamilyRepository
    private let schemas: SchemaCatalog
    private let clients: ClientRegistry
    private let consents: ConsentRepository
    private let scopes: ScopeCatalog
    private let limiter: Limiter
    private let audit: AuditLog
    private let database: any Database
    private let random: any RandomSource

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        proofs: DPoPVerifier,
        scopes: ScopeCatalog
    ) {
        self.proofs = proofs
        self.scopes = scopes
        duties = TokenDuties(accounts)
        sessions = accounts.sessions
        families = TokenFamilyRepository(
            database: environment.database,
            sessionSettings: accounts.sessionSettings
        )
        schemas = accounts.schemas
        clients = accounts.clients
        consents = ConsentRepository(database: environment.database)
        limiter = accounts.limiter
        audit = accounts.audit
        database = environment.database
        random = environment.random
    }

    /// Returns the body of the response with a code.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the code.
    ///   - fields: The parameters of the request.
    ///   - client: The client that has authenticated itself, or `nil` if the request names none.
    ///   - context: The request context.
    /// - Returns: The body.
    /// - Throws: ``OAuthError`` if the request isn't accepted or a duty of the account blocks, ``ServerError``
    ///   with status 429, ``CryptoError`` or ``DatabaseError``.
    func body(
        for purpose: RequestedCode,
        in fields: FormFields,
        by client: OAuthClient?,
        context: RequestContext
    ) async throws -> [UInt8] {
        let now = context.now
        let found = try await session(in: fields, at: now)
        guard client == nil || client?.id == found.session.clientID else {
            throw OAuthError(.unauthorizedClient, reason: "The session was opened for another client.")
        }
        let proof = try await proof(of: found.session, in: context)
        let request = try await request(for: purpose, in: fields, of: found, context: context)
        let open = try await duties.open(for: found, in: context)
        if let refusal = OAuthError(refusingWhile: open) { throw refusal }
        _ = try await duties.requireNoneBlocking(of: found.identity, at: request.target.id, in: context)
        let events = LimitedEvent.handovers(of: found.session.id, from: context.peer)
        try await limiter.require(events, at: now, in: database)
        if let proof { try await proofs.take(proof, at: now) }
        return Self.body(with: try await code(for: request), type: purpose.type)
    }

    private static func body(with code: Secret, type: TokenType) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("access_token")
            writer.string(code.exposed)
            writer.name("issued_token_type")
            writer.string(type.rawValue)
            // The code isn't an access token (RFC 8693, section 2.2.1).
            writer.name("token_type")
            writer.string("N_A")
            writer.name("expires_in")
            writer.integer(HandoverCode.lifespan.components.seconds)
        }
        return writer.bytes
    }

    // MARK: Requests

    /// Returns the active session whose token a request contains.
    private func session(in fields: FormFields, at now: Timestamp) async throws -> AuthenticatedSession {
        let token = Secret(try fields.required("subject_token"))
        guard try fields.required("subject_token_type") == TokenType.session.rawValue else {
            throw OAuthError(
                .invalidRequest,
                reason: "The subject_token_type must be \(TokenType.session.rawValue)."
            )
        }
        guard fields["actor_token"] == nil, fields["actor_token_type"] == nil, fields["resource"] == nil
        else {
            throw OAuthError(.invalidRequest, reason: "actor_token and resource are not supported.")
        }
        guard let presented = try await sessions.find(SessionToken(presented: token)),
            presented.isAlive(at: now), !presented.session.needsCertificate,
            // A copy of the token that was replaced by a re-authentication must not become a session elsewhere.
            !presented.isTokenReplaced
        else { throw Self.inactive }
        return try await sessions.noteUse(of: presented, at: now)
    }

    /// Returns the proof of possession of the session's key, or `nil` if the session isn't bound to one.
    private func proof(of session: Session, in context: RequestContext) async throws -> PresentedProof? {
        let isPresent = context.request.headers[DPoPProof.header] != nil
        let proof = isPresent ? try proofs.proof(of: context) : nil
        let keys = try await families.keys(of: session.id)
        guard !keys.isEmpty else { return proof }
        guard let proof else {
            throw PresentedProof.refusal("The DPoP header field with a proof is missing.")
        }
        guard keys.contains(proof.key.thumbprint) else {
            throw PresentedProof.refusal(
                "The DPoP proof was not signed with the key to which the session is bound."
            )
        }
        return proof
    }

    private func request(
        for purpose: RequestedCode,
        in fields: FormFields,
        of found: AuthenticatedSession,
        context: RequestContext
    ) async throws -> RequestedHandover {
        let redirectURI = try fields.required("redirect_uri")
        let (source, target) = try await clients(in: fields, of: found)
        guard target.metadata.hasRedirectURI(redirectURI) else {
            throw OAuthError(
                .invalidRequest,
                reason: "The redirect_uri does not match any registered value of the target."
            )
        }
        switch purpose {
        case .webSession:
            guard fields["scope"] == nil else {
                throw OAuthError(.invalidScope, reason: "A session in a browser has no scopes.")
            }
            guard schemas[found.identity.schemaID]?.policy.needsCertificate == false else {
                throw OAuthError(
                    .invalidRequest,
                    reason: "Accounts whose devices need a certificate have no sessions in browsers."
                )
            }
        case .authorizationCode:
            guard target.metadata.isConfidential, target.metadata.grantTypes.contains(.authorizationCode)
            else {
                throw OAuthError(
                    .invalidTarget,
                    reason: "The target is not registered to redeem codes with a secret."
                )
            }
        }
        return RequestedHandover(
            purpose: purpose,
            found: found,
            source: source,
            target: target,
            redirectURI: redirectURI,
            scopes: purpose == .webSession
                ? [] : try await granted(fields, to: target, by: found.identity.id),
            context: context
        )
    }

    /// Returns the client of the session, and the client that the request is about.
    ///
    /// The error doesn't say whether the other client exists.
    private func clients(
        in fields: FormFields,
        of found: AuthenticatedSession
    ) async throws -> (source: OAuthClient, target: OAuthClient) {
        let audience = fields.all("audience")
        guard audience.count == 1 else {
            throw OAuthError(.invalidRequest, reason: "The request must have exactly one audience.")
        }
        let source = try await client(found.session.clientID)
        let target = try await client(audience[0])
        guard let source, let target, target.accepts(usersOf: source.id),
            target.metadata.own.accepts(schema: found.identity.schemaID)
        else {
            throw OAuthError(
                .invalidTarget,
                reason: "The session cannot be handed over to a client with this ID."
            )
        }
        return (source, target)
    }

    /// Returns a client, or `nil` if there is none.
    // The optimizer of Swift 6.3.1 crashes when it inlines the lookup of a client twice.
    @inline(never)
    private func client(_ id: String?) async throws -> OAuthClient? {
        guard let id else { return nil }
        return try await clients.client(id)
    }

    /// Returns the scopes of an authorization code: the requested ones, or else those that need no question.
    private func granted(
        _ fields: FormFields,
        to target: OAuthClient,
        by identity: Identifier
    ) async throws -> [String] {
        let registered = target.metadata.scopes.filter { scopes.isKnown($0) }
        let requested = fields["scope"].map { [String](scopes: $0).filter(registered.contains) }
        let metadata = target.metadata
        var consented: Set<String>?
        if !metadata.own.isFirstParty && !metadata.skipsConsent {
            guard let consent = try await consents.find(target.id, of: identity) else {
                throw Self.consentRequired
            }
            consented = Set(consent.scopes)
        }
        if let requested {
            guard !requested.isEmpty else {
                throw OAuthError(.invalidScope, reason: "The target is registered for none of the scopes.")
            }
            guard consented.map(Set(requested).isSubset) ?? true else { throw Self.consentRequired }
            return requested
        }
        // Only an app that asks for it lets the client outlive the session.
        let granted = registered.filter { scope in
            scope != ScopeName.offlineAccess && consented?.contains(scope) ?? true
        }
        guard !granted.isEmpty else { throw Self.consentRequired }
        return granted
    }

    // MARK: Codes

    private func code(for request: RequestedHandover) async throws -> Secret {
        let (session, context) = (request.session, request.context)
        let now = context.now
        let handover = HandoverCode(random: random)
        let authorization = AuthorizationCode(random: random)
        let event = audit.event(
            request.purpose == .webSession ? .handoverBegun : .authorized,
            of: session.identityID,
            in: context,
            about: request.target.id,
            at: now
        )
        let grant = NewGrant(
            handing: session,
            overTo: request.target,
            scopes: request.scopes,
            redirectURI: request.redirectURI,
            code: authorization,
            expiringAt: now + HandoverCode.lifespan,
            random: random
        )
        let isStored = try await database.transaction { transaction in
            guard try session.hold(at: now, in: transaction),
                try ClientRepository.hold(request.target.id, in: transaction)
            else { return false }
            switch request.purpose {
            case .webSession:
                let entry = HandoverRepository.Entry(
                    identity: session.identityID,
                    session: session.id,
                    source: request.source.id,
                    target: request.target.id,
                    redirectURI: request.redirectURI,
                    network: context.peer.address.network
                )
                try HandoverRepository.insert(entry, code: handover, at: now, in: transaction)
            case .authorizationCode: try GrantRepository.insert(grant, at: now, in: transaction)
            }
            try AuditLog.append(event, in: transaction)
            return true
        }
        guard isStored else { throw Self.inactive }
        return request.purpose == .webSession ? handover.secret : authorization.secret
    }

    // MARK: Refusals

    private static let inactive = OAuthError(
        .invalidRequest,
        reason: "The subject_token is not the token of an active session."
    )

    private static let consentRequired = OAuthError(
        .consentRequired,
        reason: "The user has not consented to these scopes of the target."
    )
}

extension OAuthClient {
    /// Returns whether the users of another client may be handed over to this one.
    func accepts(usersOf source: String) -> Bool {
        metadata.own.handoverFrom.contains { $0.hasSameBytes(as: source) }
    }
}

extension ClientMetadata {
    /// Returns whether exactly this redirect URI is registered, without the exceptions for authorization requests.
    func hasRedirectURI(_ text: String) -> Bool {
        redirectURIs.contains { $0.text.hasSameBytes(as: text) }
    }
}

extension OwnClientMembers {
    /// Returns whether accounts of a schema can log in at the client.
    func accepts(schema: String) -> Bool { schemas.isEmpty || schemas.contains(schema) }
}
