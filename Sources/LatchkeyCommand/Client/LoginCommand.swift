import Latchkey
import LatchkeyCore
import LatchkeyLinux
import LatchkeyModel

/// Logs the user in, either interactively or with an identifier and a password.
struct LoginCommand: Subcommand {
    let syntax = Syntax(
        name: "login",
        summary: "log in with a password, a code or a browser",
        details: [
            "On a terminal, the command asks for everything that the server requires, unless an identifier is given as a flag. With --phone or --email, it logs in with a password.",
            "A new session replaces the existing one. The password is not echoed on the terminal.",
            "With --browser, it logs in on the server's pages. Without a display, or over SSH, the address of the page is printed. The operator registers the command once; see latchkey client create --help.",
        ],
        options: [
            Option("phone", value: "NUMBER", help: "The phone number, with + and the country code."),
            Option("email", value: "ADDRESS", help: "The e-mail address."),
            Option("password-stdin", help: "Read the password from the first line of standard input."),
            Option("browser", help: "Log in on the server's pages in a browser."),
            Option(
                "client",
                value: "ID",
                help: "The command's OAuth client, for --browser. Default: latchkey-command."
            ),
        ] + ClientOptions.all,
        examples: [
            ("login", "Log in interactively, with a choice of methods"),
            ("login --phone +439999999999", "Ask for the password"),
            ("login --email user@example.com --password-stdin < password", "In a script"),
            ("login --browser", "Log in on the server's pages"),
        ]
    )

    /// Logs in and prints the session.
    ///
    /// An identifier that contains `@` is treated as an e-mail address, and any other identifier as a phone
    /// number. If the login fails, the existing session is kept.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the flags conflict with each other, or if a
    ///   value is missing and there is no terminal to ask for it. For other errors, the code depends on the
    ///   client's error.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        if arguments.has("browser") { return try await logInWithBrowser(arguments, on: console) }
        guard arguments["client"] == nil else {
            throw CommandFailure(.usage, message: "--client needs --browser")
        }
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
            password = try await console.askHidden(
                "Password for \(identifier) at \(client.flows.serverHost):",
                flag: "--password-stdin"
            )
        }
        let session = try await console.attempt("Logging in") { () async throws(LatchkeyError) in
            if arguments["email"] != nil || identifier.contains("@") {
                return try await client.signIn(email: identifier, password: password.exposed)
            }
            return try await client.signIn(phone: identifier, password: password.exposed)
        }
        SessionText.write(session, after: "Logged in.", arguments: arguments, to: console)
    }

    private func logInWithBrowser(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        guard arguments["phone"] == nil, arguments["email"] == nil, !arguments.has("password-stdin") else {
            throw CommandFailure(
                .usage,
                message: "--browser cannot be used with --phone, --email or --password-stdin"
            )
        }
        let client = try ClientOptions.makeClient(
            from: arguments,
            console: console,
            client: ClientRegistration(id: arguments["client"] ?? "latchkey-command")
        )
        let browser = LoopbackBrowser { page throws(LatchkeyError) in
            await Self.open(page, on: console)
        }
        do throws(LatchkeyError) {
            let session = try await client.signIn(in: browser)
            SessionText.write(session, after: "Logged in.", arguments: arguments, to: console)
        } catch {
            let failure = CommandFailure(error)
            guard error.code == .refused, failure.hint == nil else { throw failure }
            throw CommandFailure(
                failure.code,
                message: failure.message,
                hint: "is the command registered? see latchkey client create --help"
            )
        }
    }

    /// Opens a page in the desktop's browser, or shows its address if there is none, or if the user is on another
    /// computer.
    private static func open(_ page: BrowserPage, on console: Console) async {
        if console.environment["SSH_CONNECTION"] == nil,
            (try? await DesktopBrowser(environment: console.environment).open(page)) != nil
        {
            return console.report("Log in in the browser. If no page has opened, open \(page.address)")
        }
        if let terminal = console.terminal {
            TerminalBrowser(terminal, environment: console.environment).open(page)
        } else {
            console.report(lines: ["Open this page in a browser:", page.address])
        }
    }
}
