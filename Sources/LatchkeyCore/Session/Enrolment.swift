import LatchkeyModel
import LatchkeyWire

/// Requests certificates for device keys from the identity server.
struct Enrolment: Sendable {
    /// The maximum number of times to send a certificate request during a login.
    private static let attempts = 4

    private let api: IdentityAPI
    private let signer: DeviceSigner
    private let time: any TimeSource
    private let random: any RandomSource
    /// The credential for the app's own requests.
    ///
    /// Access tokens have to be bound to a certified key.
    private let credential: Credential

    init(
        api: IdentityAPI,
        signer: DeviceSigner,
        time: any TimeSource,
        random: any RandomSource,
        credential: Credential
    ) {
        self.credential = credential
        self.api = api
        self.signer = signer
        self.time = time
        self.random = random
    }

    /// Requests the first certificate for a new login.
    ///
    /// The request is repeated after temporary errors.
    ///
    /// A login doesn't need a certificate in two cases. Either the login response says that no certificate is
    /// required, or the server has no route for certificates and confirms that the session can be used
    /// without one. It isn't enough that the route is missing, because a proxy may be hiding it. Network
    /// errors and server errors never mean that a certificate isn't required.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - authentication: The login, whose token authorizes the request.
    /// - Returns: The certificate and the session's new expiry date, or `nil` if the login doesn't need a
    ///   certificate.
    /// - Throws: ``LatchkeyError``. If every attempt fails, this is the error from the last one.
    func enrol(
        _ key: PendingKey,
        for authentication: Authentication
    ) async throws(LatchkeyError) -> IssuedCertificate? {
        if authentication.isCertificateOptional, credential == .sessionToken { return nil }
        let request = try await signer.certificateSigningRequest(
            commonName: authentication.session.identity.id,
            by: key.stored
        )
        let token = authentication.token
        do throws(LatchkeyError) {
            return try await repeated { () async throws(LatchkeyError) in
                do throws(LatchkeyError) {
                    return try await api.certify(request, token: token)
                } catch  where Self.isRouteMissing(error) && error.cause is UnrecognizedResponse {
                    // The page of a gateway that is being restarted is gone at the second attempt.
                    return try await api.certify(request, token: token)
                }
            }
        } catch {
            guard Self.isRouteMissing(error) else { throw error }
            _ = try await repeated { () async throws(LatchkeyError) in try await api.whoami(token) }
            return nil
        }
    }

    /// Requests a new certificate for a session's key.
    ///
    /// The request isn't repeated if it fails.
    ///
    /// - Returns: The certificate, or `nil` if the login doesn't have the session token that is required for
    ///   the request.
    func renew(_ stored: StoredSession) async throws(LatchkeyError) -> DeviceCertificate? {
        guard let token = stored.sessionToken else { return nil }
        let request = try await signer.certificateSigningRequest(
            commonName: stored.session.identity.id,
            by: stored.key
        )
        return try await api.certify(request, token: token).certificate
    }

    /// Repeats a request until the server accepts or rejects it.
    ///
    /// Requesting a certificate for the same key several times is safe, because the server only issues one.
    private func repeated<Value>(
        _ request: () async throws(LatchkeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        var attempt = 1
        while true {
            do throws(LatchkeyError) {
                return try await request()
            } catch {
                guard attempt < Self.attempts, Self.mayPass(error) else { throw error }
                try await pause(after: attempt, error)
                attempt += 1
            }
        }
    }

    /// Returns whether an error suggests that the server has no route for certificates.
    ///
    /// A proxy can respond in the same way, so the session has to be confirmed.
    ///
    /// Ory Kratos checks for a CSRF token before it looks up the route, so it rejects requests to unknown
    /// routes with `security_csrf_violation` instead of 404. Our server never sends this error to native
    /// apps.
    private static func isRouteMissing(_ error: LatchkeyError) -> Bool {
        if let response = error.cause as? UnrecognizedResponse {
            return [404, 405].contains(response.status)
        }
        guard let refusal = error.cause as? ServerRefusal else { return false }
        switch refusal.status {
        case 404, 405: return refusal.id == nil
        case 403: return refusal.id == ErrorID.csrfViolation.rawValue
        default: return false
        }
    }

    /// Returns whether an error may be temporary.
    private static func mayPass(_ error: LatchkeyError) -> Bool {
        error.code == .unreachable || error.code == .timedOut || error.code == .serverFailed
    }

    /// Waits 0.5, 1 or 2 seconds, plus or minus 25%.
    ///
    /// If the server asks for a longer delay, waits for up to 10 seconds.
    private func pause(after attempt: Int, _ error: LatchkeyError) async throws(LatchkeyError) {
        let share = Int64(random.bytes(1).first ?? 128) * 500 / 255
        var delay = Duration.milliseconds((500 << (attempt - 1)) * (750 + share) / 1000)
        if case .after(let asked) = error.retry { delay = min(max(delay, asked), .seconds(10)) }
        do {
            try await time.sleep(for: delay)
        } catch {
            throw .cancelled
        }
    }
}
