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

/// The resources that a server opens before it listens, such as the schemas, the keys and the database.
struct ServerStores: Sendable {
    /// The built-in identity schemas and those in the operator's folder.
    let schemas: SchemaCatalog
    /// The secrets and the certificate authority from the data folder.
    let keys: ServerKeys
    /// The migrated database, which is PostgreSQL if it is configured, and otherwise the SQLite file in the
    /// data folder.
    let database: any Database
    /// The threads that compute and verify password hashes.
    let hasher: Argon2idHasher

    /// The list of breached passwords; `nil` if none is configured.
    let breaches: BreachList?

    /// The texts of forms, including those in the operator's folder.
    let formTexts: FormTranslations

    /// The products of the purchase API; `nil` if no catalog is configured.
    let catalog: ProductCatalog?

    /// Opens the resources and creates missing files.
    ///
    /// The operator's settings and files are validated first. Then the keys are read or created, and the
    /// database is opened and migrated. A node whose keys differ from those of the other nodes is rejected
    /// before it writes any user data.
    ///
    /// - Throws: ``IdentityServerError``. The database is closed before the error is thrown.
    init(_ configuration: ServerConfiguration, parts: ServerParts) async throws(IdentityServerError) {
        do {
            schemas = try SchemaCatalog(
                configuration.schemas.folder.map { try SchemaFolder(path: $0).sources() } ?? [:],
                standard: configuration.schemas.standard
            )
            try schemas.require(configuration.registration.schemas)
            breaches = try Self.breaches(configuration.passwords.breaches)
            formTexts =
                try configuration.flows.texts.map { try FormTextFolder(path: $0).texts() } ?? .builtIn
            catalog = try ProductCatalog(configuration.commerce)
            let folder = try DataFolder(configuration.data)
            if let url = configuration.database {
                (keys, database) = try await Self.shared(url, folder: folder, parts: parts)
            } else {
                // Keys are read before the database is opened, because new keys may be created only if no
                // database exists.
                keys = try await Self.keys(in: folder, parts: parts)
                database = try await SQLiteDatabase.open(
                    .file(folder.database.path),
                    migrations: .all,
                    time: parts.time
                )
            }
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

    /// Opens the list of breached passwords, if one is configured.
    private static func breaches(_ path: String?) throws(IdentityServerError) -> BreachList? {
        guard let path else { return nil }
        do throws(BreachList.Unusable) {
            return try BreachList(path: path)
        } catch {
            throw IdentityServerError(.configuration, message: "passwords.breaches \(error.reason): \(path)")
        }
    }

    /// Returns the resources for the services.
    ///
    /// - Parameters:
    ///   - parts: The clock and the random source.
    ///   - messageTexts: The templates of messages.
    /// - Returns: The opened resources, which ``close()`` still has to close.
    func resources(parts: ServerParts, messageTexts: MessageCatalog = .builtIn) -> ServerResources {
        var resources = ServerResources(
            database: database,
            hasher: hasher,
            secrets: keys.secrets,
            schemas: schemas,
            time: parts.time,
            random: parts.random
        )
        resources.messageTexts = messageTexts
        resources.formTexts = formTexts
        resources.breaches = breaches
        resources.catalog = catalog
        return resources
    }

    /// Stops the hashing threads and closes the database.
    func close() async {
        await hasher.close()
        await database.close()
    }

    /// Returns the location of the PostgreSQL database, without passwords; `nil` for SQLite.
    static func place(of configuration: ServerConfiguration) -> String? {
        configuration.database.flatMap { try? PostgreSQLLocation($0) }?.description
    }

    /// Opens a database that other nodes may share, and reads the keys, which only the first node creates.
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

    /// Reads or creates the keys on a separate thread, but creates none if `othersExist` is set.
    private static func keys(
        in folder: DataFolder,
        parts: ServerParts,
        othersExist: Bool = false
    ) async throws -> ServerKeys {
        try await onOwnThread {
            try ServerKeys(in: folder, time: parts.time, random: parts.random, othersExist: othersExist)
        }
    }

    /// Runs a closure on a new thread, because it may block while another process holds the lock of the
    /// folder.
    static func onOwnThread<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws -> Outcome
    ) async throws -> Outcome {
        let result = Deferred<Result<Outcome, any Error>>()
        _ = try WorkThread { result.set(Result { try body() }) }
        return try await result.value.get()
    }
}

extension PasswordSettings {
    /// The Argon2id cost parameters of a password hash, whose permitted ranges are within the algorithm's
    /// limits.
    fileprivate var parameters: Argon2idParameters {
        Argon2idParameters(memory: memory, iterations: passes) ?? .recommended
    }
}
