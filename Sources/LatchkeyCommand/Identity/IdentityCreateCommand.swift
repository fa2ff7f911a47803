import LatchkeyAdmin
import LatchkeyModel
import LatchkeyWire

/// Creates an identity.
///
/// This is a command for operators.
struct IdentityCreateCommand: Subcommand {
    let syntax = Syntax(
        name: "identity create",
        summary: "create an identity",
        details: [
            OperatorOptions.detail + " A data folder that doesn't exist is created."
                + " Use it to create business users, for example. The phone number and e-mail address are treated as verified by the operator.",
            "On a terminal, the command asks for the password without echoing it.",
        ],
        options: [
            Option(
                "schema",
                value: "NAME",
                help: "The identity schema, such as customer, business, person or one of your own."
            )
        ]
            + TraitFlags.all
            + [Option("password-stdin", help: "Read the password from the first line of standard input.")]
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

    /// Creates an identity with a password and prints it.
    ///
    /// The password must satisfy the schema's password policy. If the server has a list of breached
    /// passwords, the password must not be on it. All verifiable addresses are marked as verified.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if a flag is missing or invalid. Flags are checked
    ///   before the data is opened. The code is `refused` if the traits or the password are invalid, or if
    ///   another identity already uses the identifier.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let schema = try arguments.required("schema")
        let traits = try TraitFlags.merge(arguments)
        let password = try await password(from: arguments, console: console)
        let config = JSONValue.object(["config": .object(["password": .string(password.exposed)])])
        let body = JSONValue.object([
            "schema_id": .string(schema),
            "traits": traits,
            "credentials": .object(["password": config]),
            "verify_addresses": .bool(true),
            "check_password": .bool(true),
        ])
        let identity = try await AdminClient.withClient(
            for: arguments,
            console: console,
            createsData: true
        ) { client in
            try await client.send(.post, path: AdminRoute.identities, body: body)
        }
        console.write(identity, asJSON: arguments.has("json"), format: OperatorText.identity)
    }

    /// Reads the password from standard input if `--password-stdin` is given.
    ///
    /// If the flag isn't given, asks the user to enter the password twice.
    private func password(from arguments: Arguments, console: Console) async throws(CommandFailure) -> Secret
    {
        if arguments.has("password-stdin") { return try await console.firstInputLine() }
        return try await console.askTwice("New password:", flag: "--password-stdin")
    }
}
