import Latchkey

/// The command that shows the current user, after checking the session with the server unless `--offline` is
/// given.
struct WhoamiCommand: Subcommand {
    let syntax = Syntax(
        name: "whoami",
        summary: "show the logged-in user, as confirmed by the server",
        details: [
            "Only a response from the server ends a session. If the server cannot be reached, the command fails, but the session remains stored."
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
    /// Without a stored session, no request is sent.
    ///
    /// - Throws: ``CommandFailure`` of the kind `refused` if no user is logged in, `storage` if the session
    ///   cannot be read, or else of the kind that corresponds to the error of the check, which leaves the
    ///   session unchanged.
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
            guard !arguments.has("json") else { return console.write(SessionText.json(for: session)) }
            for line in SessionText.lines(for: session) { console.write(line) }
        case .signedOut:
            throw CommandFailure(.refused, message: "not logged in", hint: "log in with: latchkey login")
        case .unavailable(let reason):
            throw CommandFailure(unavailable: reason)
        }
    }
}

extension LatchkeyClient {
    /// The state of the stored session, which becomes available once the store has been read.
    var storedState: SessionState {
        get async {
            var states = sessionStates.makeAsyncIterator()
            return await states.next() ?? sessionState
        }
    }
}

extension CommandFailure {
    /// Creates a failure of the kind `storage` from the reason why the store cannot be read.
    init(unavailable reason: SessionState.Unavailability) {
        switch reason {
        case .notReadYet: self.init(.storage, message: "the session has not been read")
        case .store(let error):
            self.init(
                .storage,
                message: "cannot read the session: \(error.message)",
                hint: "the stored session is unchanged; use --data FOLDER to store a session elsewhere"
            )
        }
    }
}
