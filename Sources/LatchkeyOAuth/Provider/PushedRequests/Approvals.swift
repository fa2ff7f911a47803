import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The routes on which the app of a logged-in user shows and answers the request of another app.
///
/// Everything that the app shows comes from the client's registration and from the request that the client has
/// pushed, and not from the address with which one app opens the other.
struct Approvals: Sendable {
    private static let bodyLimit = 8192

    private let authorizations: Authorizations
    private let authenticator: SessionAuthenticator
    private let identities: IdentityRepository
    private let clients: ClientRegistry
    private let proofs: any AccessTokenReader
    private let families: TokenFamilyRepository
    private let limiter: Limiter
    private let database: any Database
    private let requests: AuthorizationRequestRepository
    private let scopes: ScopeCatalog

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        authorizations: Authorizations,
        tokens: AccessTokens,
        scopes: ScopeCatalog
    ) {
        self.authorizations = authorizations
        self.scopes = scopes
        authenticator = accounts.authenticator
        identities = accounts.identities
        clients = accounts.clients
        proofs = tokens
        families = TokenFamilyRepository(
            database: environment.database,
            sessionSettings: accounts.sessionSettings
        )
        limiter = accounts.limiter
        database = environment.database
        requests = AuthorizationRequestRepository(database: environment.database)
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                Route.approvals,
                below: .server,
                accepts: .session(),
                operation: .openApproval,
                answer: open
            ),
            Endpoint(
                .post,
                Route.approvals + "/{}",
                below: .server,
                accepts: .session(),
                operation: .answerApproval,
                answer: answer
            ),
            Endpoint(
                .delete,
                Route.approvals + "/{}",
                below: .server,
                accepts: .session(),
                operation: .releaseApproval,
                answer: release
            ),
        ]
    }

    /// Returns the session of the app, which has proven possession of its device's key if it has one.
    private func session(of context: RequestContext) async throws -> AuthenticatedSession {
        let found = try await authenticator.requiredSession(of: context)
        let keys = try await families.certifiedKeys(of: found.session.id)
        guard !keys.isEmpty else { return found }
        guard context.request.headers[DPoPProof.header] != nil, let token = found.presentedToken else {
            throw Self.proofRequired
        }
        let key = try await proofs.provenKey(in: context, for: token.secret)
        guard keys.contains(key) else { throw Self.proofRequired }
        return found
    }

    // MARK: Opening

    private struct OpenBody: Decodable {
        let client_id: String
        let request_uri: String
    }

    /// Opens a pushed request, and returns what the app must show.
    private func open(_ context: RequestContext) async throws -> HTTP.Response {
        try context.requireNativeJSON()
        let session = try await session(of: context)
        let body = try context.body(OpenBody.self, limit: Self.bodyLimit)
        guard let client = try await clients.client(body.client_id),
            let uri = RequestURI(presented: body.request_uri)
        else { throw ServerError.notFound }
        let found = try await PushedRequestRepository.find(
            uri,
            of: client.id,
            by: session.session.id,
            at: context.now,
            in: database
        )
        guard let found, let waiting = try await requests.find(found),
            client.metadata.canBeApproved(waiting.request)
        else { throw ServerError.notFound }
        // The app can tell its user that the other app no longer needs an answer.
        guard waiting.isOpen(at: context.now) else { throw Self.expired }
        // Any program can open the app with URIs of requests that don't exist, and show a request again.
        if waiting.approver != session.session.id {
            try await limiter.require([.approval(session.session.id)], at: context.now, in: database)
        }
        // A request that needs a new login first isn't used up.
        try check(
            try await authorizations.decision(about: waiting, of: client, by: session, at: context.now)
        )
        let opened = try await database.transaction { transaction in
            try PushedRequestRepository.open(
                uri,
                of: client.id,
                by: session.session.id,
                at: context.now,
                in: transaction
            )
        }
        guard let opened, let stored = try await requests.find(opened) else { throw ServerError.notFound }
        let name = try await name(of: session.identity.id)
        let language = Language(of: context, default: .english)
        let isRemembered = try await authorizations.isRemembered(stored.request, by: session.identity.id)
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            writer.name("id")
            writer.identifier(opened)
            writer.name("client")
            writer.approvingClient(client)
            writer.name("scopes")
            writer.array { writer in
                for scope in stored.request.scopes {
                    writer.object { writer in
                        writer.name("name")
                        writer.string(scope)
                        if let text = scopes.description(of: scope, in: language) {
                            writer.name("description")
                            writer.string(text)
                        }
                    }
                }
            }
            writer.name("redirect")
            writer.redirect(of: stored.request, client: client)
            writer.name("account")
            writer.string(name)
            writer.name("remembered")
            writer.bool(isRemembered)
            writer.name("expires_at")
            writer.time(stored.expiresAt)
        }
        return .json(201, body: writer.bytes)
    }

    /// Returns the masked identifier of an account.
    private func name(of identity: Identifier) async throws -> String {
        let identifier = try await identities.identifier(of: identity) ?? identity.description
        return Self.masked(identifier)
    }

    /// Masks the middle of an identifier, so that the user recognizes it and others learn little.
    static func masked(_ identifier: String) -> String {
        let parts = identifier.split(separator: "@", maxSplits: 1)
        guard parts.count == 2 else { return identifier.prefix(3) + "…" + identifier.suffix(2) }
        return parts[0].prefix(1) + "…@" + parts[1]
    }

    /// Throws an error if the user must do something else before the request can be approved.
    private func check(_ decision: AuthorizationDecision) throws {
        switch decision {
        case .grant, .ask, .chooseAccount, .completeProfile: return
        case .logIn(isRefresh: true): throw ServerError.sessionRefreshRequired
        case .logIn, .signUp, .refuse: throw Self.accountChanged
        }
    }

    // MARK: Answering

    private struct AnswerBody: Decodable {
        let decision: String
        let account: String
        let scopes: [String]?
    }

    /// Answers a request, which can be done once.
    private func answer(_ context: RequestContext) async throws -> HTTP.Response {
        try context.requireNativeJSON()
        let session = try await session(of: context)
        let id = try context.id()
        let body = try context.body(AnswerBody.self, limit: Self.bodyLimit)
        guard let stored = try await requests.find(id), stored.approver == session.session.id,
            let client = try await clients.client(stored.request.clientID),
            client.metadata.canBeApproved(stored.request)
        else { throw ServerError.notFound }
        guard stored.isOpen(at: context.now) else { throw Self.expired }
        guard try await name(of: session.identity.id) == body.account else { throw Self.accountChanged }
        let answer: Authorizations.Answer
        switch body.decision {
        case "approve":
            try check(
                try await authorizations.decision(about: stored, of: client, by: session, at: context.now)
            )
            answer = .approve(scopes: Set(body.scopes ?? stored.request.scopes))
        case "refuse": answer = .refuse
        default: throw ServerError.malformed("The member decision must be approve or refuse.")
        }
        guard
            let address = try await authorizations.address(
                answering: stored,
                of: client,
                with: answer,
                by: session,
                in: context
            )
        else { throw Self.expired }
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.name("redirect_to")
            writer.string(address)
        }
        return .json(200, body: writer.bytes)
    }

    // MARK: Releasing

    /// Gives an opened request back, so that the user can open it with another account.
    private func release(_ context: RequestContext) async throws -> HTTP.Response {
        let session = try await session(of: context)
        let id = try context.id()
        let isReleased = try await database.transaction { transaction in
            try PushedRequestRepository.release(
                id,
                by: session.session.id,
                at: context.now,
                in: transaction
            )
        }
        guard !isReleased else { return HTTP.Response(204) }
        guard let stored = try await requests.find(id), stored.approver == session.session.id else {
            throw ServerError.notFound
        }
        throw Self.expired
    }

    // MARK: Refusals

    private static let expired = ServerError(
        410,
        id: .approvalExpired,
        reason: "The request has been answered or withdrawn, or has expired."
    )
    private static let accountChanged = ServerError(
        409,
        id: .accountChanged,
        reason: "The request can't be approved by this account."
    )
    private static let proofRequired = ServerError(
        401,
        id: .invalidDPoPProof,
        reason: "The request needs a proof of possession of the device's key.",
        headers: .challenge(.dpop())
    )
}

