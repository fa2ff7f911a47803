import LatchkeyWire

/// Takes secrets out of what is shown of an exchange, and keeps the rest byte for byte.
enum Redaction {
    private static let mark = "‹secret›"

    private static let secretHeaders: Set<String> = [
        "authorization", "cookie", "dpop", "proxy-authorization", "set-cookie", "x-session-token",
    ]

    private static let secretNames: Set<String> = [
        "access_token", "client_secret", "code", "code_verifier", "csrf_token", "id_token", "otp", "passcode",
        "password", "refresh_token", "secret", "session_token", "token",
    ]

    static func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
        var headers = headers
        for index in headers.fields.indices
        where secretHeaders.contains(headers.fields[index].name.lowercased()) {
            headers.fields[index].value = mark
        }
        return headers
    }

    static func query(_ query: String?) -> String? {
        guard let query else { return nil }
        return query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            // An escaped name could be any.
            guard name.contains("%") || secretNames.contains(name.lowercased()) else { return String(item) }
            return "\(name)=\(mark)"
        }.joined(separator: "&")
    }

    static func body(_ body: [UInt8]) -> [UInt8] {
        guard !body.isEmpty else { return [] }
        guard (try? JSONCoding.decode(JSONValue.self, from: body)) != nil else {
            return Array("‹\(body.count) bytes›".utf8)
        }
        var scanner = JSONScanner(body)
        return scanner.copy(
            replacing: { secretNames.contains($0.lowercased()) },
            with: Array("\"\(mark)\"".utf8)
        )
    }
}

/// Walks over JSON that is known to be well formed.
private struct JSONScanner {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// Copies the text, with another value in place of those whose names are picked.
    mutating func copy(replacing isPicked: (String) -> Bool, with replacement: [UInt8]) -> [UInt8] {
        var copy = [UInt8]()
        copy.reserveCapacity(text.count)
        while position < text.count {
            guard text[position] == UInt8(ascii: "\"") else {
                copy.append(text[position])
                position += 1
                continue
            }
            let string = takeString()
            copy.append(contentsOf: string)
            guard let separator = takeColon() else { continue }
            copy.append(contentsOf: separator)
            // A name with escapes could be any.
            let name = String(decoding: string.dropFirst().dropLast(), as: UTF8.self)
            guard name.contains("\\") || isPicked(name) else { continue }
            let value = takeValue()
            copy.append(contentsOf: Self.isHarmless(value) ? value : replacement[...])
        }
        return copy
    }

    /// Whether a value cannot be a secret: nothing, or a short number such as the `code` of an error.
    private static func isHarmless(_ value: ArraySlice<UInt8>) -> Bool {
        value.elementsEqual("null".utf8) || value.elementsEqual("\"\"".utf8)
            || value.count <= 3 && value.allSatisfy { (0x30...0x39).contains($0) }
    }

    private mutating func takeString() -> ArraySlice<UInt8> {
        let start = position
        position += 1
        while position < text.count, text[position] != UInt8(ascii: "\"") {
            position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, text.count)
        return text[start..<position]
    }

    /// Takes a colon with the white space around it; nothing when the string before was a value.
    private mutating func takeColon() -> ArraySlice<UInt8>? {
        let start = position
        skipSpace()
        guard position < text.count, text[position] == UInt8(ascii: ":") else {
            position = start
            return nil
        }
        position += 1
        skipSpace()
        return text[start..<position]
    }

    private mutating func skipSpace() {
        while position < text.count, text[position] <= 0x20 { position += 1 }
    }

    private mutating func takeValue() -> ArraySlice<UInt8> {
        let start = position
        skipValue()
        return text[start..<position]
    }

    private mutating func skipValue() {
        var depth = 0
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                _ = takeString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of what the value stands in, when it is a number or a word.
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    position += 1
                    return
                }
            case UInt8(ascii: ","), 0...0x20:
                if depth == 0 { return }
            default:
                break
            }
            position += 1
        }
    }
}
