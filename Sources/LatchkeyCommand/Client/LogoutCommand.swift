import Latchkey

/// Deletes the session on this device and revokes it on the server.
struct LogoutCommand: Subcommand {
    let syntax = Syntax(
        name: "logout",
        summary: "log out: delete the session, the key and the certificate of this device",
        details: [
            "Also revokes the session on the server. If the server cannot be reached, you are still logged out on this device, and a later command revokes the session."
        ],
        options: ClientOptions.all,
        examples: [("logout", "Log out")]
    )

    /// Deletes the session.
    ///
    /// If there is no session, the command still succeeds.
    ///
    /// - Throws: ``CommandFailure`` with the code `storage` if the user was logged out but some of the
    ///   session's data may still be on disk, or any error thrown by
    ///   ``ClientOptions/makeClient(from:console:)``.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        let before = await client.storedState
        let report = await client.signOutAndRevoke()
        if let error = report.storageFailure { throw CommandFailure(error) }
        if arguments.has("json") { return console.write(#"{"session":null}"#) }
        if case .signedOut = before {
            console.write("You were not logged in.")
        } else {
            console.write("Logged out.")
            if !report.isRevoked {
                console.report(
                    "The session has not been revoked on the server yet. A later command will try again."
                )
            }
        }
    }
}
