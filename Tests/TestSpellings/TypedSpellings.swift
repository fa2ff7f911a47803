/// Texts as users type and paste them, with the one value that the client, the server, the command line and
/// the terminal read.
package enum TypedSpellings {
    /// A spelling of a phone number, an e-mail address or a user name.
    package struct Text: Sendable, CustomStringConvertible {
        /// The text as it was typed.
        package let typed: String
        /// The value, or `nil` if the text is rejected.
        package let value: String?

        init(_ typed: String, _ value: String?) {
            self.typed = typed
            self.value = value
        }

        package var description: String { typed.debugDescription }
    }

    /// A spelling of a one-time code.
    package struct Code: Sendable, CustomStringConvertible {
        package let description: String
        /// Whether the text is read as the code.
        ///
        /// Any other text is rejected without counting a guess.
        package let isCode: Bool
        /// Returns the code in this spelling.
        package let spell: @Sendable (_ code: String) -> String

        init(_ description: String, isCode: Bool = true, _ spell: @escaping @Sendable (String) -> String) {
            self.description = description
            self.isCode = isCode
            self.spell = spell
        }
    }

    /// A password as it was set, and as it was typed later.
    package struct Password: Sendable, CustomStringConvertible {
        package let set: String
        package let typed: String
        /// Whether both are the same password.
        package let isSame: Bool

        init(_ set: String, _ typed: String, isSame: Bool) {
            self.set = set
            self.typed = typed
            self.isSame = isSame
        }

        package var description: String { "\(set.debugDescription) \(typed.debugDescription)" }
    }

    private static let phone = "+439999999999"

    package static let phones = [
        Text("+439999999999", phone), Text("+43 (999) 999-99/99", phone), Text("+43.999.999.9999", phone),
        Text(" +43 999 999 9999\r\n", phone), Text("\t+43\u{A0}999\u{202F}999\u{2009}9999", phone),
        Text("+43\u{2011}999\u{2013}999\u{2212}9999", phone),
        Text("\u{202A}+43 999 999 9999\u{202C}", phone), Text("\u{FEFF}+43999\u{200B}9999999\u{AD}", phone),
        Text("tel:+43-999-9999999", phone), Text("TEL:+439999999999", phone),
        Text("＋４３（９９９）９９９．９９９９", phone), Text("+٤٣٩٩٩٩٩٩٩٩٩٩", phone), Text("+۴۳۹۹۹۹۹۹۹۹۹۹", phone),
        Text("+४३ ९९९ ९९९ ९९९९", phone),
        Text("+49 (0) 176 12345678", "+4917612345678"), Text("＋４９［０］１７６１２３４５６７８", "+4917612345678"),
        Text("+39 (0)6 12345678", "+390612345678"),
        Text("0043 999 999 9999", nil), Text("٠٠٤٣٩٩٩٩٩٩٩٩٩٩", nil), Text("0999 9999999", nil),
        Text("439999999999", nil), Text("+47 (0) 912 34 567", nil), Text("+43 999 9999999 ext. 5", nil),
        Text("tel:+439999999999;ext=5", nil), Text("+43999999999#5", nil), Text("+43999999999,5", nil),
        Text("+43+9999999999", nil), Text("+4399999999\u{301}99", nil), Text("+43999999999①", nil),
        Text("+12", nil),
    ]

    package static let codes = [
        Code("plain") { $0 },
        Code("with spaces") { " \($0.prefix(3)) \($0.suffix(3)) " },
        Code("with a dash") { "\($0.prefix(3))-\($0.suffix(3))" },
        Code("with an en dash and a dot") { "\($0.prefix(3))\u{2013}\($0.suffix(3))." },
        Code("in brackets") { "[\($0)]" },
        Code("with a line end") { $0 + "\r\n" },
        Code("with a no-break space") { "\($0.prefix(3))\u{A0}\($0.suffix(3))" },
        Code("with invisible characters") { "\u{2066}\($0)\u{2069}\u{200B}" },
        Code("in Arabic digits") { digits($0, from: 0x660) },
        Code("in Persian digits with a space") { digits("\($0.prefix(3)) \($0.suffix(3))", from: 0x6F0) },
        Code("in Devanagari digits") { digits($0, from: 0x966) },
        Code("in fullwidth digits") { digits($0, from: 0xFF10) },
        Code("empty", isCode: false) { _ in "\u{200B}" },
        Code("too short", isCode: false) { String($0.dropLast()) },
        Code("too long", isCode: false) { $0 + "0" },
        Code("with a letter", isCode: false) { $0.dropLast() + "O" },
        Code("with a sign", isCode: false) { "+" + $0 },
        Code("with a combining mark", isCode: false) { $0 + "\u{301}" },
        Code("with a Roman numeral", isCode: false) { $0.dropLast() + "Ⅵ" },
        Code("with a circled digit", isCode: false) { $0.dropLast() + "①" },
        Code("as a sentence", isCode: false) { "Your code is \($0)" },
        Code("behind many spaces", isCode: false) { String(repeating: "\u{A0}", count: 300) + $0 },
    ]

    package static let passwords = [
        Password("correct-Horse-7", "correct-Horse-7", isSame: true),
        Password("Zürich-Ångström-7", "Zu\u{308}rich-A\u{30A}ngstro\u{308}m-7", isSame: true),
        Password("Zu\u{308}rich-A\u{30A}ngstro\u{308}m-7", "Zürich-Ångström-7", isSame: true),
        Password("A\u{30A}\u{323}-long-secret-7", "A\u{323}\u{30A}-long-secret-7", isSame: true),
        Password("\u{212B}ngstrom-secret-7", "\u{C5}ngstrom-secret-7", isSame: true),
        Password("\u{D55C}글-secret-word-7", "\u{1112}\u{1161}\u{11AB}글-secret-word-7", isSame: true),
        // No other mapping is applied.
        Password("correct-Horse-7", "correct-horse-7", isSame: false),
        Password("correct-Horse-7", "correct-Horse-7 ", isSame: false),
        Password("correct-Horse-7", "correct-Horse-7\n", isSame: false),
        Password("correct-Horse-7", "correct-Horse-\u{FF17}", isSame: false),
        Password("correct-Horse-7", "correct-Horse-\u{667}", isSame: false),
        Password("correct Horse 7", "correct\u{A0}Horse\u{A0}7", isSame: false),
        Password("ﬁne-secret-word-7", "fine-secret-word-7", isSame: false),
        Password("Zürich-secret-7", "Zurich-secret-7", isSame: false),
        Password("correct-Horse-7", "correct-\u{200B}Horse-7", isSame: false),
    ]

    private static let email = "user@example.org"

    package static let emails = [
        Text("user@example.org", email), Text("User@Example.ORG", email),
        Text(" user@example.org\r\n", email),
        Text("\u{A0}user@example.org\u{202F}", email),
        Text("us\u{200B}er@example.org", nil), Text("us er@example.org", nil), Text("user@example", nil),
        Text("user＠example.org", nil), Text("user@example.org, other@example.org", nil),
        Text("user@@example.org", nil), Text("user@192.0.2.1", nil),
    ]

    /// Identifiers that are neither phone numbers nor e-mail addresses.
    package static let names = [
        Text("reader7", "reader7"), Text(" Reader7\n", "reader7"), Text("\u{A0}READER7\t", "reader7"),
        Text("Zoe\u{308}", "zo\u{EB}"), Text("Zo\u{EB}", "zo\u{EB}"),
        Text("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
    ]

    /// Returns a text with its ASCII digits in the script whose zero is given.
    package static func digits(_ text: String, from zero: UInt32) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isDigit = ("0"..."9").contains(scalar)
            scalars.append(isDigit ? Unicode.Scalar(zero + scalar.value - 0x30) ?? scalar : scalar)
        }
        return String(scalars)
    }
}
