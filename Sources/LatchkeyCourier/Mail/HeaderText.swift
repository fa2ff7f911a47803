import LatchkeyModel

/// The value of a mail header field, encoded so that it can't end the field early.
///
/// Values can only be created with the initializers below. A value contains no control characters except the
/// line breaks that the initializers add to fold long text.
struct HeaderText {
    let folded: String

    /// Creates a value from human-readable text.
    ///
    /// Text that is long or contains non-ASCII characters is converted to encoded words (RFC 2047).
    init(_ text: String) {
        let line = PlainFormat.written(text)
        // Text that looks like an encoded word must also be encoded, because receivers would decode it.
        folded =
            Self.isPlain(line) && line.utf8.count <= 60 && !line.contains("=?") ? line : Self.encoded(line)
    }

    /// Creates a mailbox from an address and an optional display name (RFC 5322, section 3.4).
    ///
    /// An ``EmailAddress`` can't contain white space, control characters or any of `<>,;:"`, so the value
    /// always denotes exactly one mailbox.
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

    /// Creates a value from a constant without encoding it.
    init(constant text: StaticString) {
        folded = "\(text)"
    }

    /// Creates the message identifier (RFC 5322, section 3.6.4), which is the same for every attempt to send
    /// a message.
    ///
    /// - Parameters:
    ///   - id: The message id.
    ///   - sender: The sender. The identifier ends with the sender's domain, or with `mail.invalid` if the
    ///     domain isn't ASCII.
    init(messageID id: Identifier, of sender: EmailAddress) {
        let domain = sender.address.split(separator: "@").last.map(String.init) ?? ""
        folded = "<\(id.description)@\(Self.isPlain(domain) && !domain.isEmpty ? domain : "mail.invalid")>"
    }

    /// Creates a date and time in UTC (RFC 5322, section 3.3).
    init(_ time: Timestamp) {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // The description has the form "2026-11-21T08:11:20.400543Z". E-mails are never sent with a date
        // before 1970.
        let text = time.description
        let fields = text.split { "-T.".contains($0) }
        let day = days[Int(max(0, time.seconds) / 86_400 % 7)]
        let month = months[(Int(fields[1]) ?? 1) - 1]
        folded = "\(day), \(fields[2]) \(month) \(fields[0]) \(fields[3]) +0000"
    }

    /// Returns `true` if the text contains only printable ASCII characters, which excludes line breaks and
    /// tabs.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Converts text to encoded words.
    ///
    /// Each encoded word is short enough to follow the longest field name on the same line.
    private static func encoded(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 39 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\(base64($0))?=" }.joined(separator: "\r\n ")
    }

    /// Encodes bytes as base64 with padding (RFC 4648, section 4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
