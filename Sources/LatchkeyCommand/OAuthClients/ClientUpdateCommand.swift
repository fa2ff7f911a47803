import LatchkeyWire

/// Changes an OAuth client.
///
/// This is a command for operators.
struct ClientUpdateCommand: Subcommand {
    let syntax = Syntax(
        name: "client update",
        summary: "change an OAuth client",
        details: [
            OperatorOptions.detail,
            "Members that aren't given stay the same. With --secret-file, earlier secrets become invalid at once; use latchkey client rotate-secret to replace a secret that is in use.",
        ],
        operands: ["CLIENT"],
        options: ClientFlags.all + [
            Option(
                "disabled",
                value: "true|false",
                help: "Whether the client is disabled, which ends its grants."
            )
        ] + OperatorOptions.all,
        takesSettings: true,
        examples: [
            (
                "client update shop --redirect-uris https://shop.example.com/callback",
                "Replace the redirect URIs"
            ),
            ("client update shop --disabled true", "End all grants and refuse new ones"),
        ]
    )

    /// Changes the client with a single JSON patch and prints the result.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if no changes were given or a flag is invalid,
    ///   `failed` if the client doesn't exist, or `refused` if the metadata is invalid.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let path = try ClientFlags.path(of: arguments.operands[0])
        var members = try await ClientFlags.members(arguments)
        var own = members["latchkey"]?.objectMembers ?? [:]
        if members["latchkey"]?.objectMembers != nil { members["latchkey"] = nil }
        if let isDisabled = try ClientFlags.bool("disabled", in: arguments) {
            own["disabled"] = .bool(isDisabled)
        }
        let changes =
            members.map { ("/" + Self.escaped($0.key), $0.value) }
            + own.map { ("/latchkey/" + Self.escaped($0.key), $0.value) }
        guard !changes.isEmpty else { throw CommandFailure(.usage, message: "no changes were given") }
        let patch = changes.sorted { $0.0 < $1.0 }.map { path, value in
            JSONValue.object(["op": .string("add"), "path": .string(path), "value": value])
        }
        var client = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.sendToClient(.patch, path: path, body: .array(patch))
        }
        ClientFlags.warnAboutShortSchemes(of: client, on: console)
        if arguments["secret-file"] != nil { client = client.without("client_secret") }
        console.write(client, asJSON: arguments.has("json"), format: ClientText.client)
    }

    /// Escapes a member's name for a JSON pointer (RFC 6901, section 3).
    private static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
