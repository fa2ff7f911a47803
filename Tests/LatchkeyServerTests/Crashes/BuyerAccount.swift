import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import TestProcesses
import Testing

/// The account whose purchases the crash tests interrupt.
enum BuyerAccount {
    static let email = "buyer@example.org"
    static let password = "Kept-Through-Crashes-1"

    /// Returns the command-line flags of a server with a catalog.
    ///
    /// - Parameters:
    ///   - folder: The folder that the catalog is written to.
    ///   - url: The URL of the PostgreSQL database, or `nil` for SQLite.
    /// - Returns: The flags.
    /// - Throws: An error if the catalog can't be written.
    static func serverFlags(catalogIn folder: String, database url: String?) throws -> [String] {
        [
            "--identities-default-schema", "person", "--log-level", "error",
            "--commerce-catalog", try TestCatalog.write(to: folder),
            "--limits-orders-per-account", "100000/1h",
        ] + (url.map { ["--database", $0] } ?? [])
    }

    /// Creates the account with a payment method, and returns its session token.
    ///
    /// The operator creates the account, because only confirmed accounts can buy.
    static func create(on client: FlowClient) async throws -> String {
        let traits = JSONValue.object(["email": .string(email), "phone": "+43660123456"])
        let credentials = JSONValue.object([
            "password": .object(["config": .object(["password": .string(password)])])
        ])
        let made = await client.administer(
            .post,
            "",
            .object(["schema_id": "person", "traits": traits, "credentials": credentials])
        )
        try #require(made?.status == 201)
        let answer = await client.submit(
            "login",
            try #require(await client.begin("login")),
            .object([
                "method": "password", "identifier": .string(email), "password": .string(password),
            ])
        )
        let token = try #require(answer?["session_token"]?.text)
        let card = JSONValue.object(["kind": "sandbox_card", "number": "4242424242424242"])
        let added = await client.commerce(.post, Route.Commerce.paymentMethods, card, token: token)
        try #require(added?.status == 201)
        return token
    }

    /// Expects the database to contain the given number of purchases and exactly one payment for each.
    static func expectCharges(_ count: Int, in database: any Database) async throws {
        let queries: [(SQL, Int)] = [
            ("SELECT COUNT(*) FROM purchases", count),
            ("SELECT COUNT(*) FROM purchases WHERE state = 'purchased'", count),
            ("SELECT COUNT(*) FROM sandbox_payments WHERE result = 'charged'", count),
            (
                """
                SELECT COUNT(*) FROM purchases p JOIN sandbox_payments s ON s.transaction_id = p.id \
                WHERE s.amount = p.amount * p.quantity
                """, count
            ),
            ("SELECT COUNT(DISTINCT idempotency_key) FROM purchases", count),
            ("SELECT COUNT(*) FROM audit WHERE action = 'purchase'", count),
        ]
        for (sql, expected) in queries {
            #expect(try await database.rows(sql).first?.integer(0) == Int64(expected), "\(sql)")
        }
    }

    /// Opens the database of a server that has stopped.
    static func openDatabase(in folder: String, url: String?) async throws -> any Database {
        if let url {
            try await PostgreSQLDatabase.open(PostgreSQLLocation(Secret(url)), migrations: .all)
        } else {
            try await SQLiteDatabase.open(.file(folder + "/latchkey.db"), migrations: .all)
        }
    }
}
