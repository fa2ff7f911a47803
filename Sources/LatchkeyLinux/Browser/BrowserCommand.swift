/// A command from the environment variable `BROWSER`.
///
/// The variable is a list of commands that are separated by colons. In a command, `%s` stands for the address, `%c` for
/// a colon and `%%` for a percent sign. If a command doesn't contain `%s`, the address is its last argument. Words can
/// be quoted as in a shell, but variables and patterns aren't expanded.
struct BrowserCommand: Hashable, Sendable {
    /// The program's name or path.
    let program: String
    private let words: [Word]

    /// An argument, and whether a part of it is quoted.
    private struct Word: Hashable, Sendable {
        var text = ""
        var isQuoted = false
    }

    /// Returns the commands of a list, without those that can't be used.
    static func list(_ text: String) -> [BrowserCommand] {
        var reader = Reader()
        for character in text.unicodeScalars { reader.read(character) }
        return reader.finished().compactMap { BrowserCommand($0) }
    }

    private init?(_ words: [Word]) {
        guard let first = words.first, !first.text.isEmpty, !Self.hasAddress(first.text) else { return nil }
        // The address as a part of a longer quoted word would be interpreted, such as by the shell in
        // `sh -c "exec browser %s"`.
        let isUnsafe = { (word: Word) in word.isQuoted && word.text != "%s" && Self.hasAddress(word.text) }
        guard !words.contains(where: isUnsafe) else { return nil }
        program = Self.expanded(first.text, address: "")
        self.words = Array(words.dropFirst())
    }

    /// Returns the arguments with which the program opens an address.
    func arguments(opening address: String) -> [String] {
        let arguments = words.map { Self.expanded($0.text, address: address) }
        return words.contains { Self.hasAddress($0.text) } ? arguments : arguments + [address]
    }

    private static func hasAddress(_ word: String) -> Bool {
        expanded(word, address: "a") != expanded(word, address: "")
    }

    private static func expanded(_ word: String, address: String) -> String {
        var (result, isCode) = ("", false)
        for character in word {
            switch (isCode, character) {
            case (false, "%"): isCode = true
            case (false, _): result.append(character)
            case (true, "s"): (result, isCode) = (result + address, false)
            case (true, "c"): (result, isCode) = (result + ":", false)
            case (true, "%"): (result, isCode) = (result + "%", false)
            case (true, _): (result, isCode) = (result + "%\(character)", false)
            }
        }
        return isCode ? result + "%" : result
    }

    /// Splits a list into the words of its commands.
    private struct Reader {
        private var commands: [[Word]] = []
        private var words: [Word] = []
        private var word: Word?
        private var quote: Unicode.Scalar?
        private var isEscaped = false

        mutating func read(_ character: Unicode.Scalar) {
            if isEscaped {
                isEscaped = false
                append(character, isQuoted: true)
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let quote {
                if character == quote { self.quote = nil } else { append(character) }
            } else {
                switch character {
                case "'", "\"":
                    quote = character
                    word = Word(text: word?.text ?? "", isQuoted: true)
                case " ", "\t", "\n": endWord()
                case ":": endCommand()
                default: append(character)
                }
            }
        }

        private mutating func append(_ character: Unicode.Scalar, isQuoted: Bool = false) {
            let old = word ?? Word()
            word = Word(text: old.text + String(character), isQuoted: old.isQuoted || isQuoted)
        }

        private mutating func endWord() {
            if let word { words.append(word) }
            word = nil
        }

        private mutating func endCommand() {
            endWord()
            commands.append(words)
            words = []
        }

        /// Returns the commands, without one that ends within quotes.
        mutating func finished() -> [[Word]] {
            if quote == nil, !isEscaped { endCommand() }
            return commands
        }
    }
}
