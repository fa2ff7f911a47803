import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The pushed authorization request endpoint (RFC 9126).
struct PushedRequests: Sendable {
    private let authorizations: Authorizations
    private let authenticator: ClientAuthenticator
    private let proofs: DPoPVerifier
    private let limiter: Limiter
    private let database: any Database
    private let random: any RandomSource

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        authorizations: Authorizations,
        authenticator: ClientAuthenticator,
        proofs: DPoPVerifier
    ) {
        self.authorizations = authorizations
        self.authenticator = authenticator
        self.proofs = proofs
        limiter = accounts.limiter
        database = environment.database
        random = environment.random
    }

    /// Stores a request of a client, and returns its URI.
    ///
    /// A request with a proof is bound to the key that has signed it, which must then redeem the code
    /// (RFC 9449, section 10).
    func push(_ context: RequestContext) async throws -> HTTP.Response {
        let fields = try FormFields(context.request)
        let credentials = try ClientCredentials(
            headers: context.request.headers,
            clientID: fields["client_id"],
            secret: fields["client_secret"]
        )
        let client = try await authenticator.client(credentials, in: context)
        guard fields["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, reason: "The parameter request_uri is not allowed here.")
        }
        let hasProof = context.request.headers[DPoPProof.header] != nil
        let proof = hasProof ? try proofs.proof(of: context) : nil
        var request: AuthorizationRequest
        do {
            request = try await authorizations.request(context.request.body, of: client, at: context.now)
        } catch let refusal as AuthorizationParameters.Refusal {
            throw OAuthError(.invalidRequest, reason: refusal.reason)
        } catch let error as AuthorizationError {
            throw OAuthError(error.code, reason: error.reason)
        }
        if let proof {
            guard [nil, proof.thumbprintText].contains(request.keyThumbprint) else {
                throw PresentedProof.refusal("The dpop_jkt is not the key that signed the DPoP proof.")
            }
            try await proofs.take(proof, at: context.now)
            request = request.bound(to: proof.thumbprintText)
        }
        let uri = RequestURI(random: random)
        let lifespan =
            client.metadata.own.isAppToApp
            ? PushedRequestRepository.appLifespan : PushedRequestRepository.lifespan
        let events = LimitedEvent.pushedRequests(ofClient: client.id, from: context.peer)
        let bound = request
        try await database.transaction { [limiter, random] transaction in
            try limiter.require(events, at: context.now, in: transaction)
            try PushedRequestRepository.insert(
                bound,
                uri: uri,
                until: context.now + lifespan,
                at: context.now,
                random: random,
                in: transaction
            )
        }
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.name("request_uri")
            writer.string(uri.text.exposed)
            writer.name("expires_in")
            writer.integer(lifespan.components.seconds)
        }
        return .json(201, body: writer.bytes)
    }
}
