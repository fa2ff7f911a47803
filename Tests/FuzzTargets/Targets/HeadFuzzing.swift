import LatchkeyMicrohttpd

/// Checks that strict mode accepts exactly those request heads that conform to RFC 9112.
enum HeadFuzzing {
    private static let version = Array("HTTP/1.1".utf8)
    private static let marks = Set("!#$%&'*+-.^_`|~".utf8)

    static func check(_ input: FuzzInput) throws {
        let (lines, sent) = head(of: input.bytes(0))
        let spaces = sent.indices.filter { sent[$0] == 0x20 }.prefix(2)
        guard
            let first = lines.first, spaces.count == 2, spaces[1] < first.endIndex,
            sent[(spaces[1] + 1)...].starts(with: version)
        else { return }
        // The library itself rejects a line that has no colon before its first NUL. We cannot detect a NUL in
        // place of a CR.
        let fields = lines.dropFirst()
        guard fields.allSatisfy({ $0.prefix { $0 != 0 }.contains(UInt8(ascii: ":")) && $0.last != 0 }) else {
            return
        }
        var buffer = split(sent, spaces[0], spaces[1]).map { CChar(bitPattern: $0) }
        let isStrict = buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress.map({ UnsafePointer($0) }) else { return false }
            return HeadLayout.isStrict(
                method: start,
                target: RequestTarget(start + spaces[0] + 1),
                version: start + spaces[1] + 1,
                size: sent.count,
                fields: fields.count
            )
        }
        try expect(
            isStrict == isWritten(sent, spaces[0], spaces[1]),
            "the strict mode accepts exactly the heads that conform to RFC 9112"
        )
    }

    /// Returns the request head, both as lines and as bytes.
    ///
    /// The head ends at the first empty line, as it does in libmicrohttpd. If there is no empty line, no
    /// lines are returned.
    private static func head(of sent: [UInt8]) -> (lines: [ArraySlice<UInt8>], bytes: [UInt8]) {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while let end = sent[start...].firstIndex(of: 0x0A) {
            let line = sent[start..<end].last == 0x0D ? sent[start..<(end - 1)] : sent[start..<end]
            if line.isEmpty { return (lines, Array(sent[...end])) }
            lines.append(line)
            start = end + 1
        }
        return ([], sent)
    }

    /// Returns the head as libmicrohttpd leaves it in its buffer, with each separator replaced by NUL.
    private static func split(_ sent: [UInt8], _ first: Int, _ second: Int) -> [UInt8] {
        var head = sent
        head[first] = 0
        head[second] = 0
        var hasColon = true
        for index in head.indices.dropFirst(second + 1) {
            switch sent[index] {
            case 0x0A:
                head[index] = 0
                if sent[index - 1] == 0x0D { head[index - 1] = 0 }
                hasColon = false
            case UInt8(ascii: ":") where !hasColon:
                head[index] = 0
                hasColon = true
            default: break
            }
        }
        return head
    }

    /// Returns `true` if the entire request head conforms to RFC 9112.
    private static func isWritten(_ sent: [UInt8], _ first: Int, _ second: Int) -> Bool {
        guard isToken(sent[..<first]), !sent[..<second].contains(0) else { return false }
        var rest = sent[(second + 1 + version.count)...]
        while rest.popFirst() == 0x0D, rest.popFirst() == 0x0A {
            if rest.elementsEqual([0x0D, 0x0A]) { return true }
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            rest = rest.dropFirst(name.count)
            guard isToken(name), rest.popFirst() != nil else { return false }
            rest = rest.drop { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
        }
        return false
    }

    private static func isToken(_ text: ArraySlice<UInt8>) -> Bool {
        !text.isEmpty
            && text.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: marks.contains(byte)
                }
            }
    }
}
