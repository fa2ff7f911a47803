import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeySodium

/// The production server with a database file or PostgreSQL.
///
/// Rate limits are disabled for load tests.
enum LatchkeyServerSubject {
    /// The public URL of the server.
    static let url = "http://127.0.0.1"

    /// - Parameters:
    ///   - folder: The folder for the database.
    ///   - hash: The password hashing cost.
    ///   - url: The PostgreSQL database to use instead of a file.
    ///   - isApart: Whether another server uses the same PostgreSQL database.
    ///   - isJoining: Whether the server joins the schema of another server as a second node.
    /// - Throws: An error if the server cannot be started.
    static func run(
        folder: String,
        hash: Argon2idParameters,
        database url: String?,
        isApart: Bool,
        isJoining: Bool
    ) async throws {
        var configuration = ServerConfiguration(data: folder)
        configuration.schemas.standard = "person"
        configuration.limits = .unlimited
        // Event streams use at most half of the connections.
        configuration.connections.limit = 32_768
        // The load generator requests the codes itself.
        configuration.registration.sendsVerification = false
        let time = SystemTime()
        let random = SystemRandom()
        let hasher = try Argon2idHasher(parameters: hash, threads: 1)
        let database: any Database =
            if let url {
                try await open(url, isApart: isApart, isJoining: isJoining, time: time)
            } else {
                try await SQLiteDatabase.open(.file(folder + "/latchkey.db"), migrations: .all, time: time)
            }
        let outbox = CodeReadingHandler.Outbox()
        let resources = ServerResources(
            database: database,
            hasher: hasher,
            secrets: ServerSecrets(signing: random.bytes(32)),
            schemas: try SchemaCatalog(standard: configuration.schemas.standard),
            time: time,
            random: random
        )
        let authority = try CertificateAuthority.make(
            commonName: "Benchmark",
            notBefore: time.now,
            notAfter: time.now + .seconds(86_400),
            random: random
        )
        let assembly = ServerAssembly(
            configuration,
            url: Self.url,
            resources: resources,
            courier: try Courier(resources, delivery: outbox),
            issuer: try CertificateIssuer(authority: authority, random: random),
            log: Log(.error, time: time) { _ in }
        )
        assembly.start()
        let fill = SessionFill(database: database, isPostgreSQL: url != nil)
        try await Subject.serve(CodeReadingHandler(handler: assembly.handler, outbox: outbox)) {
            hasher.cpuTime.wholeMicroseconds
        } asked: { line in
            if line == BenchClient.command {
                try await BenchClient.register(in: database, at: time.now)
                return "registered"
            }
            if line == BenchTerms.command { return await BenchTerms.publish(at: assembly) }
            guard line.hasPrefix("fill "), let count = Int(line.dropFirst(5)) else { return nil }
            try await fill.fill(to: count)
            return "filled"
        }
        await assembly.shutDown()
        await hasher.close()
        await database.close()
    }

    /// Connects to a new, empty PostgreSQL schema, or to the schema of the previously started node.
    private static func open(
        _ url: String,
        isApart: Bool,
        isJoining: Bool,
        time: SystemTime
    ) async throws -> PostgreSQLDatabase {
        let (schema, drop, create): (String, SQL, SQL) =
            isApart
            ? (
                "latchkey_bench_apart", "DROP SCHEMA IF EXISTS latchkey_bench_apart CASCADE",
                "CREATE SCHEMA latchkey_bench_apart"
            )
            : (
                "latchkey_bench", "DROP SCHEMA IF EXISTS latchkey_bench CASCADE",
                "CREATE SCHEMA latchkey_bench"
            )
        if !isJoining {
            let database = try await PostgreSQLDatabase.open(
                PostgreSQLLocation(Secret(url)),
                migrations: .all,
                time: time
            )
            try await database.transaction { transaction in
                _ = try transaction.execute(drop)
                _ = try transaction.execute(create)
            }
            await database.close()
        }
        let own = url + (url.contains("?") ? "&" : "?") + "options=-csearch_path%3D" + schema
        return try await PostgreSQLDatabase.open(
            PostgreSQLLocation(Secret(own)),
            migrations: .all,
            time: time
        )
    }
}
