import Latchkey

/// Shows the current user.
///
/// The session is checked with the server unless `--offline` is given.
struct WhoamiCommand: Subcommand {
    let syntax = Syntax(
        name: "whoami",
        summary: "show the logged-in user, as confirmed by the server",
        details: [
            "If the server cannot be reached, the command fails, but you stay logged in. Only a response from the server can end the session."
        ],
        options: [Option("offline", help: "Show the stored session without contacting the server.")]
            + ClientOptions.all,
        examples: [
            ("whoami", "Show the logged-in user"),
            ("whoami --offline --json", "In a script, without the network"),
        ]
    )

    /// Prints the stored session, after checking it with the server unless `--offline` is given.
    ///
    /// If there is no stored session, no request is sent.
    ///
    /// - Throws: ``CommandFailure`` with the code `refused` if the user isn't logged in, or `storage` if the
    ///   session can't be read. If the check fails, the code depends on the client's error, and the session
    ///   is kept.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        var state = await client.storedState
        if !arguments.has("offline"), case .signedIn = state {
            state = try await console.attempt("Asking the server") { () async throws(LatchkeyError) in
                try await client.checkSession()
            }
        }
        switch state {
        case .signedIn(let session):
            guard !arguments.has("json") else { return console.write(json: SessionText.json(for: session)) }
            console.write(lines: SessionText.lines(for: session))
        case .signedOut:
            throw CommandFailure(.refused, message: "not logged in", hint: "log in with: latchkey login")
        case .unavailable(let reason):
            throw CommandFailure(unavailable: reason)
        }
    }
}

extension LatchkeyClient {
    /// The state of the stored session.
    ///
    /// Waits until the session store has been read.
    var storedState: SessionState {
        get async {
            var states = sessionStates.makeAsyncIterator()
            return await states.next() ?? sessionState
        }
    }
}

extension CommandFailure {
    /// Creates a failure with the code `storage` that explains why the session store can't be read.
    init(unavailable reason: SessionState.Unavailability) {
        switch reason {
        case .notReadYet: self.init(.storage, message: "the session has not been read yet")
        case .store(let error):
            self.init(
                .storage,
                message: "cannot read the session: \(error.message)",
                hint: "the stored session is unchanged; use --data FOLDER to store a session elsewhere"
            )
        }
    }
}
