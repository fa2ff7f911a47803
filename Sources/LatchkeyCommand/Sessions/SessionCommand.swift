import LatchkeyServerCore
import LatchkeyWire

/// The operator's command that shows or extends a session.
struct SessionCommand: Subcommand {
    let syntax: Syntax
    private let isExtension: Bool

    static let get = SessionCommand("get", "show a session", isExtension: false)
    static let extend = SessionCommand(
        "extend",
        "extend a session as if it had just begun",
        isExtension: true
    )

    private init(_ word: String, _ summary: String, isExtension: Bool) {
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

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let path = AdminRoute.sessions + "/" + QueryItems.encode(arguments.operands[0])
        let session = try await OperatorDesk.open(arguments, console) { desk in
            guard isExtension else {
                return try await desk.send(
                    .get,
                    path,
                    query: [("expand", "identity"), ("expand", "devices")]
                )
            }
            return try await desk.send(.patch, path + "/extend")
        }
        OperatorText.write(session, arguments, console, OperatorText.session)
    }
}
