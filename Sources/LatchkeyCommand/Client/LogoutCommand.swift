import Latchkey

/// The command that deletes the session on this device and revokes it at the server.
struct LogoutCommand: Subcommand {
    let syntax = Syntax(
        name: "logout",
        summary: "log out: delete the session, the key and the certificate of this device",
        details: [
            "Also revokes the session at the server. If the server cannot be reached, the user is logged out on this device, and a later command revokes the session."
        ],
        options: ClientOptions.all,
        examples: [("logout", "Log out")]
    )

    /// Deletes the session, and also succeeds if there is none.
    ///
    /// - Throws: ``CommandFailure`` of the kind `storage` if parts of the session may still be on disk,
    ///   although the user is logged out, and the errors of ``ClientOptions/makeClient(from:console:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        let before = await client.storedState
        let report = await client.signOutAndRevoke()
        if let error = report.storageFailure { throw CommandFailure(error) }
        if arguments.has("json") { return console.write(#"{"session":null}"#) }
        if case .signedOut = before {
            console.write("No user was logged in.")
        } else {
            console.write("Logged out.")
            if !report.isRevoked {
                console.report("The server could not be reached; a later command revokes the session.")
            }
        }
    }
}
