import LatchkeyAccounts
import LatchkeyCommerce
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
package import LatchkeyTestKit

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

/// The sandbox card numbers.
package enum TestCard {
    /// Payments with this card succeed.
    package static let success = "4242424242424242"
    /// Payments with this card are declined.
    package static let decline = "4000000000000002"
    /// Payments with this card wait for confirmation.
    package static let confirmation = "4000000000003220"
    /// Payments with this card stay pending for a while.
    package static let timeout = "4000000000000341"
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
        var settings = TestServer.configuration()
        // The login form only offers codes if the default schema allows accounts to log in with a code.
        if !logsExistingUsersIn { settings.schemas.standard = "shopper" }
        settings.registration.schemas = ["customer", "shopper"]
        settings.registration.existingAccount = logsExistingUsersIn ? .logIn : .refuse
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        settings.commerce.catalog = "/\(folder)/catalog.json5"
        settings.commerce.defaultRegion = "AT"
        settings.commerce.stepUpAbove = limits.compactMap { Money($0) }
        return try await TestServer(configuration: settings)
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
