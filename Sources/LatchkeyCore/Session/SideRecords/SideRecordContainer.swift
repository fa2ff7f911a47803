import LatchkeyModel
import LatchkeyWire

/// The side records of a scope, which are stored together.
struct SideRecordContainer: Equatable, Sendable {
    /// A side record.
    struct Entry: Equatable, Sendable {
        var bytes: [UInt8]
        var expiresAt: Timestamp
        /// The login that the record belongs to, or `nil`.
        var login: LoginID?
    }

    /// The version of the format that this code writes; it reads this version and all earlier ones.
    static let version = 1

    /// The maximum number of side records in a scope.
    static let countLimit = 16

    /// The records by their names, including those of kinds that only a newer version knows.
    var entries: [String: Entry] = [:]

    /// Returns the record of a kind, or `nil` if there is none or it belongs to another login.
    func entry(_ kind: SideRecordKind, of login: LoginID?) -> Entry? {
        entries[kind.name].flatMap { $0.login == login ? $0 : nil }
    }

    /// Removes the records that have expired.
    mutating func removeExpired(at now: Timestamp) {
        entries = entries.filter { $0.value.expiresAt > now }
    }
}

/// The JSON form: times are in RFC 3339 format, bytes and logins in Base64URL.
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

    /// Decodes the records.
    ///
    /// - Throws: ``SessionStoreError``: `newer` for a later version, `unreadable` for damaged data.
    init(decoding bytes: [UInt8]) throws(SessionStoreError) {
        let damaged = SessionStoreError(.unreadable, message: "The side records are damaged.")
        guard let version = try? JSONCoding.decode(Header.self, from: bytes).version else { throw damaged }
        guard version <= Self.version else {
            throw SessionStoreError(.newer, message: "The side records have version \(version).")
        }
        guard let record = try? JSONCoding.decode(Record.self, from: bytes) else { throw damaged }
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

    /// Encodes the records.
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

/// The operations that require several calls to a store; they may block.
extension SideRecordContainer {
    /// The number of times that a change is attempted if other processes change the records in between.
    private static let attempts = 5

    /// Reads the records.
    ///
    /// - Returns: The records, and the generation of the store's record; 0 if there is none.
    static func read(
        _ store: any SessionStore
    ) throws(SessionStoreError) -> (container: SideRecordContainer, generation: UInt64) {
        switch store.read() {
        case .present(let bytes, let generation): (try SideRecordContainer(decoding: bytes), generation)
        case .absent: (SideRecordContainer(), 0)
        case .unavailable(let error): throw error
        }
    }

    /// Changes the records; damaged records are discarded, because no process could read them.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - isWanted: Returns whether the change is still wanted.
    ///   - change: Makes the change; called again if another process has changed the records in between.
    /// - Returns: The value that `change` returned last.
    /// - Throws: ``SessionStoreError``; a conflict if the change is no longer wanted.
    static func update<Value>(
        _ store: any SessionStore,
        while isWanted: () -> Bool,
        change: (inout SideRecordContainer) throws(SessionStoreError) -> Value
    ) throws(SessionStoreError) -> Value {
        var attempt = 1
        while true {
            do throws(SessionStoreError) {
                var (container, generation) = try read(store)
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
                if error.code == .unreadable { try store.remove() }
                attempt += 1
            }
        }
    }
}
