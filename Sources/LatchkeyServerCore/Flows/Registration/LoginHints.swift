import LatchkeyWire

/// Tells whoever registers with an identifier that is taken how its owner logs in, where an operator wants that.
struct LoginHints: Sendable {
    private let context: ServerContext
    private let identities: IdentityRepository

    init(_ context: ServerContext) {
        self.context = context
        identities = IdentityRepository(context)
    }

    /// The refusal of traits that are somebody's already.
    func refusal(of traits: Traits) async throws -> UIMessage {
        guard context.settings.loginHints else { return .duplicateIdentifier }
        for identifier in traits.identifiers {
            guard let account = try await identities.find(identifier: identifier) else { continue }
            return .duplicate(identifier, methods: methods(account, Traits.Address(identifier)))
        }
        return .duplicateIdentifier
    }

    private func methods(_ account: IdentityRepository.Account, _ address: Traits.Address?) -> [String] {
        var methods: [String] = []
        if account.passwordHash != nil { methods.append("password") }
        if context.settings.codeEnabled, let address,
            context.schemas.takesCodes(account.identity, at: address)
        {
            methods.append("code")
        }
        return methods
    }
}
