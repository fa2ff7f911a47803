import Latchkey
import LatchkeyCore

/// Changes the password, the addresses and other data of the user's account.
struct SettingsCommand: Subcommand {
    let syntax = Syntax(
        name: "settings",
        summary: "change the account of the logged-in user",
        details: [
            "Shows the account's data and asks for changes. The server may ask the user to log in again before sensitive changes.",
            "Requires a terminal.",
        ],
        options: ClientOptions.all,
        examples: [("settings", "Change the account's data or password")]
    )

    /// Guides the user through the settings form.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if there is no terminal, `refused` if the user
    ///   isn't logged in, or any error thrown by ``FormDialog/outcome(of:schema:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        guard let dialog = FormDialog(client, on: console) else {
            throw CommandFailure(.usage, message: "changing the settings requires a terminal")
        }
        guard case .completed = try await dialog.outcome(of: .settings) else {
            throw CommandFailure(.refused, message: "the settings were not saved")
        }
        console.write("Saved.")
    }
}
