import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The route that tells apps whether an account has an identifier, which is disabled by default.
///
/// It lets anyone find out who has an account. Operators enable it for apps that need it, and the limits and the
/// audit log keep its use small and visible.
struct IdentifierStatusEndpoints: Sendable {
    private static let sizeLimit = 4096

    private let isEnabled: Bool
    private let proofs: DPoPVerifier
    private let nonces: DPoPNonces
    private let limiter: Limiter
    private let audit: AuditLog
    private let database: any Database

    init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        settings: ProviderSettings,
        proofs: DPoPVerifier
    ) {
        isEnabled = settings.publishesIdentifierStatus
        self.proofs = proofs
        nonces = DPoPNonces(secrets: environment.secrets)
        (limiter, audit) = (accounts.limiter, accounts.audit)
        database = environment.database
    }

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .post,
                Route.identifierStatus,
                accepts: .none,
                operation: .getIdentifierStatus,
                body: IdentifierStatusRequest.self,
                limit: Self.sizeLimit,
                returning: IdentifierStatusBody.self,
                answer: show
            )
        ]
    }

    /// Handles `POST /identifiers/status`.
    ///
    /// The network's limit counts the request before its proof is verified, so that keys that are created for one
    /// request cost no more signatures and rows than the limit allows. The identifier is parsed last, so a guess in a
    /// wrong form isn't free either.
    private func show(
        _ context: RequestContext,
        body: RequestBody<IdentifierStatusRequest>
    ) async throws -> BodyResponse<IdentifierStatusBody> {
        guard isEnabled else {
            throw ServerError(
                404,
                reason: "This server doesn't tell whether an identifier has an account "
                    + "(oauth.identifier_status)."
            )
        }
        try await limiter.require(
            LimitedEvent.identifierStatus(from: context.peer),
            at: context.now,
            in: database
        )
        try await verifyProof(of: context)
        guard let address = ContactAddress(try body.decoded().identifier) else {
            throw ServerError.malformed(
                "The member identifier must be an e-mail address, or a phone number that starts with +."
            )
        }
        let event = audit.event(
            .identifierStatusRead,
            of: .nilUUID,
            in: context,
            about: audit.hash(address.value),
            at: context.now
        )
        return try await database.transaction { transaction in
            try AuditLog.append(event, in: transaction)
            let use = try AddressStateRepository.use(of: address, in: transaction)
            return .ok(IdentifierStatusBody(exists: use != .free, verified: use == .proven))
        }
    }

    /// Verifies the proof in a request, and counts the request towards the limit of its key.
    ///
    /// A request that the limit refuses doesn't use the proof up.
    ///
    /// - Throws: ``ServerError`` with status 400 and a nonce for the next proof, or with status 429, or
    ///   ``DatabaseError``.
    private func verifyProof(of context: RequestContext) async throws {
        do {
            let proof = try proofs.proof(of: context)
            try await limiter.require(
                [.identifierStatus(ofKey: proof.key.thumbprint)],
                at: context.now,
                in: database
            )
            try await proofs.take(proof, at: context.now)
        } catch let error as OAuthError {
            throw ServerError(
                400,
                id: error.code == .useDPoPNonce ? .useDPoPNonce : .invalidDPoPProof,
                reason: error.reason,
                headers: [DPoPProof.nonceHeader: nonces.issue(at: context.now)]
            )
        }
    }
}

extension AuditAction {
    /// An app has read whether an identifier has an account.
    ///
    /// The event's subject is a keyed hash of the identifier.
    fileprivate static let identifierStatusRead = AuditAction(rawValue: "identifier.status.read")
}

extension APIOperation {
    fileprivate static let getIdentifierStatus = APIOperation(
        "getIdentifierStatus",
        "Returns whether an account has an identifier.",
        details: """
            Disabled by default (`oauth.identifier_status`), because it tells who has an account. Each request \
            needs a proof by the device's key (RFC 9449), and is recorded in the audit log.
            """,
        parameters: [.header("DPoP", "A DPoP proof by the device's key.")],
        [
            APIResponse(200, "The status."),
            .refusal(
                400,
                "The identifier has a wrong form, or the proof is missing or invalid (`invalid_dpop_proof`), or "
                    + "needs the nonce in the header `DPoP-Nonce` (`use_dpop_nonce`)."
            ),
            .refusal(404, "The server doesn't offer this route."),
            .refusal(
                429,
                "The network or the key has asked too often (`too_many_requests`).",
                headers: [.retryAfter]
            ),
        ]
    )
}
