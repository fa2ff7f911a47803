import Testing

@testable import LatchkeyLinux

@Suite struct `Commands in desktop files` {
    private static let url = "com.example.shop:/callback?code=%u&state=1"

    /// Parses the value of a key as it is in a file, and returns the program and its arguments.
    private func words(_ value: String) throws -> [String] {
        guard let text = KeyFile.unescaped(value) else { throw ExecLine.Malformed.escape }
        let line = try ExecLine(text)
        let arguments = line.arguments(opening: Self.url, name: "My Shop", icon: "shop", path: "/a b.desktop")
        return [line.program] + arguments
    }

    private static let valid: [(String, [String])] = [
        ("shop %u", ["shop", url]), ("shop %U", ["shop", url]), ("shop %f", ["shop", url]),
        ("shop %F", ["shop", url]), ("/opt/shop -a  -b %u -c", ["/opt/shop", "-a", "-b", url, "-c"]),
        // The URL isn't scanned for field codes, and is the last argument if there is no code.
        ("shop", ["shop", url]), ("shop -a", ["shop", "-a", url]),
        ("shop --url=%u", ["shop", "--url=\(url)"]),
        ("  shop  %u  ", ["shop", url]),
        // Other field codes.
        ("shop %i %u", ["shop", "--icon", "shop", url]), ("shop %c %u", ["shop", "My Shop", url]),
        ("shop -n=%c %u", ["shop", "-n=My Shop", url]), ("shop %k %u", ["shop", "/a b.desktop", url]),
        ("shop 100%% %%u %u", ["shop", "100%", "%u", url]), ("sh%%op %u", ["sh%op", url]),
        (#""100 %%" %u"#, ["100 %", url]), (#"shop "%u""#, ["shop", url]),
        // Deprecated ones.
        ("shop %d %D %n %N %v %m %u", ["shop", url]), ("shop a%mb %u", ["shop", "ab", url]),
        // Quoting.
        (#""/opt/My Shop/run" %u"#, ["/opt/My Shop/run", url]), (#"shop "" %u"#, ["shop", "", url]),
        (#"shop "a b" "c;d*e" %u"#, ["shop", "a b", "c;d*e", url]),
        (##"shop "it's" "~" "#" %u"##, ["shop", "it's", "~", "#", url]),
        // A backslash and a dollar sign in quotes are escaped twice.
        (#"shop "a\\\\b" "\\$HOME" "\\`id\\`" "\\"" %u"#, ["shop", #"a\b"#, "$HOME", "`id`", "\"", url]),
        (#"shop "a\tb\nc\sd" %u"#, ["shop", "a\tb\nc d", url]), (#"shop\s%u"#, ["shop", url]),
        ("shop é %u", ["shop", "é", url]), ("env A=b shop %u", ["env", "A=b", "shop", url]),
    ]

    @Test(arguments: valid)
    func `A command is split as the specification says`(_ value: String, _ expected: [String]) throws {
        #expect(try words(value) == expected)
    }

    private static let malformed: [(String, ExecLine.Malformed)] = [
        ("", .program), ("  ", .program), ("\"\"", .program), ("A=b shop %u", .program),
        (#""a=b" %u"#, .program), ("%u", .program), ("%u shop", .program), ("%c %u", .program),
        ("%i %u", .program), ("sh%cop %u", .program), ("shop %u %u", .codes), ("shop %u %F", .codes),
        ("shop %u--%u", .codes), ("shop %x %u", .code), ("shop %", .code), ("shop % u", .code),
        ("shop %é", .code), ("shop a%U", .code), ("shop %Fb", .code), ("shop a%i", .code),
        (#"sh -c "shop %u""#, .codeInQuotes), (#"sh -c "shop '%U'""#, .codeInQuotes),
        (#"shop "%k " %u"#, .codeInQuotes), (#"shop "a"#, .quote), (#"shop ""#, .quote),
        (#"shop "a"b %u"#, .quote), (#"shop a"b" %u"#, .quote), (#"shop "a\\b""#, .quote),
        (#"shop "a\\"#, .quote), (#"shop "$HOME""#, .reserved), (#"shop "`id`""#, .reserved),
        ("shop $HOME", .reserved), ("shop `id`", .reserved), ("sh -c 'shop %u'", .reserved),
        ("shop; reboot", .reserved), ("shop & reboot", .reserved), ("shop | sh", .reserved),
        ("shop > file", .reserved), ("shop (a)", .reserved), ("shop ~/a", .reserved), ("shop *", .reserved),
        ("shop a?", .reserved), ("shop #a", .reserved), (#"shop a\\b"#, .reserved), (#"shop\t%u"#, .reserved),
        (#"shop\n%u"#, .reserved), ("shop a\0b", .reserved), ("shop \"a\0b\"", .reserved),
        (#"shop \q"#, .escape), (#"shop \"#, .escape), (#"shop "\$""#, .escape),
    ]

    @Test(arguments: malformed)
    func `A command that the specification doesn't define is refused`(
        _ value: String,
        _ reason: ExecLine.Malformed
    ) {
        #expect(throws: reason) { try words(value) }
    }

    private static let written: [[String]] = [
        [], [""], ["a b"], ["$HOME", "`id`", "\"", "'", "\\", "\\\\"], ["%u", "%%", "100%"],
        ["a\tb\nc\rd", " "],
        ["--flag=x;y", "~", "*", "?", "#", "(", ")", "<", ">", "|", "&"], ["é", "\u{1F511}"],
    ]

    @Test(arguments: written)
    func `A command that was written is read with the same words`(_ arguments: [String]) throws {
        let program = "/opt/My $hop 100%/run"
        let value = KeyFile.escaped(ExecLine.text(program: program, arguments: arguments))
        #expect(!value.contains("\n"))
        #expect(try words(value) == [program] + arguments + [Self.url])
    }
}
