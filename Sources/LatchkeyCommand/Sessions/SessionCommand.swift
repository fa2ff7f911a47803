import LatchkeyAdmin
import LatchkeyWire

/// Shows or extends a session.
///
/// This is a command for operators.
struct SessionCommand: Subcommand {
    let syntax: Syntax
    /// Whether to extend the session before showing it.
    private let isExtension: Bool

    /// Shows a session without changing it.
    static let get = SessionCommand(word: "get", summary: "show a session", isExtension: false)
    /// Extends a session so that it lasts for a full session lifespan from now.
    ///
    /// If the session has expired, has been revoked or is provisional, it is shown unchanged and no error is
    /// reported.
    static let extend = SessionCommand(
        word: "extend",
        summary: "extend a session as if it had just started",
        isExtension: true
    )

    /// Creates the command for showing or for extending a session.
    ///
    /// `word` is the second word of the command name.
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
    /// - Throws: ``CommandFailure`` with the code `failed` if the session doesn't exist, or `refused` if the
    ///   operand isn't a UUID.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let path = try AdminClient.path(ofSession: arguments.operands[0])
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
