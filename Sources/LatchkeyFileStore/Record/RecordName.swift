import LatchkeyCrypto

/// Which record: every server and app has one of its own.
struct RecordName: Sendable {
    /// The SHA-256 of both names.
    let id: [UInt8]

    /// The name of the record file.
    let fileName: String

    /// The name of the lock file.
    let lockName: String

    init(server: String, app: String) {
        // A zero byte stands in neither, so that no two pairs give one text.
        id = SHA256.hash(Array(server.utf8) + [0] + Array(app.utf8))
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal = String(
            decoding: id.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
        fileName = "session-\(hexadecimal)"
        lockName = "session-\(hexadecimal).lock"
    }
}
