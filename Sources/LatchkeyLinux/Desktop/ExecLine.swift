/// The command in a desktop file (Desktop Entry Specification 1.5, section 7).
///
/// The specification's rules are applied strictly: a line that isn't defined by them isn't started, because
/// URLs come from other programs.
struct ExecLine: Hashable, Sendable {
    /// The program's name or path.
    let program: String
    private let arguments: [Argument]

    /// The reason why a line can't be used.
    enum Malformed: Error, Hashable, CustomStringConvertible {
        case escape, quote, reserved, code, codeInQuotes, codes, program

        var description: String {
            switch self {
            case .escape: "it has an undefined escape sequence"
            case .quote: "a quote doesn't begin or end at a space"
            case .reserved: "a reserved character isn't quoted"
            case .code: "it has an undefined or misplaced field code"
            case .codeInQuotes: "it has a field code in quotes"
            case .codes: "it has more than one field code for URLs"
            case .program: "it has no program, or its name contains an equals sign or a field code"
            }
        }
    }

    private enum Argument: Hashable, Sendable {
        case parts([Part])
        case icon
    }

    private enum Part: Hashable, Sendable {
        case text(String)
        case url
        case name
        case path
    }

    /// Parses a command.
    ///
    /// - Parameter line: The value of the key `Exec`, without the escapes of values of the type string.
    /// - Throws: `Malformed`.
    init(_ line: String) throws(Malformed) {
        var arguments: [Argument] = []
        for word in try Self.words(of: line) {
            if let argument = try Self.argument(word) { arguments.append(argument) }
        }
        // The program isn't given by a field code.
        guard case .parts(let parts)? = arguments.first, case .text(let program)? = parts.first,
            parts.count == 1, !program.isEmpty, !program.contains("=")
        else { throw .program }
        let urls = arguments.map { argument in
            if case .parts(let parts) = argument { parts.count { $0 == .url } } else { 0 }
        }
        guard urls.reduce(0, +) <= 1 else { throw .codes }
        self.program = program
        self.arguments = Array(arguments.dropFirst())
    }

    /// Returns the arguments of the program.
    ///
    /// - Parameters:
    ///   - url: The URL, which is one argument or a part of one. If the command has no code for URLs, it is the last
    ///     argument, as with other launchers.
    ///   - name: The app's name.
    ///   - icon: The app's icon, or an empty text.
    ///   - path: The path of the desktop file.
    /// - Returns: The arguments after the program's name.
    func arguments(opening url: String, name: String, icon: String, path: String) -> [String] {
        var result: [String] = []
        var isOpened = false
        for argument in arguments {
            switch argument {
            case .icon: result += icon.isEmpty ? [] : ["--icon", icon]
            case .parts(let parts):
                isOpened = isOpened || parts.contains(.url)
                result.append(
                    parts.map { part in
                        switch part {
                        case .text(let text): text
                        case .url: url
                        case .name: name
                        case .path: path
                        }
                    }.joined()
                )
            }
        }
        return isOpened ? result : result + [url]
    }

    // MARK: Parsing

    private struct Word {
        var text = ""
        var isQuoted = false
    }

    /// The characters that are allowed only in quotes.
    private static let reserved = Set(" \t\n\"'\\><~|&;$*?#()`".unicodeScalars)

    private static func words(of line: String) throws(Malformed) -> [Word] {
        var words: [Word] = []
        var rest = line.unicodeScalars[...]
        while true {
            rest = rest.drop { $0 == " " }
            guard let first = rest.first else { return words }
            var word = Word()
            if first == "\"" {
                rest.removeFirst()
                word = Word(text: try quoted(&rest), isQuoted: true)
                guard rest.first == nil || rest.first == " " else { throw .quote }
            } else {
                while let scalar = rest.first, scalar != " " {
                    guard scalar != "\"" else { throw .quote }
                    guard !reserved.contains(scalar), scalar != "\0" else { throw .reserved }
                    word.text.unicodeScalars.append(scalar)
                    rest.removeFirst()
                }
            }
            words.append(word)
        }
    }

    /// Reads until the end of a quoted argument.
    private static func quoted(_ rest: inout Substring.UnicodeScalarView) throws(Malformed) -> String {
        var text = ""
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return text
            case "\\":
                guard let next = rest.popFirst(), isEscapedInQuotes(next) else { throw .quote }
                text.unicodeScalars.append(next)
            case _ where isEscapedInQuotes(scalar), "\0": throw .reserved
            default: text.unicodeScalars.append(scalar)
            }
        }
        throw .quote
    }

    private static func isEscapedInQuotes(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "`" || scalar == "$" || scalar == "\\"
    }

    /// Parses the field codes of a word.
    ///
    /// Returns `nil` if the word consists of deprecated codes, which are removed.
    private static func argument(_ word: Word) throws(Malformed) -> Argument? {
        // A list of URLs and an icon can be more than one argument, so they can't be parts of one.
        if word.text == "%i" { return .icon }
        if word.text == "%U" || word.text == "%F" { return .parts([.url]) }
        var parts: [Part] = []
        var isDeprecated = false
        var rest = word.text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                append(String(scalar), to: &parts)
                continue
            }
            let code = rest.popFirst()
            if code == "%" {
                append("%", to: &parts)
                continue
            }
            // In a longer quoted argument, such as the script of `sh -c`, a URL would be interpreted.
            guard !word.isQuoted || word.text.utf8.count == 2 else { throw .codeInQuotes }
            switch code {
            case "u", "f": parts.append(.url)
            case "c": parts.append(.name)
            case "k": parts.append(.path)
            case "d", "D", "n", "N", "v", "m": isDeprecated = true
            default: throw .code
            }
        }
        if parts.isEmpty, isDeprecated { return nil }
        return .parts(parts.isEmpty ? [.text("")] : parts)
    }

    private static func append(_ text: String, to parts: inout [Part]) {
        if case .text(let last)? = parts.last {
            parts[parts.count - 1] = .text(last + text)
        } else {
            parts.append(.text(text))
        }
    }

    // MARK: Writing

    /// Returns the command that starts a program with arguments and a URL.
    ///
    /// It is the value of the key `Exec`, before the escapes of values of the type string.
    static func text(program: String, arguments: [String]) -> String {
        ([program] + arguments).map { quoted($0) }.joined(separator: " ") + " %u"
    }

    private static func quoted(_ argument: String) -> String {
        let text = argument.replacing("%", with: "%%")
        guard text.isEmpty || text.unicodeScalars.contains(where: reserved.contains) else { return text }
        var result = "\""
        for scalar in text.unicodeScalars {
            if isEscapedInQuotes(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
