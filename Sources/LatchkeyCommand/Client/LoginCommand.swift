import Latchkey
import LatchkeyModel

/// The command that logs in: with a dialog, or with an identifier and a password.
struct LoginCommand: Subcommand {
    let syntax = Syntax(
        name: "login",
        summary: "log in with a password or a code",
        details: [
            "On a terminal, the command asks for everything that the server's form requires, unless an identifier is given as a flag. With --phone or --email, it logs in with a password.",
            "A new session replaces the existing one. The password is not echoed on the terminal.",
        ],
        options: [
            Option("phone", value: "NUMBER", help: "The phone number, with + and the country code."),
            Option("email", value: "ADDRESS", help: "The e-mail address."),
            Option("password-stdin", help: "Read the password from the first line of standard input."),
        ] + ClientOptions.all,
        examples: [
            ("login", "Ask for everything, with a choice of methods"),
            ("login --phone +439999999999", "Ask for the password"),
            ("login --email user@example.com --password-stdin < password", "In a script"),
        ]
    )

    /// Logs in and prints the session.
    ///
    /// An identifier entered at the prompt is treated as an e-mail address if it contains `@`, and otherwise
    /// as a phone number. If the login fails, the existing session remains stored.
    ///
    /// - Throws: ``CommandFailure`` of the kind `usage` if flags contradict each other, or if a flag is
    ///   missing and there is no terminal to prompt for its value, or else of the kind that corresponds to
    ///   the client's error.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        guard arguments["phone"] == nil || arguments["email"] == nil else {
            throw CommandFailure(.usage, message: "--phone and --email cannot be used together")
        }
        let given = arguments["phone"] ?? arguments["email"]
        if given == nil, !arguments.has("password-stdin"), let dialog = FormDialog(client, on: console) {
            let session = try await dialog.session(from: .login)
            return SessionText.write(session, after: "Logged in.", arguments: arguments, to: console)
        }
        let identifier: String
        if let given {
            identifier = given
        } else {
            identifier = try await console.ask(
                "Phone number or e-mail address:",
                flag: "--phone or --email"
            )
        }
        let password: Secret
        if arguments.has("password-stdin") {
            password = try await console.firstInputLine()
        } else {
            password = try await console.askHidden("Password:", flag: "--password-stdin")
        }
        let session = try await console.attempt("Logging in") { () async throws(LatchkeyError) in
            if arguments["email"] != nil || identifier.contains("@") {
                return try await client.signIn(email: identifier, password: password.exposed)
            }
            return try await client.signIn(phone: identifier, password: password.exposed)
        }
        SessionText.write(session, after: "Logged in.", arguments: arguments, to: console)
    }
}
