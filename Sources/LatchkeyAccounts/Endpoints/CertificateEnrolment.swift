import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The route that issues a certificate for a device key.
///
/// Enrolling turns a provisional session into a full one. If the session was created with a proof of
/// possession (RFC 9449), only the proven key can be enrolled. Otherwise, any key can be enrolled, but only
/// for a limited time after the login (five minutes by default).
///
/// Sending the request again with the same key renews the certificate. A certificate can be renewed at any
/// time, so clients can retry if they didn't receive the response.
struct CertificateEnrolment: Sendable {
    /// The maximum body size in bytes.
    private static let byteLimit = 2 * CertificateSigningRequest.byteLimit

    private let settings: CertificateSettings
    private let sessionSettings: SessionSettings
    private let database: any Database
    private let audit: AuditLog
    private let sessions: SessionAuthenticator
    private let issuer: CertificateIssuer
    private let limiter: Limiter
    private let notices: AccountNotices

    /// Creates the route.
    ///
    /// - Parameters:
    ///   - issuer: Issues the certificates.
    ///   - sessions: Authenticates the session tokens of full and provisional sessions.
    ///   - limiter: Limits the rate of enrolments.
    ///   - notices: Notifies users of new devices.
    ///   - settings: The certificate lifespan and the enrolment window.
    ///   - sessionSettings: The session settings, which specify the lifespan of full sessions.
    ///   - database: The database that contains sessions and certificates.
    ///   - audit: The audit log that creates the events.
    init(
        issuer: CertificateIssuer,
        sessions: SessionAuthenticator,
        limiter: Limiter,
        notices: AccountNotices,
        settings: CertificateSettings,
        sessionSettings: SessionSettings,
        database: any Database,
        audit: AuditLog
    ) {
        self.issuer = issuer
        self.sessions = sessions
        self.limiter = limiter
        self.notices = notices
        self.settings = settings
        self.sessionSettings = sessionSettings
        self.database = database
        self.audit = audit
    }

    /// The routes that this type handles.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .put,
                Route.certificates,
                below: .server,
                accepts: .session(SessionCredentials(acceptsProvisional: true, privilege: .sometimes))
                    .exemptFromDuties,
                operation: .enrolDevice,
                answer: enrol
            )
        ]
    }

    /// Handles the `PUT` request.
    ///
    /// We sign the certificate after the first transaction and store it in the second. If the second
    /// transaction fails, the certificate is discarded, but the enrolment still counts towards the rate
    /// limit.
    private func enrol(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await sessions.requiredSession(of: context)
        let session = found.session
        let body = try context.body(CertificateBody.Request.self, limit: Self.byteLimit)
        // The enrolment is counted before the certificate is signed.
        try await limiter.require([.enrolment(session.id)], at: context.now, in: database)
        let certificate = try await issue(to: session, request: body.csr, at: context.now)
        let sessionExpiry = try await store(certificate, of: found, for: context)
        return answer(certificate, sessionExpiry: sessionExpiry)
    }

    /// Issues a certificate for a signing request.
    ///
    /// - Throws: ``ServerError`` with status 400 if the signing request is invalid, or status 503 if the
    ///   issuer's queue is full.
    private func issue(to session: Session, request: String, at now: Timestamp) async throws -> Certificate {
        do {
            return try await issuer.issue(
                CertificateIssuer.Order(
                    request: request,
                    identity: session.identityID,
                    device: session.deviceID,
                    notBefore: now,
                    notAfter: now + settings.lifespan
                )
            )
        } catch let error as CryptoError where error.code != .failed {
            throw ServerError(400, id: .csrInvalid, reason: error.message)
        } catch is WorkQueue<@Sendable () -> Void>.Refusal {
            throw ServerError.overloaded()
        }
    }

    /// Stores a certificate and its audit event, and turns a provisional session into a full one.
    ///
    /// Everything is written in one transaction.
    ///
    /// - Returns: The expiry date of the full session.
    /// - Throws: ``ServerError`` with status 401 if the session has ended, 409 if it is bound to a different
    ///   key, or 403 if the last login is too old.
    private func store(
        _ certificate: Certificate,
        of found: AuthenticatedSession,
        for context: RequestContext
    ) async throws -> Timestamp {
        let (session, now) = (found.session, context.now)
        return try await database.transaction { transaction in
            // Enrolling turns the session into a full one, which may displace another. Lock the identity
            // first, as everywhere.
            let limit = session.needsCertificate ? sessionSettings.perAccount : nil
            if limit != nil { _ = try IdentityRepository.confirm(session.identityID, in: transaction) }
            // We write the session's row first because that serializes concurrent calls for the same session.
            guard
                let expiry = try SessionRepository.certify(
                    session.id,
                    settings: sessionSettings,
                    at: now,
                    in: transaction
                )
            else {
                throw ServerError(401, id: .sessionInactive, reason: "The session has ended.")
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
            let event = audit.event(
                isRenewal ? .certificateRenewed : .deviceEnrolled,
                of: session.identityID,
                in: context,
                about: SerialNumber(bytes: certificate.serial).description,
                at: now
            )
            try AuditLog.append(event, in: transaction)
            if let limit {
                try SessionRepository.displace(
                    olderThan: session,
                    toKeep: limit,
                    isProvisional: false,
                    at: now,
                    in: transaction
                ) { displaced in
                    audit.event(
                        .sessionDisplaced,
                        of: session.identityID,
                        by: .server,
                        in: context,
                        about: displaced.description,
                        at: now
                    )
                }
            }
            if !isRenewal { try notify(of: session, for: context, in: transaction) }
            return expiry
        }
    }

    /// The error for a session that is bound to a different key.
    private static let otherKey = ServerError(
        409,
        id: .certificateKeyDiffers,
        reason: "The session is bound to another key. Log in again to use this key."
    )

    /// Checks whether a session that has no certificate yet may enrol a key.
    ///
    /// The enrolment window starts with the last authentication.
    ///
    /// - Throws: ``ServerError`` with status 409 if the session is bound to a different key, or 403 if the
    ///   last login is too old or the token in the request has been replaced.
    private func checkKey(
        _ certificate: Certificate,
        of found: AuthenticatedSession,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws {
        let session = found.session
        if let bound = try SessionRepository.keyThumbprint(of: session.id, in: transaction) {
            guard bound == certificate.publicKey.thumbprint else { throw Self.otherKey }
            return
        }
        guard
            !found.isTokenReplaced, now < session.authenticatedAt + settings.enrolmentWindow
        else {
            throw ServerError(
                403,
                id: .sessionRefreshRequired,
                reason: "The last login is too old to enrol a device. Log in again."
            )
        }
    }

    /// Notifies the user of a new device, unless the user has just registered with it.
    ///
    /// If the session and its identity were created at the same time, the session was created by a
    /// registration.
    private func notify(
        of session: Session,
        for context: RequestContext,
        in transaction: borrowing Transaction
    ) throws {
        guard
            let identity = try IdentityRepository.load(session.identityID, in: transaction),
            session.issuedAt != identity.createdAt
        else { return }
        try notices.sendNewDevice(to: identity, for: context, in: transaction)
    }

    /// Returns a response with the certificate, its chain and the session's expiry date.
    private func answer(_ certificate: Certificate, sessionExpiry: Timestamp) -> HTTP.Response {
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
        return .json(200, body: writer.bytes)
    }
}
