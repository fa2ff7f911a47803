import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

/// Makes an identity, as an operator.
struct IdentityCreateCommand: Subcommand {
    let syntax = Syntax(
        name: "identity create",
        summary: "make an identity, on the server's data",
        details: [
            "Works on the data of the configuration, whether or not a server runs on it. Business users are made this way; the operator vouches for phone number and address.",
            "On a terminal the password is asked for and does not appear.",
        ],
        options: [
            Option("schema", "NAME", "Its identity schema: customer, business, person or one of your own."),
            Option("email", "ADDRESS", "Its e-mail address."),
            Option("phone", "NUMBER", "Its phone number, with + and the country code."),
            Option("first", "NAME", "The given name."),
            Option("last", "NAME", "The family name."),
            Option(
                "traits",
                "JSON",
                "All its traits, for schemas of your own; the flags above are laid over it."
            ),
            Option("password-stdin", nil, "Take the password from the first line of the standard input."),
            Option("json", nil, "Print JSON."),
        ] + ConfigurationOptions.all,
        examples: [
            (
                "identity create --schema business --email user@example.com",
                "A business user; asks for the password"
            ),
            (
                "identity create --schema business --email user@example.com --password-stdin < password",
                "In a script"
            ),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let schema = try arguments.required("schema")
        let traits = try traits(arguments)
        let password = try await password(arguments, console)
        let identity = try await IdentityDesk.open(arguments, console) { desk in
            desk.json(try await desk.create(schema, traits: traits, password: password))
        }
        IdentityDesk.write(identity, arguments, console)
    }

    private func traits(_ arguments: Arguments) throws(CommandFailure) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if let text = arguments["traits"] {
            guard case .object(let given)? = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8))
            else {
                throw CommandFailure(.usage, "--traits is not a JSON object")
            }
            members = given
        }
        if let email = arguments["email"] { members["email"] = .string(email) }
        if let phone = arguments["phone"] {
            guard let number = PhoneNumber(phone) else {
                throw CommandFailure(
                    .usage,
                    "--phone starts with + and the country code and has 7 to 15 digits"
                )
            }
            members["phone"] = .string(number.e164)
        }
        let name = ["first": arguments["first"], "last": arguments["last"]].compactMapValues { $0 }
        if !name.isEmpty { members["name"] = .object(name.mapValues { .string($0) }) }
        return .object(members)
    }

    private func password(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) -> Secret {
        if arguments.has("password-stdin") { return try await console.firstInputLine() }
        return try await console.askTwice("Password to choose:", orGive: "--password-stdin")
    }
}
