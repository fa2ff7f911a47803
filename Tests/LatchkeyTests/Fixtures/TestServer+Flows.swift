import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit

extension TestServer {
    /// Starts a server where users can sign up with any built-in schema that allows registration.
    ///
    /// - Parameters:
    ///   - schema: The default schema.
    ///   - logsExistingUsersIn: Whether a sign-up code logs in the owner of the address.
    ///   - opensSession: Whether a registration opens a session.
    ///   - verifiesAddressFirst: Whether a new address takes effect only after its verification.
    /// - Throws: An error if the server cannot be started.
    convenience init(
        schema: String,
        logsExistingUsersIn: Bool = false,
        opensSession: Bool = true,
        verifiesAddressFirst: Bool = false
    ) async throws {
        var settings = TestServer.configuration()
        settings.schemas.standard = schema
        settings.registration.schemas = ["customer", "reader", "shopper", "person"]
        settings.registration.existingAccount = logsExistingUsersIn ? .logIn : .refuse
        settings.registration.opensSession = opensSession
        settings.changes.sendsVerification = true
        settings.changes.verifiedFirst = verifiesAddressFirst ? .always : .nonIdentifiers
        try await self.init(configuration: settings)
    }

    /// Returns a code that differs from a given one.
    static func wrongCode(insteadOf code: String) -> String {
        code == "000000" ? "000001" : "000000"
    }
}
