import LatchkeyWire

/// Shows an OAuth client.
///
/// This is a command for operators, available as both `get` and `show`.
struct ClientGetCommand: Subcommand {
    let syntax: Syntax

    /// Creates the command `client get`, or its alias `client show`.
    init(_ word: String) {
        syntax = Syntax(
            name: "client \(word)",
            summary: word == "get" ? "show an OAuth client" : "show an OAuth client (alias of get)",
            details: [OperatorOptions.detail, "The client's secret cannot be read again."],
            operands: ["CLIENT"],
            options: OperatorOptions.all,
            takesSettings: true,
            examples: [("client \(word) shop-app --json", "With all members")]
        )
    }

    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let path = try ClientFlags.path(of: arguments.operands[0])
        let client = try await AdminClient.withClient(for: arguments, console: console) { client in
            try await client.sendToClient(.get, path: path)
        }
        console.write(client, asJSON: arguments.has("json"), format: ClientText.client)
    }
}

extension AdminClient {
    /// Sends a request about a client and returns the JSON body of the response.
    ///
    /// - Throws: ``CommandFailure`` with the code `failed` if there is no such client.
    func sendToClient(
        _ method: HTTP.Method,
        path: String,
        body: JSONValue? = nil
    ) async throws(CommandFailure) -> JSONValue {
        let bytes = body.flatMap { try? JSONCoding.encode($0) } ?? []
        let response = try await response(method, path: path, body: bytes)
        guard response.status != 404 else {
            throw CommandFailure(
                .failed,
                message: "no client has this ID",
                hint: "run latchkey client list; select the server with --data, --config or --admin-url"
            )
        }
        guard (200..<300).contains(response.status) else { throw CommandFailure(refusal: response) }
        guard !response.body.isEmpty else { return .null }
        do {
            return try JSONCoding.decode(from: response.body)
        } catch {
            throw CommandFailure(
                .failed,
                message: "the server's response is not valid JSON",
                hint: "is this the URL of the admin listener?"
            )
        }
    }
}
