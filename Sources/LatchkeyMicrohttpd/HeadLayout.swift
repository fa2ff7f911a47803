import CMicrohttpd

/// Strictly validates a request header, using the bytes that libmicrohttpd 0.9 leaves in its buffer.
///
/// The library accepts more than the standard allows (single line feeds, folded fields, NUL, white space
/// before the colon). This makes request smuggling possible behind a proxy that parses such a header
/// differently. The library splits the header in place: it overwrites each separator with NUL (one for a
/// colon or a single line feed, two for CR LF) and changes no other bytes. We can therefore reconstruct the
/// received bytes from the buffer. If we mistake received NULs for separators, we find more fields than the
/// library has counted, and the request is rejected. The only thing we cannot detect is a NUL in place of a
/// carriage return at the end of a line. Such a NUL cannot be used for smuggling, because proxies must not
/// forward a NUL (RFC 9110, section 5.5).
package enum HeadLayout {
    /// Whether the linked version of libmicrohttpd uses the buffer layout that this type expects.
    ///
    /// From version 1.0 on, libmicrohttpd parses requests strictly, so this check isn't needed.
    static let isKnown = MHD_VERSION < 0x0100_0000 && String(cString: MHD_get_version()).hasPrefix("0.9.")

    /// Returns whether a header, including its final empty line, conforms to the standard and contains the
    /// given number of fields.
    package static func isStrict(
        method: UnsafePointer<CChar>,
        target: RequestTarget,
        version: UnsafePointer<CChar>,
        size: Int,
        fields count: Int
    ) -> Bool {
        let start = UInt(bitPattern: method)
        let end = start + UInt(size)
        let versionStart = UInt(bitPattern: version)
        guard
            target.start > start, versionStart > target.start, versionStart + 12 <= end,
            versionStart == target.start + UInt(target.length) + 1
        else { return false }
        return method.withMemoryRebound(to: UInt8.self, capacity: size) { bytes in
            let head = UnsafeBufferPointer(start: bytes, count: size)
            let methodEnd = nameEnd(in: head, from: 0)
            return methodEnd > 0 && start + UInt(methodEnd) + 1 == target.start
                && fields(of: head, from: Int(versionStart - start) + 8) == count
        }
    }

    /// Counts the fields after the request line, or returns `nil` if a field does not conform to the
    /// standard.
    private static func fields(of head: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var position = start
        var count = 0
        while position + 2 <= head.count, head[position] == 0, head[position + 1] == 0 {
            position += 2
            if position + 2 == head.count {
                return head[position] == 0 && head[position + 1] == 0 ? count : nil
            }
            let name = position
            position = nameEnd(in: head, from: position)
            guard position > name, position < head.count, head[position] == 0 else { return nil }
            position += 1
            while position < head.count, head[position] >= 0x20 || head[position] == 0x09 {
                guard head[position] != 0x7F else { return nil }
                position += 1
            }
            count += 1
        }
        return nil
    }

    /// Returns the index after the last character of the token that starts at `start`.
    private static func nameEnd(in head: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        while position < head.count, isTokenCharacter(head[position]) { position += 1 }
        return position
    }

    /// Returns whether a byte is allowed in a method or a field name (RFC 9110, section 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        let (low, high): (UInt64, UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
        return (byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)) & 1 == 1
    }
}
