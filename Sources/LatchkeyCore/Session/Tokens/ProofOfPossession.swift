import LatchkeyModel
import LatchkeyWire

/// Creates header fields for requests with bound access tokens (RFC 9449, section 7), and remembers the
/// servers' nonces.
final class ProofOfPossession: Sendable {
    private let signer: DeviceSigner
    private let time: any TimeSource
    private let clock: ServerClock
    private let nonces = Locked(RecentNonces())

    init(signer: DeviceSigner, time: any TimeSource, clock: ServerClock) {
        (self.signer, self.time, self.clock) = (signer, time, clock)
    }

    /// A proof with the nonce and the time that it contains.
    struct Proof: Sendable {
        /// The value for the `DPoP` header field.
        let text: String
        let nonce: String?
        let issuedAt: Timestamp
        /// The device's uptime when the proof was signed.
        let signedAt: Duration
    }

    /// Signs the proof for a request.
    ///
    /// - Parameters:
    ///   - request: The method and path of the request.
    ///   - origin: The normalized scheme, host and port.
    ///   - token: The access token that the request is sent with.
    ///   - key: The key that the token is bound to.
    /// - Returns: The signed proof.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func proof(
        for request: HTTP.Request,
        at origin: String,
        token: Secret,
        key: StoredKey
    ) async throws(LatchkeyError) -> Proof {
        let nonce = nonces.withLock { $0[origin] }
        let (issuedAt, signedAt) = (clock.now(at: origin), time.uptime)
        let text = try await signer.proof(
            for: ProvenRequest(method: request.method, url: origin + request.path),
            token: token,
            issuedAt: issuedAt,
            nonce: nonce,
            by: key
        )
        return Proof(text: text, nonce: nonce, issuedAt: issuedAt, signedAt: signedAt)
    }

    /// Returns whether a server rejected a request only because of a proof that can now be replaced by a valid one,
    /// with the server's nonce or with its time.
    func canBeReplaced(
        _ proof: Proof,
        after status: Int,
        headers: HTTP.Headers,
        from origin: String
    ) -> Bool {
        if Self.asksForNonce(status: status, headers: headers, insteadOf: proof.nonce) { return true }
        guard Self.rejectsProof(status: status, headers: headers) else { return false }
        clock.note(headers, from: origin, askedAt: proof.signedAt)
        return clock.differs(from: proof.issuedAt, at: origin)
    }

    /// Returns whether a response rejects the proof (`invalid_dpop_proof`; RFC 9449, section 7.1), and not the token.
    static func rejectsProof(status: Int, headers: HTTP.Headers) -> Bool {
        status == 401 && hasChallenge(OAuthErrorBody.Code.invalidDPoPProof.rawValue, in: headers)
    }

    private static func hasChallenge(_ error: String, in headers: HTTP.Headers) -> Bool {
        headers.all("WWW-Authenticate").contains { challenge in
            let challenge = challenge.lowercased()
            return challenge.hasPrefix("dpop ") && challenge.contains(error)
        }
    }

    /// Stores the nonce from a response, so that the next proof can include it.
    func note(_ headers: HTTP.Headers, from origin: String) {
        guard let nonce = headers[DPoPProof.nonceHeader], Self.isNonce(nonce) else { return }
        nonces.withLock { $0[origin] = nonce }
    }

    /// Returns whether a server rejected a request only because its proof didn't contain the server's nonce.
    ///
    /// In this case, the server hasn't processed the request, so the client can repeat it (RFC 9449, section
    /// 9).
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - nonce: The nonce that the request's proof contained, if any.
    /// - Returns: `true` if the response asks for a nonce and contains one that is different from the nonce
    ///   in the proof.
    static func asksForNonce(status: Int, headers: HTTP.Headers, insteadOf nonce: String?) -> Bool {
        guard status == 401, let next = headers[DPoPProof.nonceHeader], isNonce(next), next != nonce else {
            return false
        }
        return hasChallenge(OAuthErrorBody.Code.useDPoPNonce.rawValue, in: headers)
    }

    /// Removes the key from memory after the session has ended.
    func forgetKey() {
        signer.forgetKey()
    }

    /// Returns whether a string is a valid nonce (RFC 9449, section 8.1) with a reasonable length.
    private static func isNonce(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}

/// The latest nonces of the most recently used origins.
struct RecentNonces: Sendable {
    private static let limit = 8

    /// The origins and their nonces, with the most recently used one last.
    private var entries: [(origin: String, nonce: String)] = []

    /// The nonce for an origin.
    ///
    /// Reading a nonce moves its origin to the end of the list.
    subscript(origin: String) -> String? {
        mutating get {
            guard let index = entries.firstIndex(where: { $0.origin == origin }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.nonce
        }
        set {
            entries.removeAll { $0.origin == origin }
            guard let newValue else { return }
            entries.append((origin, newValue))
            if entries.count > Self.limit { entries.removeFirst() }
        }
    }
}
