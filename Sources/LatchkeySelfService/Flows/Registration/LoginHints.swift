package import LatchkeyAccounts
import LatchkeyWire

/// The error for a duplicate registration, with the login methods of the existing account if so configured.
///
/// Hints reveal which identifiers have accounts, and how their users log in; they are disabled by default.
package struct LoginHints: Sendable {
    private let settings: RegistrationSettings
    private let codeSettings: CodeSettings
    private let schemas: SchemaCatalog
    private let identities: IdentityRepository

    package init(
        identities: IdentityRepository,
        settings: RegistrationSettings,
        codeSettings: CodeSettings,
        schemas: SchemaCatalog
    ) {
        self.identities = identities
        self.settings = settings
        self.codeSettings = codeSettings
        self.schemas = schemas
    }

    /// Returns the error for traits of which another account has an identifier.
    ///
    /// Without hints, or if the conflict is not about an identifier, it is the plain refusal.
    func refusal(of traits: Traits) async throws -> UIMessage {
        guard settings.showsLoginHints else { return .duplicateIdentifier }
        for identifier in traits.identifiers {
            guard let account = try await identities.find(identifier: identifier) else { continue }
            return .duplicate(identifier, methods: methods(of: account, at: Traits.Address(identifier)))
        }
        return .duplicateIdentifier
    }

    /// Returns the login methods of an account; `code` only if it can log in with a code to this address.
    private func methods(of account: IdentityRepository.Account, at address: Traits.Address?) -> [String] {
        var methods: [String] = []
        if account.passwordHash != nil { methods.append("password") }
        if codeSettings.isLoginEnabled, let address,
            schemas.takesCodes(account.identity, at: address)
        {
            methods.append("code")
        }
        return methods
    }
}
