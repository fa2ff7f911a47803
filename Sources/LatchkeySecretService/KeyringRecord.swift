import LatchkeyCore
import LatchkeyModel

/// The format of a record in a keyring, which is `latchkey:1:GENERATION:RECORD` with the record encoded as
/// base64url.
///
/// The format is text because many keyring tools display and copy secrets as text. The keyring encrypts this
/// text.
struct KeyringRecord {
    static let version = 1

    let generation: UInt64
    let bytes: [UInt8]

    init(generation: UInt64, bytes: [UInt8]) {
        self.generation = generation
        self.bytes = bytes
    }

    /// Parses the text of a keyring item.
    ///
    /// - Throws: `SessionStoreError` with the code `newer` if the text was written in a newer format, or
    ///   `unreadable` if the text is malformed.
    init(text: [UInt8]) throws(SessionStoreError) {
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count >= 2, parts[0] == "latchkey", let version = Int(parts[1]), version > 0 else {
            throw SessionStoreError(.unreadable, message: "The item in the keyring is not a session record.")
        }
        guard version <= Self.version else {
            throw SessionStoreError(
                .newer,
                message: "The record has format \(version), which requires a newer version of this program."
            )
        }
        guard
            parts.count == 4,
            let generation = UInt64(parts[2]), generation > 0,
            let bytes = Base64URL.decode(parts[3])
        else { throw SessionStoreError(.unreadable, message: "The record in the keyring is damaged.") }
        self.init(generation: generation, bytes: bytes)
    }

    /// Returns the generation in the text of an item, even if the rest is damaged.
    ///
    /// If the text is that of a record, but its generation is damaged, too, the result is the highest possible
    /// generation. If the text isn't that of a record, the result is `nil`.
    static func generation(of text: [UInt8]) -> UInt64? {
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].elementsEqual("latchkey".utf8) else { return nil }
        guard parts.count == 4, let digits = try? String(utf8: parts[2]) else { return .max }
        return UInt64(digits) ?? .max
    }

    /// The text of the item as UTF-8 bytes.
    var text: [UInt8] {
        Array("latchkey:\(Self.version):\(generation):\(Base64URL.encode(bytes))".utf8)
    }
}
