import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The verifier of DPoP proofs (RFC 9449, section 4.3), with their replay cache.
///
/// A proof is fresh if its `iat` differs from the server's time by at most 60 seconds, or if it has a valid
/// nonce.
package struct DPoPVerifier: Sendable {
    /// The maximum clock skew of a device, beyond which it needs a nonce.
    private static let skew = Duration.seconds(60)

    /// The URL of the server without a path, as `htu` must contain it.
    private let origin: String
    private let nonces: DPoPNonces
    /// The consumed proofs of this process; copies of the verifier share it.
    private let seen = DPoPReplayCache()
    private let database: any Database

    /// Creates the verifier.
    ///
    /// - Parameters:
    ///   - origin: The URL of the server, which `htu` must begin with.
    ///   - nonces: The verifier of nonces.
    ///   - database: The replay cache of all nodes; it is written only if the database is shared.
    package init(origin: String, nonces: DPoPNonces, database: any Database) {
        self.database = database
        self.nonces = nonces
        self.origin = origin
    }

    /// Returns the proof of a request, if it was made for this request and is fresh.
    ///
    /// If the freshness cannot be verified, the client must retry with a nonce. A request that was delayed
    /// for minutes is therefore rejected before its token is examined, which may be outdated by then.
    ///
    /// The signature is verified with the key in the proof's header. The caller must compare that key with
    /// the one that the token or the session is bound to.
    ///
    /// - Parameter context: The request.
    /// - Returns: The proof, which is not consumed yet.
    /// - Throws: ``OAuthError``, with the code `useDPoPNonce` if the proof is not fresh.
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

    /// Verifies by its nonce that a proof was made after an event, or asks for a new proof.
    ///
    /// Concurrent calls of a device, or a delayed call, may present a token after its successor was used
    /// without knowing it. Only the server's own time in the nonce counts, as the clock of a device may be
    /// ahead. A client that repeats the call with a current nonce had the opportunity to read the newer
    /// token.
    ///
    /// - Parameters:
    ///   - proof: The proof.
    ///   - time: The time of the event.
    ///   - now: The current time, which decides whether the nonce is fresh.
    /// - Throws: ``OAuthError`` with the code `useDPoPNonce` if there is no fresh nonce that was issued after
    ///   the event.
    func require(_ proof: PresentedProof, madeAfter time: Timestamp, at now: Timestamp) throws(OAuthError) {
        guard let made = proof.nonce.flatMap({ nonces.time(of: $0, at: now) }), made > time else {
            throw Self.nonceWanted
        }
    }

    /// Consumes a proof, which is possible once on all servers of the database.
    ///
    /// A copy is sent by the network or by an attacker. The device can sign another proof with a nonce; an
    /// attacker cannot.
    ///
    /// The proof remains consumed if the request fails later, except after ``giveBack(_:)``. With a shared
    /// database, it is stored in a transaction of its own.
    ///
    /// - Throws: ``OAuthError`` with the code `useDPoPNonce` if the proof was consumed before;
    ///   ``DatabaseError``.
    func take(_ proof: PresentedProof, at now: Timestamp) async throws {
        guard seen.insert(proof, at: now) else { throw Self.nonceWanted }
        guard database.isShared else { return }
        let isNew = try await database.transaction { transaction in
            try SeenProofRepository.insert(proof, until: now + DPoPReplayCache.window, in: transaction)
        }
        guard isNew else { throw Self.nonceWanted }
    }

    /// Removes a proof from the replay cache, as it did not match the request it was consumed for.
    ///
    /// - Throws: ``DatabaseError``; the proof is then removed from the cache of this process only.
    func giveBack(_ proof: PresentedProof) async throws {
        seen.remove(proof)
        guard database.isShared else { return }
        try await database.transaction { transaction in
            try SeenProofRepository.remove(proof, in: transaction)
        }
    }

    /// The error after which the client must retry with the nonce that each response contains.
    private static let nonceWanted = OAuthError(
        .useDPoPNonce,
        reason: "Sign a new DPoP proof with the nonce in the \(DPoPProof.nonceHeader) header."
    )

    /// Returns whether a proof has a valid nonce, or an `iat` within 60 seconds of the server's time.
    private func isFresh(_ proof: PresentedProof, at now: Timestamp) -> Bool {
        if let nonce = proof.nonce, nonces.isFresh(nonce, at: now) { return true }
        guard let issuedAt = proof.issuedAt else { return false }
        return issuedAt >= now - Self.skew && issuedAt <= now + Self.skew
    }

    /// Compares a URL, ignoring query and fragment, with an origin and a path as RFC 3986 permits, but not
    /// further.
    ///
    /// Scheme and host are compared ignoring case, and default ports may be omitted; the path must be
    /// identical.
    private static func isSame(_ url: String, origin: String, path: String) -> Bool {
        if url == origin + path { return true }
        let url = url.prefix { $0 != "?" && $0 != "#" }
        guard let place = pathStart(url) else { return false }
        return normalized(url[..<place]) == normalized(origin[...]) && url[place...] == path[...]
    }

    /// Returns the index of the first slash after the authority of a URL; `nil` if it has no scheme or no
    /// path.
    private static func pathStart(_ url: Substring) -> String.Index? {
        guard let slashes = url.firstRange(of: "://") else { return nil }
        return url[slashes.upperBound...].firstIndex(of: "/")
    }

    /// Returns an origin in lower case, without the default port of `https` or `http`.
    private static func normalized(_ origin: Substring) -> String {
        let origin = origin.lowercased()
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.count))
        }
        return origin
    }
}
