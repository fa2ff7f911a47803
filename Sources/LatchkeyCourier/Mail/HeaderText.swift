import LatchkeyModel

/// The value of a mail header field, encoded so that it cannot terminate its field.
///
/// Values can be created only with the initializers. A value contains no control characters, and no line
/// breaks except those with which the initializers fold long values.
struct HeaderText {
    /// The encoded and folded value.
    let folded: String

    /// Creates a value from human-readable text.
    ///
    /// Text that is long or not plain ASCII is converted to encoded words (RFC 2047).
    init(_ text: String) {
        let line = PlainFormat.written(text)
        // A string that looks like an encoded word is also encoded, because receivers would decode it.
        folded =
            Self.isPlain(line) && line.utf8.count <= 60 && !line.contains("=?") ? line : Self.encoded(line)
    }

    /// Creates a mailbox from an address and an optional display name (RFC 5322, section 3.4).
    ///
    /// An ``EmailAddress`` contains no white space, no control character and none of `<>,;:"`, so the value
    /// denotes exactly one mailbox.
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

    /// Creates a value from a constant, which is not encoded.
    init(constant text: StaticString) {
        folded = "\(text)"
    }

    /// Creates the message identifier (RFC 5322, section 3.6.4), which is the same for every attempt to send
    /// a message.
    ///
    /// - Parameters:
    ///   - id: The id of the message.
    ///   - sender: The sender. Its domain becomes part of the identifier, or `mail.invalid` if the domain is
    ///     not ASCII.
    init(messageID id: Identifier, of sender: EmailAddress) {
        let domain = sender.address.split(separator: "@").last.map(String.init) ?? ""
        folded = "<\(id.description)@\(Self.isPlain(domain) && !domain.isEmpty ? domain : "mail.invalid")>"
    }

    /// Creates a date and time in UTC (RFC 5322, section 3.3).
    init(_ time: Timestamp) {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // The format is "2026-11-21T08:11:20.400543Z", because no mail is sent with a time before 1970.
        let text = time.description
        let fields = text.split { "-T.".contains($0) }
        let day = days[Int(max(0, time.seconds) / 86_400 % 7)]
        let month = months[(Int(fields[1]) ?? 1) - 1]
        folded = "\(day), \(fields[2]) \(month) \(fields[0]) \(fields[3]) +0000"
    }

    /// Returns whether a string consists of printable ASCII only, which excludes line breaks and tabs.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Returns encoded words, each short enough to fit on a line with the longest field name.
    private static func encoded(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\(base64($0))?=" }.joined(separator: "\r\n ")
    }

    /// Returns bytes in base64 with padding (RFC 4648, section 4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
