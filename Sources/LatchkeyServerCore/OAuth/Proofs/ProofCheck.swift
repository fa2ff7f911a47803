import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Judges proofs of possession (RFC 9449, section 4.3).
struct ProofCheck: Sendable {
    /// How far a device's clock may be off before it needs a nonce.
    private static let skew = Duration.seconds(60)

    private let origin: String
    private let nonces: ProofNonces
    private let seen = SeenProofs()
    private let database: any Database

    init(_ context: ServerContext, nonces: ProofNonces) {
        database = context.database
        origin = context.settings.baseURL
        self.nonces = nonces
    }

    /// The proof that a request came with, when it is for this request and fresh.
    ///
    /// A proof whose time cannot be judged is no verdict: the device is told to repeat it with a nonce. So a request
    /// that was held up on its way for minutes never gets as far as its token, which may be out of date by then.
    func proof(of exchange: Exchange) throws(OAuthError) -> PresentedProof {
        let proof = try PresentedProof(exchange.request)
        guard proof.method == exchange.request.method.rawValue else {
            throw PresentedProof.refusal("The proof is for another method.")
        }
        guard Self.isSame(proof.url, origin, exchange.request.path) else {
            throw PresentedProof.refusal(
                "The proof is for another URL than \(origin + exchange.request.path)."
            )
        }
        guard isFresh(proof, at: exchange.now) else { throw Self.nonceWanted }
        return proof
    }

    /// Makes certain that a proof was made after something happened, or asks for one that was.
    ///
    /// Several calls of a device, or a call that was held up on its way, show a token after its successor was used, and
    /// could not know. Only the time in a nonce counts, which is the server's own: a device's clock may be ahead, and
    /// whoever repeats the call with a nonce of now has had the chance to see that there is a newer token.
    func require(_ proof: PresentedProof, madeAfter time: Timestamp, at now: Timestamp) throws(OAuthError) {
        guard let made = proof.nonce.flatMap({ nonces.time(of: $0, at: now) }), made > time else {
            throw Self.nonceWanted
        }
    }

    /// Accepts a proof, once on all servers of the database.
    ///
    /// A copy is made by a network or by a thief: its device can sign another proof, others cannot.
    func take(_ proof: PresentedProof, at now: Timestamp) async throws {
        guard seen.insert(proof, at: now) else { throw Self.nonceWanted }
        guard database.isShared else { return }
        let isNew = try await database.transaction { transaction in
            try SeenProofRepository.insert(proof, until: now + SeenProofs.window, in: transaction)
        }
        guard isNew else { throw Self.nonceWanted }
    }

    /// Forgets that a proof was accepted, for it was of no use there.
    func giveBack(_ proof: PresentedProof) async throws {
        seen.remove(proof)
        guard database.isShared else { return }
        try await database.transaction { transaction in
            try SeenProofRepository.remove(proof, in: transaction)
        }
    }

    /// Asks for the same once more, with the nonce that goes with every answer.
    private static let nonceWanted = OAuthError(
        .useDPoPNonce,
        "Sign a new proof with the nonce in the header field \(DPoPProof.nonceHeader)."
    )

    private func isFresh(_ proof: PresentedProof, at now: Timestamp) -> Bool {
        if let nonce = proof.nonce, nonces.isFresh(nonce, at: now) { return true }
        guard let issuedAt = proof.issuedAt else { return false }
        return issuedAt >= now - Self.skew && issuedAt <= now + Self.skew
    }

    /// Compares as RFC 3986 allows without reading more into a URL: scheme and host in any case, default ports left out.
    private static func isSame(_ url: String, _ origin: String, _ path: String) -> Bool {
        if url == origin + path { return true }
        let url = url.prefix { $0 != "?" && $0 != "#" }
        guard let place = pathStart(url) else { return false }
        return normalized(url[..<place]) == normalized(origin[...]) && url[place...] == path[...]
    }

    private static func pathStart(_ url: Substring) -> String.Index? {
        guard let slashes = url.firstRange(of: "://") else { return nil }
        return url[slashes.upperBound...].firstIndex(of: "/")
    }

    private static func normalized(_ origin: Substring) -> String {
        let origin = origin.lowercased()
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            return String(origin.dropLast(port.count))
        }
        return origin
    }
}
