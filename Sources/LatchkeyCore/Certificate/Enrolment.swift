import LatchkeyModel

/// Has this device certified: makes a key, asks for a certificate, and asks again when the network fails.
struct Enrolment: Sendable {
    /// What an enrolment brings.
    struct Enrolled: Sendable {
        let key: StoredKey
        let certificate: DeviceCertificate
    }

    /// How often a request is sent before the call fails.
    private static let attempts = 4

    private let api: IdentityAPI
    private let keys: any DeviceKeyProvider
    private let queue: BlockingQueue
    private let time: any TimeSource
    private let random: any RandomSource

    init(
        api: IdentityAPI,
        keys: any DeviceKeyProvider,
        queue: BlockingQueue,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.api = api
        self.keys = keys
        self.queue = queue
        self.time = time
        self.random = random
    }

    /// Certifies a fresh key; when that fails, nothing of the key is left.
    func enrol(_ authentication: Authentication) async throws(LatchkeyError) -> Enrolled {
        let identity = authentication.session.identity.id
        let (key, request) = try await prepare { [keys] () throws(DeviceKeyError) in
            let key = try keys.makeKey()
            return (key.storedForm, try Self.request(key, identity, keys))
        }
        do throws(LatchkeyError) {
            let certificate = try await certify(request, token: authentication.token)
            return Enrolled(key: StoredKey(key), certificate: certificate)
        } catch {
            discard(StoredKey(key))
            throw error
        }
    }

    /// Has the key of a session certified once more.
    func renew(_ stored: StoredSession) async throws(LatchkeyError) -> DeviceCertificate {
        let identity = stored.session.identity.id
        let request = try await prepare { [keys] () throws(DeviceKeyError) in
            try keys.key(from: stored.key.exposed).certificateSigningRequest(commonName: identity)
        }
        return try await api.certify(request, token: stored.token)
    }

    /// Destroys a key that no session will use.
    func discard(_ key: StoredKey) {
        keys.removeKey(key.exposed)
    }

    private static func request(
        _ key: any DeviceKey,
        _ identity: String,
        _ keys: any DeviceKeyProvider
    ) throws(DeviceKeyError) -> String {
        do throws(DeviceKeyError) {
            return try key.certificateSigningRequest(commonName: identity)
        } catch {
            keys.removeKey(key.storedForm)
            throw error
        }
    }

    private func prepare<Value: Sendable>(
        _ work: @escaping @Sendable () throws(DeviceKeyError) -> Value
    ) async throws(LatchkeyError) -> Value {
        let outcome = await queue.run { () -> Result<Value, DeviceKeyError> in
            do throws(DeviceKeyError) {
                return .success(try work())
            } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let value): return value
        case .failure(let error): throw LatchkeyError(key: error)
        }
    }

    /// Sends the request until there is an answer that means something; the same key twice gets one certificate.
    private func certify(_ request: String, token: Secret) async throws(LatchkeyError) -> DeviceCertificate {
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
