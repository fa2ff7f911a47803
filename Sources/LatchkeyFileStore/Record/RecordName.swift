import LatchkeyCrypto

/// Which record: every server and app has one of its own.
package struct RecordName: Sendable {
    /// The SHA-256 of both names.
    package let id: [UInt8]

    /// The name of the record file.
    package let fileName: String

    /// The name of the lock file.
    package var lockName: String { fileName + ".lock" }

    /// The name of the file whose lock its processes take to refresh its tokens.
    package var refreshLockName: String { fileName + ".refresh" }

    /// The name of the journal.
    package var journalName: String { fileName + ".journal" }

    /// The name of the tombstone.
    package var tombstoneName: String { fileName + ".removed" }

    /// The name of the file that says that the record is in a keyring.
    package var keyringMarkName: String { fileName + ".keyring" }

    /// The name of the tombstone for the record in a keyring.
    package var keyringTombstoneName: String { fileName + ".keyring-removed" }

    /// The names whose changes may be a change of the record.
    package var watchedNames: Set<String> {
        [fileName, tombstoneName, keyringMarkName, keyringTombstoneName]
    }

    package init(server: String, app: String) {
        // A zero byte stands in neither, so that no two pairs give one text.
        id = SHA256.hash(Array(server.utf8) + [0] + Array(app.utf8))
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal = String(
            decoding: id.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
        fileName = "session-\(hexadecimal)"
    }
}
