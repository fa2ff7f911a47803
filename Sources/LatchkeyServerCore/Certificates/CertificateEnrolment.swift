import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Certifies the key of a device, which makes its session a full one.
///
/// A session that was created with a proof of possession (RFC 9449) can enrol that key only; one without a proof can
/// enrol a key within minutes of the login. Asking again with the same key renews the certificate at any time, so that
/// a lost answer can be asked for again.
package struct CertificateEnrolment: Sendable {
    private static let byteLimit = 2 * CertificateSigningRequest.byteLimit

    private let context: ServerContext
    private let sessions: SessionAuthenticator
    private let issuer: CertificateIssuer
    private let limiter: Limiter
    private let notices: AccountNotices

    package init(_ context: ServerContext, issuer: CertificateIssuer, courier: Courier) {
        self.context = context
        self.issuer = issuer
        sessions = SessionAuthenticator(context)
        limiter = Limiter(context)
        notices = AccountNotices(context, courier: courier)
    }

    /// The places that this answers at.
    package var endpoints: [Endpoint] {
        [Endpoint(.put, Route.certificates, below: .server, .enrolDevice, answer: enrol)]
    }

    /// Answers a `PUT`.
    private func enrol(_ exchange: Exchange) async throws -> HTTPResponse {
        let found = try await sessions.anySession(of: exchange, refusal: .sessionInactive)
        let session = found.session
        let body = try exchange.body(CertificateBody.Request.self, limit: Self.byteLimit)
        try await reserve(session, at: exchange.now)
        let certificate = try await issue(to: session, request: body.csr, at: exchange.now)
        let sessionExpiry = try await store(certificate, of: found, for: exchange)
        return answer(certificate, sessionExpiry: sessionExpiry)
    }

    /// Counts the enrolment before anything is signed for it.
    private func reserve(_ session: Session, at now: Timestamp) async throws {
        let verdict = try await context.database.transaction { [limiter] transaction in
            try limiter.reserve([.enrolment(session.id)], at: now, in: transaction)
        }
        if case .refused(let retryAfter) = verdict {
            throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
    }

    private func issue(to session: Session, request: String, at now: Timestamp) async throws -> Certificate {
        do {
            return try await issuer.issue(
                CertificateIssuer.Order(
                    request: request,
                    identity: session.identityID,
                    device: session.deviceID,
                    notBefore: now,
                    notAfter: now + context.settings.certificateLifespan
                )
            )
        } catch let error as CryptoError where error.code != .failed {
            throw ServerError(400, .csrInvalid, reason: error.message)
        } catch is WorkQueue<@Sendable () -> Void>.Refusal {
            throw ServerError.overloaded()
        }
    }

    /// Stores a certificate, and makes its session a full one.
    ///
    /// - Returns: When the session expires from now on.
    private func store(
        _ certificate: Certificate,
        of found: SessionRepository.Found,
        for exchange: Exchange
    ) async throws -> Timestamp {
        let (session, now) = (found.session, exchange.now)
        let (expiry, sent) = try await context.database.transaction { transaction in
            // The session's row comes first: it is where two calls for one session meet.
            let lifespan = context.settings.sessionLifespan
            guard
                let expiry = try SessionRepository.certify(
                    session.id,
                    lifespan: lifespan,
                    at: now,
                    in: transaction
                )
            else {
                throw ServerError(401, .sessionInactive, reason: "The session has ended.")
            }
            let isRenewal = try CertificateRepository.exists(for: session.id, in: transaction)
            if !isRenewal { try checkKey(certificate, of: found, at: now, in: transaction) }
            let added = try CertificateRepository.insert(
                CertificateRecord(
                    serial: SerialNumber(bytes: certificate.serial),
                    session: session.id,
                    keyThumbprint: certificate.publicKey.thumbprint,
                    issuedAt: now,
                    notAfter: certificate.notAfter
                ),
                identity: session.identityID,
                in: transaction
            )
            guard added else { throw Self.otherKey }
            let event = context.event(
                isRenewal ? .certificateRenewed : .deviceEnrolled,
                of: session.identityID,
                in: exchange,
                about: SerialNumber(bytes: certificate.serial).description,
                at: now
            )
            try AuditLog.append(event, in: transaction)
            return (expiry, try isRenewal ? 0 : notify(session, exchange, in: transaction))
        }
        if sent > 0 { notices.wake() }
        return expiry
    }

    private static let otherKey = ServerError(
        409,
        .certificateKeyDiffers,
        reason: "The session is tied to another key; log in again to use this one."
    )

    /// Checks that a session without a certificate may enrol a key.
    private func checkKey(
        _ certificate: Certificate,
        of found: SessionRepository.Found,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        let session = found.session
        if let bound = try SessionRepository.keyThumbprint(of: session.id, in: transaction) {
            guard bound == certificate.publicKey.thumbprint else { throw Self.otherKey }
            return
        }
        guard
            !found.isTokenReplaced, now < session.authenticatedAt + context.settings.enrolmentWindow
        else {
            throw ServerError(
                403,
                .sessionRefreshRequired,
                reason: "The login was too long ago to enrol a device; log in again."
            )
        }
    }

    /// Notifies the owner of a new device, unless it is the one that the account was created on.
    private func notify(
        _ session: Session,
        _ exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Int {
        guard
            let identity = try IdentityRepository.load(session.identityID, in: transaction),
            session.issuedAt != identity.createdAt
        else { return 0 }
        return try notices.sendNewDevice(to: identity, for: exchange, in: transaction)
    }

    private func answer(_ certificate: Certificate, sessionExpiry: Timestamp) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("certificate")
            writer.string(certificate.pem)
            writer.name("chain")
            writer.array { writer in for issuer in issuer.chain { writer.string(issuer.pem) } }
            writer.name("serialNumber")
            writer.string(SerialNumber(bytes: certificate.serial).description)
            writer.name("notAfter")
            writer.time(certificate.notAfter)
            writer.name("sessionExpiresAt")
            writer.time(sessionExpiry)
        }
        return .json(200, writer.bytes)
    }
}