extension JSONWriter {
    fileprivate mutating func approvingClient(_ client: OAuthClient) {
        object { writer in
            func write(_ name: StaticString, as text: String?) {
                guard let text, !text.isEmpty else { return }
                writer.name(name)
                writer.string(text)
            }
            write("client_id", as: client.id)
            write("client_name", as: client.metadata.name)
            write("client_uri", as: client.metadata.uri)
            write("logo_uri", as: client.metadata.logoURI)
            write("policy_uri", as: client.metadata.policyURI)
            write("tos_uri", as: client.metadata.termsURI)
        }
    }

    /// Writes what is certain about the app that asks: the host that its redirect URI belongs to, or only the
    /// scheme, which any app can have claimed.
    fileprivate mutating func redirect(of request: AuthorizationRequest, client: OAuthClient) {
        let kind = client.metadata.redirectKind(of: request.redirectURI)
        object { writer in
            writer.name("kind")
            switch kind {
            case .https:
                writer.string("claimed_https")
                writer.name("host")
                writer.string(WebAddress(request.redirectURI)?.authority ?? "")
            case .privateUse:
                writer.string("private_use")
                writer.name("scheme")
                writer.string(String(request.redirectURI.prefix { $0 != ":" }))
            case .http, .loopback, .localhost: writer.string("loopback")
            }
        }
    }
}

