import LatchkeyModel
import LatchkeySQLite
import LatchkeyServerCore
import LatchkeySodium

/// What a server needs before it can listen: its schemas, its keys, its database, its hashing threads.
struct ServerStores: Sendable {
    let schemas: SchemaCatalog
    let keys: ServerKeys
    let database: SQLiteDatabase
    let hasher: Argon2idHasher

    /// Opens all of it; files that are missing are made.
    init(_ configuration: ServerConfiguration, _ parts: ServerParts) async throws(IdentityServerError) {
        do {
            schemas = try SchemaCatalog(
                configuration.identities.schemas.map { try SchemaFolder(path: $0).sources() } ?? [:],
                standard: configuration.identities.defaultSchema
            )
            let folder = try DataFolder(configuration.data)
            keys = try await Self.keys(in: folder, parts)
            database = try await SQLiteDatabase.open(.file(folder.database.path), time: parts.time)
        } catch {
            throw IdentityServerError(starting: error)
        }
        do {
            hasher = try Argon2idHasher(
                parameters: configuration.passwords.parameters,
                threads: configuration.passwords.threads,
                queue: configuration.passwords.queue,
                random: parts.random,
                time: parts.time
            )
        } catch {
            await database.close()
            throw IdentityServerError(starting: error)
        }
    }

    func close() async {
        await hasher.close()
        await database.close()
    }

    /// Reads the keys on a thread of its own: another process may hold the folder's lock.
    private static func keys(in folder: DataFolder, _ parts: ServerParts) async throws -> ServerKeys {
        let result = Deferred<Result<ServerKeys, any Error>>()
        _ = try WorkThread {
            result.set(Result { try ServerKeys(in: folder, time: parts.time, random: parts.random) })
        }
        return try await result.value.get()
    }
}
