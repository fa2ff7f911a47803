import Latchkey
import LatchkeyCore

/// The command that changes the password, the addresses and other data of the user's account.
struct SettingsCommand: Subcommand {
    let syntax = Syntax(
        name: "settings",
        summary: "change the account of the logged-in user",
        details: [
            "Shows the account's data and asks for changes. The server may require the user to log in again for a change that protects the account.",
            "Requires a terminal.",
        ],
        options: ClientOptions.all,
        examples: [("settings", "Change the account's data or password")]
    )

    /// Takes the user through the settings.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` without a terminal, `refused` if no user is logged in;
    ///   otherwise as for ``FormDialog/outcome(of:schema:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        guard let dialog = FormDialog(client, on: console) else {
            throw CommandFailure(.usage, message: "the settings require a terminal")
        }
        guard case .completed = try await dialog.outcome(of: .settings) else {
            throw CommandFailure(.refused, message: "the settings were not saved")
        }
        console.write("Saved.")
    }
}
