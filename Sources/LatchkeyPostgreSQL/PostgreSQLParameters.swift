import LatchkeyServerKit

/// The parameter values of a statement, encoded for libpq.
///
/// Integers are sent as text, because the server decides how wide they are. Strings and blobs are sent in
/// binary format together with their length.
struct PostgreSQLParameters {
    private var bytes: [UInt8] = []
    /// The offset of each value in `bytes`, or `nil` for `NULL`.
    private var offsets: [Int?] = []
    /// The length of each value in bytes, not counting the NUL.
    ///
    /// libpq ignores the lengths of values in text format.
    private var lengths: [Int32] = []
    /// The format of each value: 1 for binary, 0 for text.
    private var formats: [Int32] = []

    /// Encodes the values of a statement.
    ///
    /// Throws `failed` if a string contains a NUL, because PostgreSQL cannot store it.
    init(_ values: [SQLValue], of sql: SQL) throws(PostgreSQLFailure) {
        for value in values {
            switch value {
            case .null:
                append(nil, binary: false)
            case .integer(let number):
                append(String(number).utf8, binary: false)
            case .text(let text):
                guard !text.utf8.contains(0) else {
                    throw PostgreSQLFailure(
                        .statement,
                        code: .failed,
                        message: "PostgreSQL does not accept NUL in text: \(sql)"
                    )
                }
                append(text.utf8, binary: true)
            case .blob(let blob):
                append(blob, binary: true)
            }
        }
    }

    /// Appends an encoded value, or `NULL` if the value is `nil`.
    private mutating func append(_ value: (some Collection<UInt8>)?, binary: Bool) {
        offsets.append(value == nil ? nil : bytes.count)
        lengths.append(Int32(clamping: value?.count ?? 0))
        formats.append(binary ? 1 : 0)
        // We append the NUL to binary values too, so that an empty value still has an address.
        if let value {
            bytes += value
            bytes.append(0)
        }
    }

    private mutating func append(_: Never?, binary: Bool) {
        append(nil as [UInt8]?, binary: binary)
    }

    /// Calls a closure with the number of values and their pointers, lengths and formats.
    ///
    /// The pointers are valid only during the call.
    func withPointers<Result>(
        _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = offsets.map { offset in
                offset.flatMap { offset in base.map { $0 + offset } }
            }
            return body(Int32(offsets.count), pointers, lengths, formats)
        }
    }
}
