import LatchkeyModel

/// Makes an identity with a password.
struct PasswordRegistration: Sendable {
    private let context: ServerContext
    private let completion: RegistrationCompletion
    private let breaches: BreachCheck

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        completion = RegistrationCompletion(context, courier: courier)
        breaches = BreachCheck(context)
    }

    /// Hashes the password and ends the registration.
    func register(_ request: RegistrationCompletion.Request, _ password: Secret) async throws
        -> RegistrationOutcome
    {
        if let refusal = try await breaches.refusal(of: password) {
            return .refused(refusal, field: "password")
        }
        let hash = try await context.hasher.hash(password)
        let now = context.time.now
        let proof = RegistrationCompletion.Proof(method: "password", passwordHash: hash)
        return try await RegistrationOutcome.of(completion) {
            try await context.database.transaction { [completion] transaction in
                .registered(try completion.register(request, proof, at: now, in: transaction))
            }
        }
    }
}
