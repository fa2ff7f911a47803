package import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
package import LatchkeyServerKit

/// Authenticates OAuth clients.
///
/// Failures are counted per client and network, including those of unknown clients, which get the same
/// response after the same statements.
///
/// A generated secret can't be guessed, so a right one is accepted even if a network has reached its limit.
/// A secret that the operator chose can be, so an attempt with it is counted before the secret is compared.
package struct ClientAuthenticator: Sendable {
    private let clients: ClientRegistry
    private let hasher: any PasswordHasher
    private let limiter: Limiter
    private let verified: VerifiedSecrets
    private let database: any Database
    /// A hash that no secret has, which is compared if there is no client.
    private let decoy: ClientSecretHash

    package init(_ environment: ServerEnvironment, accounts: AccountsModule) {
        clients = accounts.clients
        hasher = accounts.hasher
        limiter = accounts.limiter
        verified = VerifiedSecrets(random: environment.random)
        database = environment.database
        decoy = .generated(environment.random.bytes(SHA256.byteCount))
    }

    /// Returns the client that has sent a request.
    ///
    /// - Parameters:
    ///   - credentials: The credentials in the request.
    ///   - context: The request context.
    /// - Returns: The client, which isn't disabled.
    /// - Throws: ``OAuthError`` with the code `invalidClient` if the client couldn't be authenticated,
    ///   ``ServerError`` with status 429 if it has failed too often from this network, or an error from the
    ///   database or the hasher.
    package func client(
        _ credentials: ClientCredentials,
        in context: RequestContext
    ) async throws -> OAuthClient {
        let found = try await clients.client(credentials.clientID)
        switch ClientDecision(credentials, of: found, at: context.now) {
        case .accepted: if let found { return found }
        case .refused: _ = matches(credentials.secret ?? "", generated: decoy)
        case .compared(let secret, let hashes):
            if hashes.contains(where: { matches(secret, generated: $0) }), let found { return found }
            let chosen = hashes.compactMap { hash in
                if case .chosen(let text) = hash { text } else { nil }
            }
            guard !chosen.isEmpty, let found else { break }
            // This attempt stays counted unless the secret is right.
            let reservation = try await reserve(credentials, in: context)
            do {
                guard try await matches(secret, chosen: chosen) else { throw credentials.refusal }
            } catch let error as PasswordHasherError {
                // The secret hasn't been compared.
                try await giveBack(reservation)
                throw error
            }
            try await giveBack(reservation)
            return found
        }
        _ = try await reserve(credentials, in: context)
        throw credentials.refusal
    }

    /// Compares a secret with the hash of a generated secret, in constant time.
    private func matches(_ secret: Secret, generated hash: ClientSecretHash) -> Bool {
        guard case .generated(let digest) = hash else { return false }
        return ConstantTime.equal(SHA256.hash(Array(secret.exposed.utf8)), digest)
    }

    /// Compares a secret with the hashes of secrets that the operator chose.
    ///
    /// A hash is only computed until the first success. After that, the process remembers a keyed hash.
    private func matches(_ secret: Secret, chosen hashes: [String]) async throws -> Bool {
        for hash in hashes {
            if let isRight = verified.matches(secret, hash: hash) {
                if isRight { return true }
                continue
            }
            guard case .right = try await hasher.verify(secret, against: hash) else { continue }
            verified.remember(secret, for: hash)
            return true
        }
        return false
    }

    private func reserve(
        _ credentials: ClientCredentials,
        in context: RequestContext
    ) async throws -> LimitReservation {
        let events = LimitedEvent.failures(ofClient: credentials.clientID, from: context.peer)
        let verdict = try await database.transaction { [limiter] transaction in
            try limiter.reserve(events, at: context.now, in: transaction)
        }
        switch verdict {
        case .reserved(let reservation): return reservation
        case .refused(let retryAfter): throw ServerError.tooManyRequests(retryAfter: retryAfter)
        }
    }

    private func giveBack(_ reservation: LimitReservation) async throws {
        try await database.transaction { [limiter] in try limiter.giveBack(reservation, in: $0) }
    }
}
