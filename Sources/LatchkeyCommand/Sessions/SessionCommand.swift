import LatchkeyAdmin
import LatchkeyWire

/// The operator's command that shows or extends a session.
struct SessionCommand: Subcommand {
    let syntax: Syntax
    /// Whether the session is extended before it is shown.
    private let isExtension: Bool

    /// The command that shows a session without changing it.
    static let get = SessionCommand(word: "get", summary: "show a session", isExtension: false)
    /// The command that extends a session by a full lifespan from now.
    ///
    /// A session that is expired, revoked or provisional is shown unchanged, without an error.
    static let extend = SessionCommand(
        word: "extend",
        summary: "extend a session as if it had just begun",
        isExtension: true
    )

    /// Creates one of the two commands, with `word` as the second word of its name.
    private init(word: String, summary: String, isExtension: Bool) {
        self.isExtension = isExtension
        syntax = Syntax(
            name: "sessions \(word)",
            summary: summary,
            details: [OperatorOptions.detail],
            operands: ["SESSION"],
            options: OperatorOptions.all,
            takesSettings: true,
            examples: [("sessions \(word) 9a8cbfb3-87bd-4087-b48d-2569b1b43386", "By ID")]
        )
    }

    /// Prints the session with its identity and its devices.
    ///
    /// - Throws: ``CommandFailure`` of the kind `failed` if there is no such session, or `refused` if the
    ///   operand is not a UUID.
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
