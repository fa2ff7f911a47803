import LatchkeyModel
import LatchkeyWire

/// Gives an OAuth client a new secret, while its earlier one stays valid for some time.
///
/// This is a command for operators.
struct ClientRotateSecretCommand: Subcommand {
    let syntax = Syntax(
        name: "client rotate-secret",
        summary: "replace the secret of an OAuth client",
        details: [
            OperatorOptions.detail,
            "The new secret is printed once. The earlier secret stays valid, so that the client's servers can be changed one by one.",
        ],
        operands: ["CLIENT"],
        options: [
            ClientFlags.secretFile,
            Option(
                "overlap",
                value: "DURATION",
                help: "How long the earlier secret stays valid, such as 1h or 0s. Default: 24h."
            ),
            Option(
                "finish",
                help: "Create no new secret, but make the secret before the last rotation invalid at once."
            ),
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            ("client rotate-secret shop --overlap 2h", "Print the new secret"),
            ("client rotate-secret shop --finish", "When all servers have the new secret"),
        ]
    )

    /// Replaces the secret and prints the client with its new secret.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if the client doesn't exist, or `refused` if it has
    ///   no secret or a value is invalid.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let path = try ClientFlags.path(of: arguments.operands[0]) + "/secrets/rotate"
        let isEnd = arguments.has("finish")
        guard !isEnd || (arguments["overlap"] == nil && arguments["secret-file"] == nil) else {
            throw CommandFailure(.usage, message: "--finish cannot be combined with other changes")
        }
        var members: [String: JSONValue] = [:]
        if let overlap = arguments["overlap"] { members["previous_secret_lifespan"] = .string(overlap) }
        if let secret = try await ClientFlags.secret(arguments) {
            members["client_secret"] = .string(secret.exposed)
        }
        let body = isEnd ? nil : JSONValue.object(members)
        var client = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.sendToClient(isEnd ? .delete : .post, path: path, body: body)
        }
        if arguments["secret-file"] != nil { client = client.without("client_secret") }
        console.write(client, asJSON: arguments.has("json"), format: ClientText.client)
    }
}
