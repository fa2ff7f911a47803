import LatchkeyBcrypt
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeyServerCore
import LatchkeySodium

/// What a server needs before it can listen: its schemas, its keys, its database, its hashing threads.
struct ServerStores: Sendable {
    let schemas: SchemaCatalog
    let keys: ServerKeys
    let database: any Database
    let hasher: Argon2idHasher

    /// The passwords that nobody should use; nothing where the operator has no list of them.
    let breaches: BreachList?

    /// The words of forms.
    let formTexts: FormTexts

    /// Opens all of it; files that are missing are made.
    init(_ configuration: ServerConfiguration, _ parts: ServerParts) async throws(IdentityServerError) {
        do {
            schemas = try SchemaCatalog(
                configuration.identities.schemas.map { try SchemaFolder(path: $0).sources() } ?? [:],
                standard: configuration.identities.defaultSchema
            )
            try schemas.require(configuration.selfService.registrationSchemas)
            breaches = try Self.breaches(configuration.passwords.breaches)
            formTexts =
                try configuration.selfService.texts.map { try FormTextFolder(path: $0).texts() } ?? .builtIn
            let folder = try DataFolder(configuration.data)
            if let url = configuration.database {
                (keys, database) = try await Self.shared(url, folder, parts)
            } else {
                // The keys first: beside a database that is there already, none are made.
                keys = try await Self.keys(in: folder, parts)
                database = try await SQLiteDatabase.open(.file(folder.database.path), time: parts.time)
            }
        } catch {
            throw IdentityServerError(starting: error)
        }
        do {
            try await KeyRegister(database).enter(keys.secrets, keys.authority, at: parts.time.now)
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

    private static func breaches(_ path: String?) throws(IdentityServerError) -> BreachList? {
        guard let path else { return nil }
        do throws(BreachList.Unusable) {
            return try BreachList(path: path)
        } catch {
            throw IdentityServerError(.configuration, "passwords.breaches \(error.reason): \(path)")
        }
    }

    func close() async {
        await hasher.close()
        await database.close()
    }

    /// Where the database is, without passwords; nothing for a file in the data folder.
    static func place(of configuration: ServerConfiguration) -> String? {
        configuration.database.flatMap { try? PostgreSQLLocation($0) }?.description
    }

    /// Opens a database that other nodes may use as well, and the keys, which are made only for the first node.
    private static func shared(
        _ url: Secret,
        _ folder: DataFolder,
        _ parts: ServerParts
    ) async throws -> (ServerKeys, any Database) {
        let database = try await PostgreSQLDatabase.open(PostgreSQLLocation(url), time: parts.time)
        do {
            let othersExist = try await !KeyRegister(database).isEmpty
            return (try await keys(in: folder, parts, othersExist: othersExist), database)
        } catch {
            await database.close()
            throw error
        }
    }

    private static func keys(
        in folder: DataFolder,
        _ parts: ServerParts,
        othersExist: Bool = false
    ) async throws -> ServerKeys {
        try await onOwnThread {
            try ServerKeys(in: folder, time: parts.time, random: parts.random, othersExist: othersExist)
        }
    }

    /// Works on a thread of its own: another process may hold the folder's lock.
    static func onOwnThread<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws -> Outcome
    ) async throws -> Outcome {
        let result = Deferred<Result<Outcome, any Error>>()
        _ = try WorkThread { result.set(Result { try body() }) }
        return try await result.value.get()
    }
}
