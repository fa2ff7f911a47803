import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases

@testable import LatchkeyCommerce

extension Shop {
    /// A shop with a card, in which orders above the given sums need a step-up.
    static func limited(to limits: String...) async throws -> Shop {
        let shop = try await Shop { $0.commerce.stepUpAbove = limits.compactMap { Money($0) } }
        try await shop.addCard()
        return shop
    }

    /// A shop with a card and a limit of 10 euros, whose account was created two days ago.
    static func old() async throws -> Shop {
        let shop = try await limited(to: "10.00 EUR")
        try await shop.server.keepSessions(for: .seconds(10 * 86_400))
        shop.time.advance(by: .seconds(2 * 86_400))
        return shop
    }

    /// A mail address that the account doesn't have at first.
    static let mail = "owner@example.org"

    /// Replaces the last login of the session.
    func setLogin(method: AuthenticationMethod, age: Duration, evidence: String? = nil) async throws {
        let at = time.now - age
        try await database.transaction { transaction in
            _ = try transaction.execute(
                "UPDATE sessions SET authentications = $1, authenticated_at = $2, evidence = $3",
                .text([Authentication(method, at: at)].text),
                .time(at),
                .text(evidence ?? Self.phone)
            )
        }
    }

    /// Adds a mail address to the account.
    func addMail(age: Duration, isProven: Bool = true) async throws {
        let at = time.now - age
        try await database.transaction { transaction in
            if isProven {
                _ = try transaction.execute(
                    """
                    INSERT INTO address_states (identity_id, via, value, state) \
                    VALUES ($1, 'email', $2, 'proven')
                    """,
                    .identifier(id),
                    .text(Self.mail)
                )
            }
            _ = try transaction.execute(
                """
                INSERT INTO addresses (id, identity_id, kind, via, value, verified, status, created_at, \
                updated_at, position) VALUES ($1, $2, 'recovery', 'email', $3, 0, 'pending', $4, $4, 1)
                """,
                .identifier(Identifier(random: SystemRandom())),
                .identifier(id),
                .text(Self.mail),
                .time(at)
            )
        }
    }

    /// Sets the account's password.
    func setPassword(age: Duration) async throws {
        let at = time.now - age
        try await database.transaction { transaction in
            try IdentityRepository.setPassword("quick2:x", of: id, at: at, in: transaction)
        }
    }
}
