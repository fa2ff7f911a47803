import Latchkey

/// The command that deletes the session locally, without a request to the server.
struct LogoutCommand: Subcommand {
    let syntax = Syntax(
        name: "logout",
        summary: "log out: delete the session, the key and the certificate of this device",
        details: ["Works offline: no request is sent."],
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
        if let error = client.signOut() { throw CommandFailure(error) }
        if arguments.has("json") { return console.write(#"{"session":null}"#) }
        if case .signedOut = before {
            console.write("No user was logged in.")
        } else {
            console.write("Logged out.")
        }
    }
}