extension ClientMetadata {
    /// Returns whether another app can approve a request of the client.
    ///
    /// The registration may have changed since the request was pushed.
    fileprivate func canBeApproved(_ request: AuthorizationRequest) -> Bool {
        own.isAppToApp && allows(redirectURI: request.redirectURI)
    }
}

extension APIOperation {
    fileprivate static let openApproval = APIOperation(
        "openApproval",
        "Opens a pushed authorization request of another app, which the user can approve.",
        parameters: [.header("DPoP", "A DPoP proof, if the session's device has a certificate.")],
        body: APIBody(
            schema: .object([.required("client_id", .text), .required("request_uri", .text)])
        ),
        [
            APIResponse(
                201,
                "What the app must show.",
                .object([
                    .required("id", .uuid), .required("client", .anyObject),
                    .required(
                        "scopes",
                        .array(.object([.required("name", .text), .optional("description", .text)]))
                    ),
                    .required("redirect", .anyObject), .required("account", .text),
                    .required("remembered", .boolean), .required("expires_at", .time),
                ])
            ),
            APIResponse(401, "There is no active session, or no proof of its device's key.", .error),
            APIResponse(403, "The user must log in again.", .error),
            APIResponse(404, "The request is unknown, or another session has it open.", .error),
            APIResponse(409, "The request can't be approved by this account.", .error),
            APIResponse(410, "The request was answered or withdrawn, or has expired.", .error),
            .tooManyRequests,
        ]
    )

    fileprivate static let answerApproval = APIOperation(
        "answerApproval",
        "Approves or refuses the authorization request of another app.",
        parameters: [
            .path("id", "The id of the opened request.", .uuid),
            .header("DPoP", "A DPoP proof, if the session's device has a certificate."),
        ],
        body: APIBody(
            schema: .object([
                .required("decision", .oneOf("approve", "refuse")), .required("account", .text),
                .optional("scopes", .array(.text)),
            ])
        ),
        [
            APIResponse(
                200,
                "The address that leads back to the other app.",
                .object([.required("redirect_to", .text)])
            ),
            APIResponse(401, "There is no active session, or no proof of its device's key.", .error),
            APIResponse(403, "The user must log in again.", .error),
            APIResponse(404, "The request is unknown, or was opened by another session.", .error),
            APIResponse(409, "Another account was shown.", .error),
            APIResponse(410, "The request was answered or withdrawn, or has expired.", .error),
        ]
    )
    fileprivate static let releaseApproval = APIOperation(
        "releaseApproval",
        "Gives an opened request back without an answer, so that another session can open it.",
        parameters: [
            .path("id", "The id of the opened request.", .uuid),
            .header("DPoP", "A DPoP proof, if the session's device has a certificate."),
        ],
        [
            APIResponse(204, "No session has the request open."),
            APIResponse(401, "There is no active session, or no proof of its device's key.", .error),
            APIResponse(404, "The request is unknown, or another session has it open.", .error),
            APIResponse(410, "The request was answered or withdrawn, or has expired.", .error),
        ]
    )
}
