import Latchkey

/// Recovers an account with a code and sets a new password.
struct RecoverCommand: Subcommand {
    let syntax = Syntax(
        name: "recover",
        summary: "log in with a code and set a new password",
        details: [
            "Sends a code to a recovery address of the account. The new session replaces the existing one on this device. All other sessions of the account are revoked.",
            "Requires a terminal.",
        ],
        options: ClientOptions.all,
        examples: [("recover", "Ask for the address, the code and the new password")]
    )

    /// Guides the user through a recovery and prints the session.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if there is no terminal, or any error thrown by
    ///   ``FormDialog/session(from:schema:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        guard let dialog = FormDialog(client, on: console) else {
            throw CommandFailure(.usage, message: "account recovery requires a terminal")
        }
        let session = try await dialog.session(from: .recovery)
        SessionText.write(session, after: "Logged in.", arguments: arguments, to: console)
    }
}
