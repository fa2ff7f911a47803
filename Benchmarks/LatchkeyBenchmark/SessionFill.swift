import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit

/// Fills a database with copies of an existing session, which is faster than logging in many times.
///
/// The copies can be distinguished from other sessions by their IP address.
struct SessionFill: Sendable {
    /// The number of sessions per identity.
    private static let share = 10
    private static let batch = 20_000

    let database: any Database

    /// Whether the database can compute hashes itself, so that we don't have to send the rows.
    let isPostgreSQL: Bool

    /// Returns the token of the session with the given number.
    static func token(_ number: Int) -> String {
        let digits = String(number)
        return "lk_st_bench" + String(repeating: "0", count: 27 - digits.count) + digits
    }

    /// Creates the missing sessions.
    func fill(to count: Int) async throws {
        let copies = try await database.rows("SELECT COUNT(*) FROM sessions WHERE ip_address = 'filled'")
        var made = Int(try copies.first?.integer(0) ?? 0)
        while made < count {
            let numbers = made..<min(made + Self.batch, count)
            try await database.transaction { [isPostgreSQL] transaction in
                if isPostgreSQL {
                    try Self.copyInDatabase(numbers, in: transaction)
                } else {
                    for number in numbers { try Self.copy(number, in: transaction) }
                }
            }
            made = numbers.upperBound
        }
        if isPostgreSQL { try await settle() }
    }

    /// Waits until PostgreSQL has finished its background work on the new rows.
    private func settle() async throws {
        while true {
            let rows = try await database.rows(
                """
                SELECT COUNT(*) FROM pg_stat_user_tables \
                WHERE relname IN ('sessions', 'identities') AND n_ins_since_vacuum > 1000 + n_live_tup / 5
                """
            )
            if try rows.first?.integer(0) == 0 { break }
            try await Task.sleep(for: .seconds(1))
        }
        try await database.transaction { transaction in
            _ = try transaction.execute("ANALYZE")
            _ = try transaction.execute("CHECKPOINT")
        }
    }

    private static func copy(_ number: Int, in transaction: borrowing Transaction) throws {
        let owner = Array(SHA256.hash(Array("identity\(number / share)".utf8)).prefix(16))
        if number % share == 0 {
            _ = try transaction.execute(
                """
                INSERT INTO identities (id, schema_id, state, traits, body, state_changed_at, created_at, \
                updated_at, version) SELECT $1, schema_id, state, traits, body, state_changed_at, created_at, \
                updated_at, version FROM identities WHERE id = (SELECT identity_id FROM identifiers LIMIT 1)
                """,
                .blob(owner)
            )
        }
        let hash = SHA256.hash(Array(token(number).utf8))
        _ = try transaction.execute(
            """
            INSERT INTO sessions (token_hash, id, identity_id, authentications, evidence, issued_at, authenticated_at, \
            expires_at, ends_at, needs_certificate, device_id, ip_address, user_agent) \
            SELECT $1, $2, $3, authentications, evidence, issued_at, authenticated_at, expires_at + $4, \
            ends_at, needs_certificate, device_id, 'filled', user_agent \
            FROM sessions WHERE identity_id = (SELECT identity_id FROM identifiers LIMIT 1) LIMIT 1
            """,
            .blob(hash),
            .blob(Array(hash.prefix(16))),
            .blob(owner),
            .integer(Int64(number))
        )
    }

    private static func copyInDatabase(_ numbers: Range<Int>, in transaction: borrowing Transaction) throws {
        let (first, last) = (SQLValue.integer(Int64(numbers.lowerBound)), Int64(numbers.upperBound - 1))
        _ = try transaction.execute(
            """
            INSERT INTO identities (id, schema_id, state, traits, body, state_changed_at, created_at, \
            updated_at, version) SELECT substring(sha256(convert_to('identity' || n / 10, 'UTF8')) FROM 1 FOR 16), \
            schema_id, state, traits, body, state_changed_at, created_at, updated_at, version \
            FROM generate_series($1::bigint, $2::bigint) AS n, identities \
            WHERE n % 10 = 0 AND id = (SELECT identity_id FROM identifiers LIMIT 1)
            """,
            first,
            .integer(last)
        )
        _ = try transaction.execute(
            """
            INSERT INTO sessions (token_hash, id, identity_id, authentications, evidence, issued_at, authenticated_at, \
            expires_at, ends_at, needs_certificate, device_id, ip_address, user_agent) \
            SELECT hash, substring(hash FROM 1 FOR 16), \
            substring(sha256(convert_to('identity' || n / 10, 'UTF8')) FROM 1 FOR 16), \
            authentications, evidence, issued_at, authenticated_at, expires_at + n, ends_at, needs_certificate, device_id, 'filled', user_agent \
            FROM generate_series($1::bigint, $2::bigint) AS n, \
            sha256(convert_to('lk_st_bench' || lpad(n::text, 27, '0'), 'UTF8')) AS hash, \
            (SELECT * FROM sessions WHERE identity_id = (SELECT identity_id FROM identifiers LIMIT 1) LIMIT 1) AS one
            """,
            first,
            .integer(last)
        )
    }
}
