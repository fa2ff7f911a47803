import Foundation
import LatchkeyCore
import TestProcesses
import Testing

@testable import LatchkeyFileStore

/// An operation on a store, with the store's initial contents and the contents that it may have afterwards.
struct DisturbedOperation: Sendable, CustomTestStringConvertible {
    let name: String
    let prepare: @Sendable (ProbeFolders) throws -> Void
    let operation: String
    let before: String?
    let after: String?

    var testDescription: String { name }

    static let all = [
        DisturbedOperation(
            name: "the first write",
            prepare: { _ in },
            operation: "login:new",
            before: nil,
            after: "new"
        ),
        DisturbedOperation(
            name: "a replacement",
            prepare: { _ = try $0.store().write(Array("old".utf8), basedOn: 0) },
            operation: "login:new",
            before: "old",
            after: "new"
        ),
        DisturbedOperation(
            name: "a removal",
            prepare: { _ = try $0.store().write(Array("old".utf8), basedOn: 0) },
            operation: "remove",
            before: "old",
            after: nil
        ),
        DisturbedOperation(
            name: "a login after a removal that met a lock",
            prepare: {
                _ = try $0.store().write(Array("old".utf8), basedOn: 0)
                try $0.buryWithoutErasing()
            },
            operation: "login:new",
            before: nil,
            after: "new"
        ),
    ]
}

/// The folders in which a probe's store keeps its files.
///
/// The folders are deleted when the last reference is released.
final class ProbeFolders: Sendable {
    let root = "/tmp/lk-\(UUID().uuidString.prefix(13))"

    init() {
        mkdir(root, 0o700)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    var probe: StoreProbe { StoreProbe(root) }

    private var location: StoreLocation {
        StoreLocation(dataFolder: root + "/data", keyFolder: root + "/key")
    }

    /// The same store, opened in this process.
    func store(timeout: Duration = .seconds(5)) -> EncryptedFileStore {
        EncryptedFileStore(server: "https://id.example", app: "probe", location: location, timeout: timeout)
    }

    /// Creates a tombstone, as a removal does if it cannot acquire the lock.
    func buryWithoutErasing() throws {
        let name = RecordName(server: "https://id.example", app: "probe")
        try write([], to: location.dataFolder + "/" + name.tombstoneName)
    }

    /// All files except the record, the key and the lock.
    var leftovers: [String] {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
        return files.filter { $0.hasSuffix(".tmp") || $0.hasSuffix(".removed") }
    }
}
