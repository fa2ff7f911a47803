import LatchkeyWire

/// Copies JSON and masks the secrets, phone numbers and e-mail addresses in it.
///
/// All other bytes stay the same.
struct RedactedJSON {
    /// An object or array that hasn't been closed yet.
    private struct Frame {
        /// The kind of value that the object's `value` members contain, based on its `name` member.
        var kind: SensitiveName?

        /// The ranges of bytes in the copy that contain the object's `value` members.
        var values: [Range<Int>] = []
    }

    private let text: [UInt8]
    private var position = 0
    private var copy: [UInt8] = []
    private var frames: [Frame] = []

    /// Returns a masked copy of a JSON object or array, or `nil` if the text is neither.
    static func copy(of text: [UInt8]) -> [UInt8]? {
        // We reject a document that is a single string, because it could be a token. We also reject NUL
        // bytes, because the decoder would otherwise accept UTF-16.
        guard let first = text.first(where: { $0 > 0x20 }), isOpening(first), !text.contains(0),
            (try? JSONCoding.decode(JSONValue.self, from: text)) != nil
        else { return nil }
        var json = RedactedJSON(text)
        json.run()
        return json.copy
    }

    private init(_ text: [UInt8]) {
        self.text = text
        copy.reserveCapacity(text.count)
    }

    /// Copies the rest of the text.
    private mutating func run() {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                let string = takeString()
                if let colon = takeColon() {
                    copy += string
                    copy += colon
                    copyValue(of: Self.decoded(string))
                } else {
                    copy += Self.shown(string)
                }
                continue
            case let byte where Self.isOpening(byte):
                frames.append(Frame())
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                end(frames.popLast())
            default: break
            }
            copy.append(text[position])
            position += 1
        }
    }

    /// Called at the end of an object.
    ///
    /// Masks the object's `value` members if the `name` member indicates that their content is sensitive.
    private mutating func end(_ frame: Frame?) {
        guard let frame, let kind = frame.kind else { return }
        for range in frame.values.reversed() where !Self.isHarmless(copy[range]) {
            copy.replaceSubrange(range, with: Self.string(kind.mark))
        }
    }

    private static func isOpening(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    }

    /// Copies the value of a member.
    ///
    /// Objects and arrays are only copied here if the member is sensitive or is called `value`.
    private mutating func copyValue(of name: String) {
        guard position < text.count, !frames.isEmpty else { return }
        let isContainer = Self.isOpening(text[position])
        let kind = SensitiveName(name)
        if isContainer, kind != .secret, !SensitiveName.isValue(name) { return }
        let value = takeValue()
        let isString = value.first == UInt8(ascii: "\"")
        if isString, SensitiveName.isNaming(name), let kind = SensitiveName(Self.decoded(value)) {
            frames[frames.count - 1].kind = kind
        }
        let start = copy.count
        if let kind {
            let number = Int(String(decoding: value, as: UTF8.self))
            let isStatus = number.map { SensitiveName.isStatus(name, value: $0) } ?? false
            copy += isStatus || Self.isHarmless(value) ? value : Self.string(kind.mark)[...]
        } else if isContainer {
            var inner = RedactedJSON(Array(value))
            inner.run()
            copy += inner.copy
        } else {
            copy += isString ? Self.shown(value) : value
        }
        if SensitiveName.isValue(name) { frames[frames.count - 1].values.append(start..<copy.count) }
    }

    /// Returns whether a value is empty, `null` or a Boolean and therefore can't be a secret.
    private static func isHarmless(_ value: ArraySlice<UInt8>) -> Bool {
        ["null", "true", "false", "\"\"", "[]", "{}"].contains { value.elementsEqual($0.utf8) }
    }

    /// Returns a string with its quotation marks, masked if necessary.
    private static func shown(_ string: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let plain = decoded(string)
        let shown = Redaction.text(plain)
        return shown.hasSameBytes(as: plain) ? string : self.string(shown)[...]
    }

    /// Decodes a string that still has its quotation marks.
    private static func decoded(_ string: ArraySlice<UInt8>) -> String {
        let content = string.dropFirst().dropLast()
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        // The string is wrapped in an array, because some decoders don't accept a document that is a single
        // string.
        let array = [UInt8(ascii: "[")] + string + [UInt8(ascii: "]")]
        return (try? JSONCoding.decode([String].self, from: array))?.first
            ?? String(decoding: content, as: UTF8.self)
    }

    /// Encodes a string as JSON, including the quotation marks.
    private static func string(_ text: String) -> [UInt8] {
        var writer = JSONWriter(reserving: text.utf8.count + 2)
        writer.string(text)
        return writer.bytes
    }

    /// Consumes a string and its quotation marks.
    private mutating func takeString() -> ArraySlice<UInt8> {
        let start = position
        position += 1
        while position < text.count, text[position] != UInt8(ascii: "\"") {
            position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, text.count)
        return text[start..<position]
    }

    /// Consumes a colon and the white space around it.
    ///
    /// Returns `nil` if the string isn't followed by a colon.
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

    /// Consumes a value, which may be an object or an array with all its contents.
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
                // If the value is a number or a literal, this bracket closes the object or array around it.
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
