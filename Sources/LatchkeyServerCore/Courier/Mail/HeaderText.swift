import LatchkeyModel

/// The value of a header field of a mail, ready to be written: whatever it was made from, it cannot end its field.
///
/// Its initializers are the only way to make one. None lets a line break or another control character through but those
/// with which it folds a long value itself.
struct HeaderText {
    /// The value, folded.
    let folded: String

    /// A text for people; what is not plain ASCII becomes encoded words (RFC 2047).
    init(_ text: String) {
        let line = PlainFormat.written(text)
        // What looks like an encoded word would be decoded.
        folded =
            Self.isPlain(line) && line.utf8.count <= 60 && !line.contains("=?") ? line : Self.encoded(line)
    }

    /// An address, with a name beside it (RFC 5322, section 3.4).
    ///
    /// An ``EmailAddress`` holds no white space, no control character and none of `<>,;:"`; so this names one mailbox.
    init(_ address: EmailAddress, name: String? = nil) {
        guard let name, !name.isEmpty else {
            folded = address.address
            return
        }
        let line = PlainFormat.written(name)
        let isPlain = Self.isPlain(line) && line.utf8.count <= 60 && !line.contains("=?")
        let shown = isPlain ? "\"\(line.filter { $0 != "\"" && $0 != "\\" })\"" : Self.encoded(line)
        folded = "\(shown)\(isPlain ? " " : "\r\n ")<\(address.address)>"
    }

    /// A text of our own.
    init(constant text: StaticString) {
        folded = "\(text)"
    }

    /// The name of a message (RFC 5322, section 3.6.4): the same for every attempt at it.
    init(messageID id: Identifier, of sender: EmailAddress) {
        let domain = sender.address.split(separator: "@").last.map(String.init) ?? ""
        folded = "<\(id.description)@\(Self.isPlain(domain) && !domain.isEmpty ? domain : "mail.invalid")>"
    }

    /// A point in time (RFC 5322, section 3.3).
    init(_ time: Timestamp) {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // "2026-11-21T08:11:20.400543Z"; times before 1970 do not send mail.
        let text = time.description
        let fields = text.split { "-T.".contains($0) }
        let day = days[Int(max(0, time.seconds) / 86_400 % 7)]
        let month = months[(Int(fields[1]) ?? 1) - 1]
        folded = "\(day), \(fields[2]) \(month) \(fields[0]) \(fields[3]) +0000"
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Encoded words, each short enough for its line with the longest name of a field before it.
    private static func encoded(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\(base64($0))?=" }.joined(separator: "\r\n ")
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
