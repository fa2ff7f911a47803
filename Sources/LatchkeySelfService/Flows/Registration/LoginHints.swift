package import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// Creates the error for a duplicate registration.
///
/// If configured, the error lists the login methods of the existing account.
///
/// Hints reveal which identifiers have accounts and how their users log in, so they are disabled by default.
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

    /// Returns the error for traits with an identifier that belongs to another account.
    ///
    /// If hints are disabled, or the conflict does not concern an identifier, the error contains no login
    /// methods.
    func refusal(of traits: Traits) async throws -> UIMessage {
        guard settings.showsLoginHints else { return .duplicateIdentifier }
        for identifier in traits.identifiers {
            guard let account = try await identities.find(identifier: identifier) else { continue }
            return .duplicate(identifier, methods: methods(of: account, at: ContactAddress(identifier)))
        }
        return .duplicateIdentifier
    }

    /// Returns an account's login methods; `code` is included only if the account accepts a code sent to the
    /// given address.
    private func methods(of account: IdentityRepository.Account, at address: ContactAddress?) -> [String] {
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
