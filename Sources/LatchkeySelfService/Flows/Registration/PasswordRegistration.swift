package import LatchkeyAccounts
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// Creates identities with a password.
package struct PasswordRegistration: Sendable {
    private let hasher: any PasswordHasher
    private let time: any TimeSource
    private let database: any Database
    private let completion: RegistrationCompletion
    private let limiter: Limiter
    private let breaches: BreachCheck

    package init(
        completion: RegistrationCompletion,
        limiter: Limiter,
        breaches: BreachCheck,
        hasher: any PasswordHasher,
        time: any TimeSource,
        database: any Database
    ) {
        self.completion = completion
        self.limiter = limiter
        self.breaches = breaches
        self.hasher = hasher
        self.time = time
        self.database = database
    }

    /// Hashes the password and completes the registration.
    ///
    /// Hashing is expensive, so the network's rate limit is applied and the identifiers are checked before
    /// the password is hashed. A registration counts toward the limit even if it fails later. The transaction
    /// that creates the account checks the identifiers again.
    ///
    /// - Throws: A ``ServerError`` with status 429 if there were too many registrations from the network, or
    ///   503 if the password cannot be checked against known breaches. Also throws ``PasswordHasherError``
    ///   and ``FlowEnded``.
    func register(_ request: RegistrationCompletion.Request, with password: Secret) async throws
        -> RegistrationOutcome
    {
        if let refusal = try await breaches.refusal(of: password) {
            return .refused(UIMessage(refusal), field: "password")
        }
        guard try await !isTaken(request) else { return .duplicate }
        let hash = try await hasher.hash(password)
        let now = time.now
        let proof = RegistrationCompletion.Proof(method: .password, passwordHash: hash)
        do {
            return try await database.transaction { [completion] transaction in
                .registered(try completion.register(request, with: proof, at: now, in: transaction))
            }
        } catch is IdentityRepository.Duplicate {
            return .duplicate
        }
    }

    /// Applies the network's rate limit, and returns whether another account has one of the identifiers.
    private func isTaken(_ request: RegistrationCompletion.Request) async throws -> Bool {
        let context = request.context
        let events = Network.all(of: context.peer).map { LimitedEvent.registration($0) }
        return try await database.transaction { [completion, limiter] transaction in
            if case .refused(let retryAfter) = try limiter.reserve(events, at: context.now, in: transaction) {
                throw ServerError.tooManyRequests(retryAfter: retryAfter)
            }
            return try completion.isTaken(request, in: transaction)
        }
    }
}
