import LatchkeyModel
import LatchkeyWire

/// Creates the header fields of requests with bound access tokens (RFC 9449, section 7), and remembers the
/// nonces of the servers.
final class ProofOfPossession: Sendable {
    private let signer: DeviceSigner
    private let time: any TimeSource
    private let nonces = Locked(RecentNonces())

    init(signer: DeviceSigner, time: any TimeSource) {
        (self.signer, self.time) = (signer, time)
    }

    /// A proof and the nonce in it.
    struct Proof: Sendable {
        /// The value of the header field `DPoP`.
        let text: String
        let nonce: String?
    }

    /// Signs the proof for a request.
    ///
    /// - Parameters:
    ///   - request: The method and the path of the request.
    ///   - origin: Scheme, host and port, normalized.
    ///   - token: The access token of the request.
    ///   - key: The key that the token is bound to.
    /// - Returns: The proof.
    /// - Throws: ``LatchkeyError/Code/deviceKeyFailed``.
    func proof(
        for request: HTTP.Request,
        at origin: String,
        token: Secret,
        key: StoredKey
    ) async throws(LatchkeyError) -> Proof {
        let nonce = nonces.withLock { $0[origin] }
        let text = try await signer.proof(
            for: ProvenRequest(method: request.method, url: origin + request.path),
            token: token,
            issuedAt: time.now,
            nonce: nonce,
            by: key
        )
        return Proof(text: text, nonce: nonce)
    }

    /// Stores the nonce in a response for the next proof.
    func note(_ headers: HTTP.Headers, from origin: String) {
        guard let nonce = headers[DPoPProof.nonceHeader], Self.isNonce(nonce) else { return }
        nonces.withLock { $0[origin] = nonce }
    }

    /// Returns whether a server rejected a request only because its proof lacked the server's nonce.
    ///
    /// The server has then not processed the request, so it can be repeated (RFC 9449, section 9).
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: The header fields of the response.
    ///   - nonce: The nonce in the proof of the request.
    /// - Returns: `true` if the response asks for a nonce, and contains one that the proof did not contain.
    static func asksForNonce(status: Int, headers: HTTP.Headers, insteadOf nonce: String?) -> Bool {
        guard status == 401, let next = headers[DPoPProof.nonceHeader], isNonce(next), next != nonce else {
            return false
        }
        return headers.all("WWW-Authenticate").contains { challenge in
            let challenge = challenge.lowercased()
            return challenge.hasPrefix("dpop ") && challenge.contains("use_dpop_nonce")
        }
    }

    /// Removes the key from memory, because the session has ended.
    func forgetKey() {
        signer.forgetKey()
    }

    /// Returns whether a string is a nonce (RFC 9449, section 8.1) of reasonable length.
    private static func isNonce(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}

/// The latest nonce of each of the origins that were used most recently.
struct RecentNonces: Sendable {
    private static let limit = 8

    /// The origins with their nonces, the most recently used last.
    private var entries: [(origin: String, nonce: String)] = []

    /// The nonce of an origin; reading it marks it as used.
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
