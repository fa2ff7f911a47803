import LatchkeyModel
import LatchkeyWire

/// All side records in a scope, which are stored together in a single record.
struct SideRecordContainer: Equatable, Sendable {
    /// One of the stored values.
    struct Entry: Equatable, Sendable {
        var bytes: [UInt8]
        var expiresAt: Timestamp
        /// The login that the value belongs to, or `nil` if it isn't tied to a login.
        var login: LoginID?
    }

    /// The version of the format.
    static let version = 1

    /// The maximum number of values in a scope.
    static let countLimit = 16

    /// The values, keyed by name.
    ///
    /// These can include values of unknown kinds that were stored by a newer version of the app.
    var entries: [String: Entry] = [:]

    /// Returns the value of the given kind, or `nil` if there is no such value or it belongs to another
    /// login.
    func entry(_ kind: SideRecordKind, of login: LoginID?) -> Entry? {
        entries[kind.name].flatMap { $0.login == login ? $0 : nil }
    }

    /// Removes all values that have expired.
    mutating func removeExpired(at now: Timestamp) {
        entries = entries.filter { $0.value.expiresAt > now }
    }
}

/// Encodes the values as JSON and decodes them. Dates are in RFC 3339 format. Bytes and logins are encoded as
/// Base64URL.
extension SideRecordContainer {
    private struct Record: Codable {
        struct Entry: Codable {
            var bytes: String
            var expiresAt: String
            var login: String?
        }

        var version: Int
        var records: [String: Entry]
    }

    private struct Header: Decodable {
        var version: Int
    }

    /// Decodes the stored values.
    ///
    /// - Throws: ``SessionStoreError`` with the code `newer` if the values were written by a newer version,
    ///   or `unreadable` if the data is damaged.
    init(decoding bytes: [UInt8]) throws(SessionStoreError) {
        let damaged = SessionStoreError(.unreadable, message: "The side records are damaged.")
        guard let version = try? JSONCoding.decode(Header.self, from: bytes).version else { throw damaged }
        guard version <= Self.version else {
            throw SessionStoreError(.newer, message: "The side records have version \(version).")
        }
        guard version == Self.version, let record = try? JSONCoding.decode(Record.self, from: bytes) else {
            throw damaged
        }
        for (name, encoded) in record.records {
            guard
                let bytes = Base64URL.decode(encoded.bytes),
                let expiresAt = Timestamp(rfc3339: encoded.expiresAt)
            else { throw damaged }
            var entry = Entry(bytes: bytes, expiresAt: expiresAt)
            if let login = encoded.login {
                guard let login = LoginID(login) else { throw damaged }
                entry.login = login
            }
            entries[name] = entry
        }
    }

    /// Encodes the stored values.
    func encoded() throws(SessionStoreError) -> [UInt8] {
        let records = entries.mapValues { entry in
            Record.Entry(
                bytes: Base64URL.encode(entry.bytes),
                expiresAt: entry.expiresAt.description,
                login: entry.login?.text
            )
        }
        do {
            return try JSONCoding.encode(Record(version: Self.version, records: records))
        } catch {
            throw SessionStoreError(.failed, message: "The side records could not be encoded.")
        }
    }
}

extension Timestamp {
    /// The latest time that can be stored.
    static let latest = Timestamp(seconds: 253_402_300_799)

    /// Whether the time can come from a clock that was set.
    ///
    /// Devices whose clock has no battery start in 1970, or at the date of their software, until they have asked
    /// the network for the time. No clock that was set shows a date before 2026, when this code was written.
    var isFromClock: Bool { self >= Timestamp(seconds: 1_767_225_600) }
}

/// Operations that require several calls to a store. These operations may block.
extension SideRecordContainer {
    /// The maximum number of attempts to write a change while other processes are also changing the values.
    private static let attempts = 5

    /// Reads the stored values.
    ///
    /// - Returns: The values, and the generation of the store's record. The generation is 0 if there is no
    ///   record.
    static func read(
        _ store: any SessionStore
    ) throws(SessionStoreError) -> (container: SideRecordContainer, generation: UInt64) {
        switch store.read() {
        case .present(let bytes, let generation): (try SideRecordContainer(decoding: bytes), generation)
        case .absent: (SideRecordContainer(), 0)
        case .unavailable(let error): throw error
        }
    }

    /// Reads the stored values, and treats damaged data as empty.
    static func readUndamaged(_ store: any SessionStore) throws(SessionStoreError) -> SideRecordContainer {
        do throws(SessionStoreError) {
            return try read(store).container
        } catch {
            guard error.code == .unreadable else { throw error }
            return SideRecordContainer()
        }
    }

    /// Changes the stored values.
    ///
    /// Damaged data is discarded, because no process can read it.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - isWanted: A closure that returns whether the change should still be made.
    ///   - change: A closure that makes the change. The closure is called again if another process has
    ///     changed the values in the meantime.
    /// - Returns: The value returned by the last call to `change`.
    /// - Throws: ``SessionStoreError``. The code is `conflict` if the change should no longer be made.
    static func update<Value>(
        _ store: any SessionStore,
        while isWanted: () -> Bool,
        change: (inout SideRecordContainer) throws(SessionStoreError) -> Value
    ) throws(SessionStoreError) -> Value {
        var attempt = 1
        while true {
            do throws(SessionStoreError) {
                var (container, generation) = try readToReplace(store)
                let former = container
                let value = try change(&container)
                guard isWanted() else { throw .unwanted }
                guard container != former else { return value }
                if container.entries.isEmpty {
                    try store.remove(basedOn: generation)
                } else {
                    _ = try store.write(container.encoded(), basedOn: generation, while: isWanted)
                }
                return value
            } catch {
                guard error.code == .conflict || error.code == .unreadable, isWanted(),
                    attempt < attempts
                else { throw error }
                if error.code == .unreadable { try store.removeUnreadable() }
                attempt += 1
            }
        }
    }

    /// Reads the stored values like ``read(_:)``, but treats damaged values in an intact record as empty.
    ///
    /// - Throws: ``SessionStoreError``. The code is `unreadable` if the record itself is damaged.
    private static func readToReplace(
        _ store: any SessionStore
    ) throws(SessionStoreError) -> (container: SideRecordContainer, generation: UInt64) {
        switch store.read() {
        case .present(let bytes, let generation):
            do throws(SessionStoreError) {
                return (try SideRecordContainer(decoding: bytes), generation)
            } catch {
                guard error.code == .unreadable else { throw error }
                return (SideRecordContainer(), generation)
            }
        case .absent: return (SideRecordContainer(), 0)
        case .unavailable(let error): throw error
        }
    }
}
