import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

/// The operator's command that creates an identity.
struct IdentityCreateCommand: Subcommand {
    let syntax = Syntax(
        name: "identity create",
        summary: "create an identity",
        details: [
            OperatorOptions.detail
                + " Creates business users, for example. The phone number and e-mail address count as verified by the operator.",
            "On a terminal, the command asks for the password without echoing it.",
        ],
        options: [
            Option("schema", "NAME", "The identity schema: customer, business, person or one of your own.")
        ]
            + TraitFlags.all
            + [Option("password-stdin", nil, "Read the password from the first line of standard input.")]
            + OperatorOptions.all,
        takesSettings: true,
        examples: [
            (
                "identity create --schema business --email user@example.com",
                "Create a business user; asks for the password"
            ),
            (
                "identity create --schema business --email user@example.com --password-stdin < password",
                "In a script"
            ),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let schema = try arguments.required("schema")
        let traits = try TraitFlags.laid(arguments)
        let password = try await password(arguments, console)
        let config = JSONValue.object(["config": .object(["password": .string(password.exposed)])])
        let body = JSONValue.object([
            "schema_id": .string(schema),
            "traits": traits,
            "credentials": .object(["password": config]),
            "verify_addresses": .bool(true),
            "check_password": .bool(true),
        ])
        let identity = try await OperatorDesk.open(arguments, console) { desk in
            try await desk.send(.post, AdminRoute.identities, body: body)
        }
        OperatorText.write(identity, arguments, console, OperatorText.identity)
    }

    private func password(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) -> Secret {
        if arguments.has("password-stdin") { return try await console.firstInputLine() }
        return try await console.askTwice("New password:", orGive: "--password-stdin")
    }
}
