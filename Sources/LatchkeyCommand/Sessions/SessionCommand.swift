import LatchkeyAdmin
import LatchkeyWire

/// The operator's command that shows or extends a session.
struct SessionCommand: Subcommand {
    let syntax: Syntax
    private let isExtension: Bool

    static let get = SessionCommand(word: "get", summary: "show a session", isExtension: false)
    static let extend = SessionCommand(
        word: "extend",
        summary: "extend a session as if it had just begun",
        isExtension: true
    )

    private init(word: String, summary: String, isExtension: Bool) {
        self.isExtension = isExtension
        syntax = Syntax(
            name: "sessions \(word)",
            summary: summary,
            details: [OperatorOptions.detail],
            operands: ["SESSION"],
            options: OperatorOptions.all,
            takesSettings: true,
            examples: [("sessions \(word) 9a8cbfb3-87bd-4087-b48d-2569b1b43386", "By id")]
        )
    }

    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let path = AdminRoute.sessions + "/" + QueryItems.encode(arguments.operands[0])
        let session = try await AdminClient.withClient(for: arguments, console: console) { client in
            guard isExtension else {
                return try await client.send(
                    .get,
                    path: path,
                    query: [("expand", "identity"), ("expand", "devices")]
                )
            }
            return try await client.send(.patch, path: path + "/extend")
        }
        console.write(session, asJSON: arguments.has("json"), format: OperatorText.session)
    }
}
