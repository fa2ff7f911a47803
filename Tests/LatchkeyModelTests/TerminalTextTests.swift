import LatchkeyModel
import Testing

@Suite struct `Text on a terminal` {
    @Test(arguments: [
        ("", ""), ("Zoë 日本 👍", "Zoë 日本 👍"), ("a\tb\nc\r\nd\u{85}e\u{2028}f\u{2029}g", "a b c  d e f g"),
        ("\u{1B}[2J\u{7}\u{8}\u{7F}x", "[2Jx"), ("\u{9B}31m\u{9D}0;t\u{9C}\u{90}q", "31m0;tq"),
        ("a\u{202E}b\u{2066}c\u{2069}d\u{200F}e\u{61C}f", "abcdef"),
        ("a\u{200B}\u{FEFF}\u{AD}\u{E0041}\u{E000}b", "ab"),
    ])
    func `A line has no control characters and no invisible characters`(text: String, shown: String) {
        #expect(TerminalText(text).text == shown)
        #expect(text.displayable == shown)
    }

    @Test(arguments: [
        (#"{"a":"Zoë"}"#, #"{"a":"Zoë"}"#),
        ("{\"a\":\"\u{7F}\u{9B}\u{202E}\u{2066}\u{2028}\"}", #"{"a":"\u007f\u009b\u202e\u2066\u2028"}"#),
        ("\"\u{E0041}\"", #""\udb40\udc41""#),
    ])
    func `JSON keeps its value`(text: String, shown: String) {
        #expect(TerminalText(json: text).text == shown)
    }

    @Test func `Only the program's own control sequences are written`() {
        let line = TerminalText(.clearLine) + TerminalText("\u{1B}[2J…\n") + TerminalText(.newLine)

        #expect(line.text == "\r\u{1B}[K[2J… \n")
    }

    @Test func `Long texts from servers are truncated, but lines are not`() {
        let long = String(repeating: "a", count: 3000)

        #expect(long.displayable.count == 2000)
        #expect(TerminalText(long).text == long)
    }
}
