import LatchkeyModel

/// Obtains certificates for device keys from the identity server.
struct Enrolment: Sendable {
    /// The number of times that a login sends its certificate request before the call fails.
    private static let attempts = 4

    private let api: IdentityAPI
    private let signer: DeviceSigner
    private let time: any TimeSource
    private let random: any RandomSource

    init(api: IdentityAPI, signer: DeviceSigner, time: any TimeSource, random: any RandomSource) {
        self.api = api
        self.signer = signer
        self.time = time
        self.random = random
    }

    /// Requests the first certificate for a new login's key; repeats the request after a temporary error.
    ///
    /// - Parameters:
    ///   - key: The new key.
    ///   - authentication: The login, whose token authorizes the request.
    /// - Returns: The certificate and the session's new expiry.
    /// - Throws: ``LatchkeyError``: the last request's error, if all requests failed.
    func enrol(
        _ key: PendingKey,
        for authentication: Authentication
    ) async throws(LatchkeyError) -> IssuedCertificate {
        let request = try await signer.certificateSigningRequest(
            commonName: authentication.session.identity.id,
            by: key.stored
        )
        return try await certify(request, token: authentication.token)
    }

    /// Requests a new certificate for the key of a session; sends the request only once.
    func renew(_ stored: StoredSession) async throws(LatchkeyError) -> DeviceCertificate {
        let request = try await signer.certificateSigningRequest(
            commonName: stored.session.identity.id,
            by: stored.key
        )
        return try await api.certify(request, token: stored.token).certificate
    }

    /// Repeats the request until the server accepts or rejects it; repeated requests with the same key yield
    /// only one certificate.
    private func certify(_ request: String, token: Secret) async throws(LatchkeyError) -> IssuedCertificate {
        var attempt = 1
        while true {
            do throws(LatchkeyError) {
                return try await api.certify(request, token: token)
            } catch {
                guard attempt < Self.attempts, Self.mayPass(error) else { throw error }
                try await pause(after: attempt, error)
                attempt += 1
            }
        }
    }

    /// Returns whether an error may be temporary.
    private static func mayPass(_ error: LatchkeyError) -> Bool {
        error.code == .unreachable || error.code == .timedOut || error.code == .serverFailed
    }

    /// Waits 0.5, 1 or 2 seconds, each plus or minus 25 %, or up to 10 seconds if the server asks for it.
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
