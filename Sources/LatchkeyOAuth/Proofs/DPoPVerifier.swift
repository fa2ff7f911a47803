import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Verifies DPoP proofs (RFC 9449, section 4.3), and rejects copies with a replay cache.
///
/// A proof is fresh if it has a valid nonce, or if its `iat` differs from the server's time by at most 60
/// seconds.
package struct DPoPVerifier: Sendable {
    /// The maximum clock skew of a device that does not use a nonce.
    private static let skew = Duration.seconds(60)

    /// The URL of the server, without a path, with which `htu` must begin.
    private let origin: String
    private let nonces: DPoPNonces
    /// The proofs that this process has consumed; copies of the verifier share them.
    private let seen = DPoPReplayCache()
    private let database: any Database

    /// Creates the verifier.
    ///
    /// - Parameters:
    ///   - origin: The URL of the server, with which `htu` must begin.
    ///   - nonces: Verifies nonces.
    ///   - database: The database with the replay cache of all nodes, which is written only if the database
    ///     is shared.
    package init(origin: String, nonces: DPoPNonces, database: any Database) {
        self.database = database
        self.nonces = nonces
        self.origin = origin
    }

    /// Returns the proof in a request if it was created for this request and is fresh.
    ///
    /// If the proof is not known to be fresh, the client must retry with a nonce. A request that was delayed
    /// for minutes is therefore rejected before its token is examined; the token may be outdated by then.
    ///
    /// The signature is verified with the key in the proof's header. The caller must compare this key with
    /// the key to which the token or the session is bound.
    ///
    /// - Parameter context: The request.
    /// - Returns: The proof, which has not been consumed yet.
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

    /// Verifies that a proof was created after an event, based on the nonce in the proof; otherwise, throws
    /// the error that requests a new proof.
    ///
    /// A device that sends concurrent or delayed requests may present a token without knowing that its
    /// successor has been used. Only the server's own time in the nonce matters, because the clock of a
    /// device may be ahead. A client that repeats the request with a current nonce had the opportunity to
    /// read the newer token.
    ///
    /// - Parameters:
    ///   - proof: The proof.
    ///   - time: The time of the event.
    ///   - now: The current time, which determines whether the nonce is fresh.
    /// - Throws: ``OAuthError`` with the code `useDPoPNonce` if the proof has no fresh nonce that was issued
    ///   after the event.
    func require(_ proof: PresentedProof, madeAfter time: Timestamp, at now: Timestamp) throws(OAuthError) {
        guard let made = proof.nonce.flatMap({ nonces.time(of: $0, at: now) }), made > time else {
            throw Self.nonceWanted
        }
    }

    /// Consumes a proof, which is possible only once on all nodes that share the database.
    ///
    /// A copy comes from a retransmission or from an attacker. The device can sign another proof with a
    /// nonce; an attacker cannot.
    ///
    /// The proof remains consumed if the request fails later, unless the caller calls ``giveBack(_:)``. If
    /// the database is shared, the proof is stored in a separate transaction.
    ///
    /// - Throws: ``OAuthError`` with the code `useDPoPNonce` if the proof was already consumed;
    ///   ``DatabaseError``.
    func take(_ proof: PresentedProof, at now: Timestamp) async throws {
        guard seen.insert(proof, at: now) else { throw Self.nonceWanted }
        guard database.isShared else { return }
        let isNew = try await database.transaction { transaction in
            try SeenProofRepository.insert(proof, until: now + DPoPReplayCache.window, in: transaction)
        }
        guard isNew else { throw Self.nonceWanted }
    }

    /// Removes a proof from the replay cache because it did not match the request for which it was consumed.
    ///
    /// - Throws: ``DatabaseError``, in which case the proof is removed only from the cache of this process.
    func giveBack(_ proof: PresentedProof) async throws {
        seen.remove(proof)
        guard database.isShared else { return }
        try await database.transaction { transaction in
            try SeenProofRepository.remove(proof, in: transaction)
        }
    }

    /// The error that asks the client to retry with the nonce in the response.
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

    /// Compares a URL, without its query and fragment, with an origin and a path; only differences that RFC
    /// 3986 treats as equivalent are ignored.
    ///
    /// The scheme and host are compared ignoring case, and default ports may be omitted; the path must be
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
