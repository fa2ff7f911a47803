import LatchkeyAccounts
import LatchkeyCommerce
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
package import LatchkeyTestKit
import OnsideKit

/// The identifiers of the products in the catalog of
/// ``LatchkeyTestKit/TestServer/withStore(logsExistingUsersIn:stepUpAbove:)``.
package enum TestProduct {
    /// A consumable product.
    package static let coins = "coins.100"
    /// A non-consumable product.
    package static let game = "game.meteor"
    /// A non-consumable product that is only sold in Norway.
    package static let theme = "theme.snow"
}

extension TestServer {
    /// Starts a server with a catalog.
    ///
    /// Shoppers sign up with a phone number and a code.
    ///
    /// - Parameters:
    ///   - logsExistingUsersIn: Whether a sign-up code logs in the owner of the phone number.
    ///   - limits: The highest totals of orders that need no step-up.
    /// - Returns: The started server.
    /// - Throws: An error if the server cannot be started.
    package static func withStore(
        logsExistingUsersIn: Bool = true,
        stepUpAbove limits: [String] = []
    ) async throws -> TestServer {
        var settings = TestServer.configuration(selling: true)
        if !logsExistingUsersIn {
            // The login form only offers codes if the default schema allows accounts to log in with a code.
            settings.schemas.standard = "shopper"
            settings.registration.existingAccount = .refuse
        }
        settings.commerce.stepUpAbove = limits.compactMap { Money($0) }
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let catalog = TestCatalog(file: "/\(folder)/catalog.json5", defaultRegion: "AT")
        let server = try await TestServer(configuration: settings, catalog: catalog)
        if OnsideRoute.current == .appToApp { try await server.registerGame() }
        return server
    }

    /// Turns all accounts into accounts that aren't confirmed.
    package func unconfirmAllAccounts() async throws {
        _ = try await database?.transaction { transaction in
            try transaction.execute("UPDATE identities SET confirmed_at = NULL")
        }
    }

    /// Adds a proven mail address to every account.
    package func addMailToAllAccounts() async throws {
        _ = try await database?.transaction { transaction in
            try transaction.execute(
                """
                INSERT INTO address_states (identity_id, via, value, state) \
                SELECT id, 'email', 'owner@example.org', 'proven' FROM identities
                """
            )
            try transaction.execute(
                """
                INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, created_at, \
                updated_at, position) SELECT id, id, 'recovery', 'email', 'owner@example.org', 0, 'pending', \
                created_at, created_at, 1 FROM identities
                """
            )
        }
    }

    /// Revokes all sessions, as an operator might do.
    package func endAllSessions() async throws {
        let now = time.now
        _ = try await database?.transaction { transaction in
            try transaction.execute(
                "UPDATE sessions SET revoked_at = $1 WHERE revoked_at IS NULL",
                .time(now)
            )
        }
    }
}
