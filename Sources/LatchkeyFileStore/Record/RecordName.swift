import LatchkeyCrypto

/// The names of a record's files.
///
/// There is one record for each combination of server and app.
package struct RecordName: Sendable {
    /// The SHA-256 hash of the server's URL and the app's id.
    package let id: [UInt8]

    /// The name of the record file, which consists of `session-` and the first 16 bytes of ``id`` in
    /// hexadecimal.
    package let fileName: String

    /// The name of the file that is locked while the record is being changed.
    package var lockName: String { fileName + ".lock" }

    /// The name of the file that is locked during a token refresh.
    package var refreshLockName: String { fileName + ".refresh" }

    /// The name of the journal's current file.
    package var journalName: String { fileName + ".journal" }

    /// The name of the record file's tombstone.
    package var tombstoneName: String { fileName + ".removed" }

    /// The name of an empty file that exists if the record is stored in the keyring.
    package var keyringMarkName: String { fileName + ".keyring" }

    /// The name of the tombstone for a record in the keyring.
    package var keyringTombstoneName: String { fileName + ".keyring-removed" }

    /// The names of the files to watch for changes to the record.
    package var watchedNames: Set<String> {
        [fileName, tombstoneName, keyringMarkName, keyringTombstoneName]
    }

    /// Derives the names of the files from the server and the app.
    ///
    /// - Parameters:
    ///   - server: The URL of the identity server, which must always be spelled the same way.
    ///   - app: The id of the app.
    package init(server: String, app: String) {
        // Neither the URL nor the id contains a zero byte, so different pairs always result in different hash
        // inputs.
        id = SHA256.hash(Array(server.utf8) + [0] + Array(app.utf8))
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal = String(
            decoding: id.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
        fileName = "session-\(hexadecimal)"
    }
}
