import LatchkeyAdmin
import LatchkeyModel
import LatchkeyWire

/// Registers an OAuth client.
///
/// This is a command for operators.
struct ClientCreateCommand: Subcommand {
    let syntax = Syntax(
        name: "client create",
        summary: "register an OAuth client",
        details: [
            OperatorOptions.detail,
            "A client with a secret gets a random one, which is printed once and cannot be read again.",
        ],
        options: [
            Option("id", value: "ID", help: "The client's ID. Default: a random UUID."),
            Option(
                "native",
                help:
                    "Register an app without a secret. Its redirect URI has a scheme of its own: the issuer's host in reverse order and the client's ID."
            ),
            Option("issuer", value: "URL", help: "The server's public URL, for --native. Default: url."),
        ] + ClientFlags.all + OperatorOptions.all,
        takesSettings: true,
        examples: [
            (
                "client create --name Shop --redirect-uris https://shop.example.com/callback",
                "A web application; prints its secret"
            ),
            ("client create --id shop-app --native", "An app"),
        ]
    )

    /// Registers the client and prints it.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if a flag is invalid, or `refused` if the metadata
    ///   is invalid or the id is taken.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        var members = try await ClientFlags.members(arguments)
        if let id = arguments["id"] { members["client_id"] = .string(id) }
        if arguments.has("native") {
            try makeNative(&members, at: try NativeScheme.serverURL(for: arguments, console: console))
        }
        let body = JSONValue.object(members)
        var client = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.send(.post, path: AdminRoute.clients, body: body)
        }
        ClientFlags.warnAboutShortSchemes(of: client, on: console)
        if arguments["secret-file"] != nil { client = client.without("client_secret") }
        console.write(client, asJSON: arguments.has("json"), format: ClientText.client)
    }

    private func makeNative(
        _ members: inout [String: JSONValue],
        at url: String
    ) throws(CommandFailure) {
        guard [nil, .string("none")].contains(members["token_endpoint_auth_method"]),
            members["client_secret"] == nil
        else { throw CommandFailure(.usage, message: "a client with --native has no secret") }
        let id = members["client_id"]?.text ?? Identifier().description
        members["client_id"] = .string(id)
        members["token_endpoint_auth_method"] = .string("none")
        members["application_type"] = .string("native")
        let defaults: [String: JSONValue] = [
            "id_token_signed_response_alg": .string("ES256"),
            "grant_types": .array([.string("authorization_code"), .string("refresh_token")]),
        ]
        members.merge(defaults) { own, _ in own }
        let redirect = JSONValue.string(try NativeScheme.scheme(of: id, at: url) + ":/callback")
        members["redirect_uris"] = .array([redirect] + (members["redirect_uris"]?.arrayElements ?? []))
    }
}

extension JSONValue {
    /// Returns an object without one of its members.
    func without(_ name: String) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[name] = nil
        return .object(members)
    }
}
