import Foundation
import LatchkeyCore

@testable import LatchkeyFileStore

/// The two folders of a test's store.
///
/// The folders are deleted when the last reference is released.
final class StoreFolders: Sendable {
    let root: String

    init() {
        root = FileManager.default.temporaryDirectory.path + "/store-\(UUID().uuidString)"
        mkdir(root, 0o700)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    var location: StoreLocation {
        StoreLocation(dataFolder: root + "/share/latchkey", keyFolder: root + "/state/latchkey")
    }

    var keyPath: String { location.keyFolder + "/" + KeyFile.name }

    func store(app: String = "app", timeout: Duration = .seconds(120)) -> EncryptedFileStore {
        EncryptedFileStore(server: "https://id.example", app: app, location: location, timeout: timeout)
    }

    func path(_ name: KeyPath<RecordName, String>, app: String = "app") -> String {
        location.dataFolder + "/" + RecordName(server: "https://id.example", app: app)[keyPath: name]
    }

    var recordPath: String { path(\.fileName) }

    var temporaryPath: String { recordPath + ".tmp" }

    var tombstonePath: String { path(\.tombstoneName) }

    var lockPath: String { path(\.lockName) }

    /// Returns the path, kind, mode and contents of each file and folder below the root.
    func snapshot() throws -> [String: String] {
        var found: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
            var status = stat()
            lstat(root + "/" + path, &status)
            let content = FileManager.default.contents(atPath: root + "/" + path) ?? Data()
            found[path] = String(status.st_mode, radix: 8) + " " + content.base64EncodedString()
        }
        return found
    }
}

/// The bytes of a file.
func contents(_ path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
}

/// Writes a file with the given mode, replacing an existing one.
func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws {
    try? FileManager.default.removeItem(atPath: path)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
}

extension StoredRecord {
    /// The bytes of the record, if it is present.
    var bytes: [UInt8]? {
        if case .present(let bytes, _) = self { bytes } else { nil }
    }

    var generation: UInt64? {
        if case .present(_, let generation) = self { generation } else { nil }
    }

    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    /// The error code, if the record is unavailable.
    var refusal: SessionStoreError.Code? {
        if case .unavailable(let error) = self { error.code } else { nil }
    }
}

extension SessionStore {
    /// Tries to write a record, and returns the code of the error, or `nil` if the write succeeds.
    func refusalOfWrite(basedOn generation: UInt64 = 0) -> SessionStoreError.Code? {
        do {
            _ = try write([9], basedOn: generation)
            return nil
        } catch {
            return error.code
        }
    }

    /// Tries to remove the record and returns the error code, or `nil` if it succeeds.
    func refusalOfRemoval() -> SessionStoreError.Code? {
        do {
            try remove()
            return nil
        } catch {
            return error.code
        }
    }
}
