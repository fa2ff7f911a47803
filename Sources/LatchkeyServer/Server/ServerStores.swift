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

/// The resources that a server opens before it starts listening, such as the schemas, the keys and the
/// database.
struct ServerStores: Sendable {
    /// The built-in identity schemas and the schemas in the operator's folder.
    let schemas: SchemaCatalog
    /// The secrets and the certificate authority in the data folder.
    let keys: ServerKeys
    /// The database, with all migrations applied.
    ///
    /// This is a PostgreSQL database if one is configured, or else the SQLite file in the data folder.
    let database: any Database
    /// Computes and verifies password hashes on its own threads.
    let hasher: Argon2idHasher

    /// The list of breached passwords, or `nil` if no list is configured.
    let breaches: BreachList?

    /// The texts of forms, including the texts in the operator's folder.
    let formTexts: FormTranslations

    /// The products that users can buy, or `nil` if no catalog is configured.
    let catalog: ProductCatalog?

    /// Opens the resources and creates missing files.
    ///
    /// The initializer validates the operator's settings and files, reads or creates the keys, and opens and
    /// migrates the database, in this order. If a node's keys differ from those of the other nodes, the node
    /// is rejected before it can write user data.
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
                // Read the keys before opening the database, because new keys may only be created if there is
                // no database yet.
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

    /// Returns the resources that the services use.
    ///
    /// - Parameters:
    ///   - parts: The clock and the random source.
    ///   - messageTexts: The templates for messages to users.
    /// - Returns: The opened resources. The resources remain open until ``close()`` is called.
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
