import LatchkeyAccounts
import LatchkeyBcrypt
import LatchkeyCommerce
import LatchkeyCourier
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeySodium

/// The resources that a server opens before it starts listening, such as the keys and the database.
struct ServerStores: Sendable {
    /// The secrets and the certificate authority in the data folder.
    let keys: ServerKeys
    /// The database, with all migrations applied.
    ///
    /// This is a PostgreSQL database if one is configured, or else the SQLite file in the data folder.
    let database: any Database
    /// Computes and verifies password hashes on its own threads.
    let hasher: Argon2idHasher

    private let files: OperatorFiles

    /// Opens the resources and, if `createsData` is `true`, creates missing files.
    ///
    /// The initializer reads or creates the keys, and opens and migrates the database, in this order. If a
    /// node's keys differ from those of the other nodes, the node is rejected before it can write user data.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the server.
    ///   - files: The operator's files.
    ///   - parts: The clock and the random source, and the closure that reports that data was created.
    ///   - createsData: Whether new keys and a new database are created if the folder has no data. If this is
    ///     `false`, such a folder is an error.
    /// - Throws: ``IdentityServerError``. The database is closed before the error is thrown.
    init(
        _ configuration: ServerConfiguration,
        files: OperatorFiles,
        parts: ServerParts,
        createsData: Bool
    ) async throws(IdentityServerError) {
        self.files = files
        do {
            let folder = try Self.folder(of: configuration, createsData: createsData)
            let isNew = !folder.isUsed
            if let url = configuration.database {
                (keys, database) = try await Self.shared(url, folder: folder, parts: parts)
            } else {
                // Read the keys before opening the database, because new keys may only be created if there is
                // no database yet.
                keys = try await Self.keys(in: folder, parts: parts)
                database = try await SQLiteDatabase.open(
                    .file(folder.database.path),
                    migrations: .all,
                    time: parts.time
                )
            }
            if isNew { parts.dataCreated(folder.creationNotice) }
        } catch {
            throw IdentityServerError(starting: error)
        }
        do {
            try await KeyRegister(database).enter(keys.secrets, authority: keys.authority, at: parts.time.now)
        } catch {
            await database.close()
            throw IdentityServerError(starting: error)
        }
        do {
            hasher = try Argon2idHasher(
                parameters: configuration.passwords.parameters,
                threads: configuration.passwords.threads,
                queue: configuration.passwords.queue,
                foreign: [DerivedKeyHashing(), BcryptHashing()],
                random: parts.random,
                time: parts.time
            )
        } catch {
            await database.close()
            throw IdentityServerError(starting: error)
        }
    }

    /// Opens or creates the data folder.
    private static func folder(
        of configuration: ServerConfiguration,
        createsData: Bool
    ) throws -> DataFolder {
        if createsData { return try DataFolder(configuration.data) }
        guard let folder = try DataFolder(existing: configuration.data), folder.isUsed else {
            let source = configuration.sources["data"]?.description ?? "the default folder"
            throw IdentityServerError(.storage, message: "no data in \(configuration.data) (\(source))")
        }
        return folder
    }

    /// Returns the resources that the services use.
    ///
    /// - Parameter parts: The clock and the random source.
    /// - Returns: The opened resources. The resources remain open until ``close()`` is called.
    func resources(parts: ServerParts) -> ServerResources {
        var resources = ServerResources(
            database: database,
            hasher: hasher,
            secrets: keys.secrets,
            schemas: files.schemas,
            time: parts.time,
            random: parts.random
        )
        resources.messageTexts = files.messageTexts
        resources.formTexts = files.formTexts
        resources.breaches = files.breaches
        resources.catalog = files.catalog
        return resources
    }

    /// Stops the hashing threads and closes the database.
    func close() async {
        await hasher.close()
        await database.close()
    }

    /// Returns the location of the PostgreSQL database without passwords, or `nil` if the server uses SQLite.
    static func place(of configuration: ServerConfiguration) -> String? {
        configuration.database.flatMap { try? PostgreSQLLocation($0) }?.description
    }

    /// Opens a database that may be shared with other nodes, and reads the keys.
    ///
    /// Only the first node creates the keys.
    private static func shared(
        _ url: Secret,
        folder: DataFolder,
        parts: ServerParts
    ) async throws -> (ServerKeys, any Database) {
        let database = try await PostgreSQLDatabase.open(
            PostgreSQLLocation(url),
            migrations: .all,
            time: parts.time
        )
        do {
            let othersExist = try await !KeyRegister(database).isEmpty
            return (try await keys(in: folder, parts: parts, othersExist: othersExist), database)
        } catch {
            await database.close()
            throw error
        }
    }

    /// Reads or creates the keys on a separate thread.
    ///
    /// If `othersExist` is `true`, no keys are created.
    private static func keys(
        in folder: DataFolder,
        parts: ServerParts,
        othersExist: Bool = false
    ) async throws -> ServerKeys {
        try await onOwnThread {
            try ServerKeys(in: folder, time: parts.time, random: parts.random, othersExist: othersExist)
        }
    }

    /// Runs a closure on a new thread, because it may block while another process holds the folder's lock.
    static func onOwnThread<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws -> Outcome
    ) async throws -> Outcome {
        let result = Deferred<Result<Outcome, any Error>>()
        _ = try WorkThread { result.set(Result { try body() }) }
        return try await result.value.get()
    }
}

extension PasswordSettings {
    /// The cost parameters for Argon2id.
    ///
    /// The settings only permit values that the algorithm supports, so the fallback is never used.
    fileprivate var parameters: Argon2idParameters {
        Argon2idParameters(memory: memory, iterations: passes) ?? .recommended
    }
}
