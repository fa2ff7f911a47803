import LatchkeyCore
import LatchkeyCrypto
import LatchkeyModel

/// The format of a record file.
///
/// A record file consists of an unencrypted header that the AES-GCM tag authenticates, followed by the
/// encrypted record.
///
/// | Offset | Length | Content |
/// |---|---|---|
/// | 0 | 8 | `latchkey` |
/// | 8 | 1 | format version, 1 |
/// | 9 | 8 | generation, most significant byte first |
/// | 17 | 32 | server and app: ``RecordName/id`` |
/// | 49 | | AES-256-GCM: nonce, ciphertext, tag |
struct SealedRecord {
    static let version: UInt8 = 1

    /// The number of bytes that a record file adds to the size of the record.
    static let overhead = headerByteCount + AESGCM.overhead

    let generation: UInt64
    private let header: [UInt8]
    private let sealed: [UInt8]

    private static let magic = Array("latchkey".utf8)
    private static let headerByteCount = 49

    /// Parses a file.
    ///
    /// The generation is only authenticated once ``open(with:)`` has succeeded.
    ///
    /// - Throws: `SessionStoreError` with the code `newer` for a newer format, and `unreadable` if the file
    ///   is damaged or belongs to another server or app.
    init(file: [UInt8], name: RecordName) throws(SessionStoreError) {
        guard file.count > Self.magic.count, file.starts(with: Self.magic) else {
            throw SessionStoreError(.unreadable, message: "The file is not a session record.")
        }
        guard file[8] <= Self.version else {
            throw SessionStoreError(
                .newer,
                message: "The record has format \(file[8]), which requires a newer version of this program."
            )
        }
        guard file[8] == Self.version, file.count > Self.headerByteCount else {
            throw SessionStoreError(.unreadable, message: "The record is damaged.")
        }
        guard file[17..<49].elementsEqual(name.id) else {
            throw SessionStoreError(.unreadable, message: "The record belongs to another server or app.")
        }
        header = Array(file[..<Self.headerByteCount])
        sealed = Array(file[Self.headerByteCount...])
        generation = file[9..<17].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Decrypts and authenticates the record.
    ///
    /// - Throws: `SessionStoreError` with the code `unreadable` if the record is damaged or was encrypted
    ///   with another key.
    func open(with key: [UInt8]) throws(SessionStoreError) -> [UInt8] {
        do {
            return try Self.cipher(key).open(sealed, context: header)
        } catch {
            throw SessionStoreError(
                .unreadable,
                message: "The record is damaged, or was encrypted with another key."
            )
        }
    }

    /// Encrypts a record and returns the contents of the record file.
    static func file(
        _ record: [UInt8],
        generation: UInt64,
        name: RecordName,
        key: [UInt8],
        random: some RandomSource
    ) throws(SessionStoreError) -> [UInt8] {
        var header = magic + [version]
        for shift in stride(from: 56, through: 0, by: -8) {
            header.append(UInt8(truncatingIfNeeded: generation >> shift))
        }
        header += name.id
        do {
            return header + (try cipher(key).seal(record, context: header, random: random))
        } catch {
            throw SessionStoreError(.failed, message: "The record cannot be encrypted: \(error)")
        }
    }

    /// Derives the encryption key from the user's key with HKDF.
    private static func cipher(_ key: [UInt8]) throws(CryptoError) -> AESGCM {
        try AESGCM(key: HKDF.key(from: key, info: Array("latchkey session record 1".utf8)))
    }
}
