import LatchkeyModel

/// Requests certificates for device keys, and repeats a request when the network fails.
struct Enrolment: Sendable {
    /// How often a request is sent before the call fails.
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

    /// Requests the first certificate for the key of a new login.
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

    /// Requests another certificate for the key of a session.
    func renew(_ stored: StoredSession) async throws(LatchkeyError) -> DeviceCertificate {
        let request = try await signer.certificateSigningRequest(
            commonName: stored.session.identity.id,
            by: stored.key
        )
        return try await api.certify(request, token: stored.token).certificate
    }

    /// Sends the request until there is an answer that means something; the same key twice gets one certificate.
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

    private static func mayPass(_ error: LatchkeyError) -> Bool {
        error.code == .unreachable || error.code == .timedOut || error.code == .serverFailed
    }

    /// Waits half a second, one second, two seconds, each with a quarter more or less, or as the server said.
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
