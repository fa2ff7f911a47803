import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Certifies the key of a device, which makes its session a full one (`contract/vipaso.md`).
///
/// Asking again with the same key renews the certificate, so that an answer that was lost can be asked for again.
package struct CertificateEnrolment: Sendable {
    private static let byteLimit = 2 * CertificateSigningRequest.byteLimit

    private let context: ServerContext
    private let sessions: SessionAuthenticator
    private let issuer: CertificateIssuer

    package init(_ context: ServerContext, issuer: CertificateIssuer) {
        self.context = context
        self.issuer = issuer
        sessions = SessionAuthenticator(context)
    }

    /// The places that this answers at.
    package var endpoints: [Endpoint] {
        [Endpoint(.put, Route.certificates, below: .server, .enrolDevice, answer: enrol)]
    }

    /// Answers a `PUT`.
    private func enrol(_ exchange: Exchange) async throws -> HTTPResponse {
        let session = try await sessions.anySession(of: exchange, refusal: .sessionInactive).session
        let body = try exchange.body(CertificateBody.Request.self, limit: Self.byteLimit)
        let certificate = try await issue(to: session, request: body.csr, at: exchange.now)
        try await keep(certificate, of: session, at: exchange.now)
        return answer(certificate)
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

    private func keep(_ certificate: Certificate, of session: Session, at now: Timestamp) async throws {
        let lifespan = context.settings.sessionLifespan
        try await context.database.transaction { transaction in
            // The session's row comes first: it is where two calls for one session meet.
            guard try SessionRepository.certify(session.id, lifespan: lifespan, at: now, in: transaction)
            else {
                throw ServerError(401, .sessionInactive, reason: "The session has ended.")
            }
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
            guard added else {
                throw ServerError(
                    409,
                    .certificateKeyDiffers,
                    reason: "The session is tied to another key; log in again to use this one."
                )
            }
        }
    }

    private func answer(_ certificate: Certificate) -> HTTPResponse {
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
        }
        return .json(200, writer.bytes)
    }
}
