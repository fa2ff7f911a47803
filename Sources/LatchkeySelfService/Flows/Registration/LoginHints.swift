import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// Creates the error for a duplicate registration.
///
/// If hints are enabled, the error lists the login methods of the existing account.
///
/// Hints reveal which identifiers have accounts and how their users log in, so they are disabled by default.
struct LoginHints: Sendable {
    private let settings: RegistrationSettings
    private let codeSettings: CodeSettings
    private let schemas: SchemaCatalog
    private let identities: IdentityRepository

    init(
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

    /// Returns the error to show if one of the identifiers in the traits belongs to another account.
    ///
    /// If hints are disabled, or the conflict isn't about an identifier, the error doesn't list any login
    /// methods.
    func refusal(of traits: Traits) async throws -> UIMessage {
        guard settings.showsLoginHints else { return .duplicateIdentifier }
        for identifier in traits.identifiers {
            guard let account = try await identities.find(identifier: identifier) else { continue }
            return .duplicate(identifier, methods: methods(of: account, at: ContactAddress(identifier)))
        }
        return .duplicateIdentifier
    }

    /// Returns an account's login methods.
    ///
    /// `code` is included only if the account can log in with a code sent to the given address.
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
