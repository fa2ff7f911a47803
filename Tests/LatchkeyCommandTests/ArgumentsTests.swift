import Testing

@testable import LatchkeyCommand

@Suite struct `The arguments of a command` {
    static let syntax = Syntax(
        name: "try",
        summary: "tries",
        operands: ["NAME"],
        options: [
            Option("server", "URL", "The server."), Option("phone", "NUMBER", "The phone."),
            Option("json", nil, "JSON."),
        ]
    )

    static let accepted: [(words: [String], operand: String, server: String?, phone: String?, json: Bool)] = [
        (["n"], "n", nil, nil, false),
        (["n", "--server", "s"], "n", "s", nil, false),
        (["--server", "s", "n"], "n", "s", nil, false),
        (["--server=s", "n"], "n", "s", nil, false),
        (["--server=a=b", "n"], "n", "a=b", nil, false),
        (["--server=", "n"], "n", "", nil, false),
        (["--server=--x", "n"], "n", "--x", nil, false),
        (["--phone", "-1", "--json", "n"], "n", nil, "-1", true),
        (["--json", "--", "--server"], "--server", nil, nil, true),
        (["-"], "-", nil, nil, false),
        ([""], "", nil, nil, false),
    ]

    @Test(arguments: accepted)
    func `are sorted out`(words: [String], operand: String, server: String?, phone: String?, json: Bool)
        throws
    {
        let arguments = try Arguments(words, for: Self.syntax)

        #expect(arguments.operands == [operand])
        #expect(arguments["server"] == server)
        #expect(arguments["phone"] == phone)
        #expect(arguments.has("json") == json)
    }

    static let refused: [(words: [String], message: String, hint: String?)] = [
        ([], "NAME is missing", nil),
        (["a", "b"], "\"b\" is one word too many", nil),
        (["n", "--server"], "--server needs a value: --server URL", nil),
        (["n", "--server", "--json"], "--server needs a value: --server URL", nil),
        (["n", "--json=1"], "--json takes no value", nil),
        (["n", "--json", "--json"], "--json is given twice", nil),
        (["n", "--server", "a", "--server=b"], "--server is given twice", nil),
        (["n", "--sever", "a"], "latchkey try has no flag --sever", "did you mean --server?"),
        (["n", "--sever=a"], "latchkey try has no flag --sever", "did you mean --server?"),
        (["n", "--hlep"], "latchkey try has no flag --hlep", "did you mean --help?"),
        (["n", "--something-else"], "latchkey try has no flag --something-else", nil),
        (["n", "-x"], "latchkey try has no flag -x", nil),
    ]

    @Test(arguments: refused)
    func `are refused when the command does not take them`(words: [String], message: String, hint: String?) {
        let failure = #expect(throws: CommandFailure.self) { try Arguments(words, for: Self.syntax) }

        #expect(failure?.code == .usage)
        #expect(failure?.message == message)
        #expect(failure?.hint == hint)
    }

    @Test func `that must be given are missed by name`() throws {
        let arguments = try Arguments(["n"], for: Self.syntax)

        let failure = #expect(throws: CommandFailure.self) { try arguments.required("server") }

        #expect(failure?.message == "--server is missing")
    }
}
