import Testing

@testable import LatchkeyCommand

@Suite struct `Argument parser` {
    static let syntax = Syntax(
        name: "try",
        summary: "tries",
        operands: ["NAME"],
        options: [
            Option("server", value: "URL", help: "The server."),
            Option("phone", value: "NUMBER", help: "The phone."),
            Option("json", help: "JSON."),
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
    func `Operands, flags with a value and flags without a value are distinguished`(
        words: [String],
        operand: String,
        server: String?,
        phone: String?,
        json: Bool
    )
        throws
    {
        let arguments = try Arguments(words, for: Self.syntax)

        #expect(arguments.operands == [operand])
        #expect(arguments["server"] == server)
        #expect(arguments["phone"] == phone)
        #expect(arguments.has("json") == json)
    }

    static let rejected: [(words: [String], message: String, hint: String?)] = [
        ([], "missing argument NAME", nil),
        (["a", "b"], "unexpected argument 'b'", nil),
        (["n", "--server"], "flag --server requires a value: --server URL", nil),
        (["n", "--server", "--json"], "flag --server requires a value: --server URL", nil),
        (["n", "--json=1"], "flag --json does not accept a value", nil),
        (["n", "--json", "--json"], "flag --json was given more than once", nil),
        (["n", "--server", "a", "--server=b"], "flag --server was given more than once", nil),
        (["n", "--sever", "a"], "unknown flag --sever for latchkey try", "did you mean --server?"),
        (["n", "--sever=a"], "unknown flag --sever for latchkey try", "did you mean --server?"),
        (["n", "--hlep"], "unknown flag --hlep for latchkey try", "did you mean --help?"),
        (["n", "--something-else"], "unknown flag --something-else for latchkey try", nil),
        (["n", "-x"], "unknown flag -x for latchkey try", nil),
    ]

    @Test(arguments: rejected)
    func `Unknown, repeated, missing and extra arguments are rejected`(
        words: [String],
        message: String,
        hint: String?
    ) {
        let failure = #expect(throws: CommandFailure.self) { try Arguments(words, for: Self.syntax) }

        #expect(failure?.code == .usage)
        #expect(failure?.message == message)
        #expect(failure?.hint == hint)
    }

    @Test func `The error for a missing required flag contains its name`() throws {
        let arguments = try Arguments(["n"], for: Self.syntax)

        let failure = #expect(throws: CommandFailure.self) { try arguments.required("server") }

        #expect(failure?.message == "missing required flag --server")
    }
}
