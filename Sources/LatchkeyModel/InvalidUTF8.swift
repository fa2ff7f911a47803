/// The error thrown for bytes that aren't UTF-8.
package struct InvalidUTF8: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes before the first byte that isn't part of a valid character.
    package let offset: Int

    /// Creates an error for the byte at an offset, starting at 0.
    package init(offset: Int) {
        self.offset = offset
    }

    /// The end of a sentence that begins with the name of the input, such as "The body is".
    package var description: String { "not UTF-8: error at byte \(offset)" }
}

extension String {
    /// Creates a string from bytes in UTF-8.
    ///
    /// The string has exactly the given bytes. `String(decoding:as:)` must not be used for input, because it
    /// replaces invalid bytes, so that different inputs become equal.
    ///
    /// - Throws: ``InvalidUTF8`` with the offset of the first invalid byte.
    package init(utf8 bytes: some Collection<UInt8>) throws(InvalidUTF8) {
        // Loops over a generic collection aren't specialized for callers in other modules.
        let text =
            bytes.withContiguousStorageIfAvailable(Self.validated)
            ?? Array(bytes).withUnsafeBufferPointer(
                Self.validated
            )
        guard let text else { throw InvalidUTF8(offset: Self.lengthOfValidPrefix(bytes)) }
        self = text
    }

    /// Creates a string from bytes in UTF-8, like ``init(utf8:)`` for other collections.
    ///
    /// The server calls this for each header field and for each column of a row.
    package init(utf8 bytes: UnsafeBufferPointer<UInt8>) throws(InvalidUTF8) {
        guard let text = Self.validated(bytes) else {
            throw InvalidUTF8(offset: Self.lengthOfValidPrefix(bytes))
        }
        self = text
    }

    /// Creates a string from bytes in UTF-8, like ``init(utf8:)`` for other collections.
    package init(utf8 bytes: UnsafeRawBufferPointer) throws(InvalidUTF8) {
        try self.init(utf8: bytes.bindMemory(to: UInt8.self))
    }

    /// Returns the string, or `nil` if the bytes aren't UTF-8.
    private static func validated(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // `String(validating:as:)` requires iOS 18. A string differs from its bytes if any were replaced.
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.allSatisfy { $0 < 0x80 } || text.utf8.elementsEqual(bytes) ? text : nil
    }

    private static func lengthOfValidPrefix(_ bytes: some Collection<UInt8>) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var length = 0
        while case .valid(let scalar) = parser.parseScalar(from: &rest) { length += scalar.count }
        return length
    }
}

extension Collection<UInt8> {
    /// The bytes without the byte-order mark that some editors write at the start of a file.
    package var withoutByteOrderMark: SubSequence {
        starts(with: [0xEF, 0xBB, 0xBF] as [UInt8]) ? dropFirst(3) : self[...]
    }
}
