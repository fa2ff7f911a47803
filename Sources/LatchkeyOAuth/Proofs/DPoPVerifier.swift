import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Verifies DPoP proofs (RFC 9449, section 4.3) and rejects proofs that have already been used.
///
/// A proof is fresh if it has a valid nonce, or if its `iat` is within 60 seconds of the server's time.
struct DPoPVerifier: Sendable {
    /// The maximum clock skew for a device that doesn't use a nonce.
    private static let skew = Duration.seconds(60)

    /// The URL of the server, without a path.
    ///
    /// The `htu` claim of every proof must start with this URL.
    private let origin: String
    private let nonces: DPoPNonces
    /// The proofs that have been used in this process.
    ///
    /// All copies of the verifier share this cache.
    private let seen = DPoPReplayCache()
    private let database: any Database

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - origin: The URL of the server. The `htu` claim of every proof must start with this URL.
    ///   - nonces: Verifies nonces.
    ///   - database: The database, which contains the replay cache if several nodes share the database.
    init(origin: String, nonces: DPoPNonces, database: any Database) {
        self.database = database
        self.nonces = nonces
        self.origin = origin
    }

    /// Returns the proof in a request, if it was created for this request and is fresh.
    ///
    /// If a proof isn't fresh, the client must retry with a nonce. The proof is checked before the token
    /// because the token may become outdated while a request is delayed.
    ///
    /// The signature is verified with the key in the header of the proof. The caller must make sure that this
    /// is the key that the token or the session is bound to.
    ///
    /// - Parameter context: The request context.
    /// - Returns: The proof, which hasn't been consumed yet.
    /// - Throws: ``OAuthError``, with the code `useDPoPNonce` if the proof isn't fresh.
    func proof(of context: RequestContext) throws(OAuthError) -> PresentedProof {
        let proof = try PresentedProof(context.request)
        guard proof.method == context.request.method.rawValue else {
            throw PresentedProof.refusal(
                "The htm claim of the DPoP proof does not match the request's method."
            )
        }
        guard Self.isSame(proof.url, origin: origin, path: context.request.path) else {
            throw PresentedProof.refusal(
                "The htu claim of the DPoP proof must be \(origin + context.request.path)."
            )
        }
        guard isFresh(proof, at: context.now) else { throw Self.nonceWanted }
        return proof
    }

    /// Makes sure that a proof was created after the given time.
    ///
    /// A device that sends concurrent or delayed requests may present a token without knowing that its
    /// successor has been used. The clock of a device may be fast, so we only rely on the nonce, which
    /// contains the server's time. If the client repeats the request with a newer nonce, it has had a chance
    /// to read the newer token first.
    ///
    /// - Parameters:
    ///   - proof: The proof to check.
    ///   - time: The time after which the proof's nonce must have been issued.
    ///   - now: The current time. The nonce must be fresh at this time.
    /// - Throws: ``OAuthError`` with the code `useDPoPNonce` if the proof doesn't have a fresh nonce that was
    ///   issued after the given time.
    func require(_ proof: PresentedProof, madeAfter time: Timestamp, at now: Timestamp) throws(OAuthError) {
        guard let made = proof.nonce.flatMap({ nonces.time(of: $0, at: now) }), made > time else {
            throw Self.nonceWanted
        }
    }

    /// Consumes a proof.
    ///
    /// Each proof can be consumed only once by all nodes that share the database. If a proof is received
    /// again, either the request was retransmitted or an attacker has copied the proof. Unlike an attacker,
    /// the device can sign another proof that contains a nonce.
    ///
    /// If the request fails afterwards, the proof can't be used again. If the database is shared, the proof
    /// is stored in a separate transaction.
    ///
    /// - Throws: ``OAuthError`` with the code `useDPoPNonce` if the proof has already been consumed, or
    ///   ``DatabaseError``.
    func take(_ proof: PresentedProof, at now: Timestamp) async throws {
        guard seen.insert(proof, at: now) else { throw Self.nonceWanted }
        guard database.isShared else { return }
        let isNew = try await database.transaction { transaction in
            try SeenProofRepository.insert(proof, until: now + DPoPReplayCache.window, in: transaction)
        }
        guard isNew else { throw Self.nonceWanted }
    }

    /// The error that tells the client to retry with the nonce in the response.
    private static let nonceWanted = OAuthError(
        .useDPoPNonce,
        reason: "Sign a new DPoP proof with the nonce in the \(DPoPProof.nonceHeader) header."
    )

    /// Returns whether a proof has a valid nonce or an `iat` that is within 60 seconds of the server's time.
    private func isFresh(_ proof: PresentedProof, at now: Timestamp) -> Bool {
        if let nonce = proof.nonce, nonces.isFresh(nonce, at: now) { return true }
        guard let issuedAt = proof.issuedAt else { return false }
        return issuedAt >= now - Self.skew && issuedAt <= now + Self.skew
    }

    /// Returns whether a URL matches an origin and a path.
    ///
    /// The URL's query and fragment are ignored. The scheme and the host are not case-sensitive, and default
    /// ports may be omitted (RFC 3986). The URL's path must be identical to the given path.
    private static func isSame(_ url: String, origin: String, path: String) -> Bool {
        if url == origin + path { return true }
        let url = url.prefix { $0 != "?" && $0 != "#" }
        guard let place = pathStart(url) else { return false }
        return normalized(url[..<place]) == normalized(origin[...]) && url[place...] == path[...]
    }

    /// Returns the index of the first slash after the host and port of a URL.
    ///
    /// Returns `nil` if the URL doesn't have a scheme or a path.
    private static func pathStart(_ url: Substring) -> String.Index? {
        guard let slashes = url.firstRange(of: "://") else { return nil }
        return url[slashes.upperBound...].firstIndex(of: "/")
    }

    /// Returns an origin in lowercase, without the default port for `https` or `http`.
    private static func normalized(_ origin: Substring) -> String {
        let origin = origin.lowercased()
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.count))
        }
        return origin
    }
}
