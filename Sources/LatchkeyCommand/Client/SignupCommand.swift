import Latchkey
import LatchkeyModel
import LatchkeyWire

/// The command that creates an account with a phone number, a code, a name and a password.
struct SignupCommand: Subcommand {
    let syntax = Syntax(
        name: "signup",
        summary: "create an account with a phone number, and log in",
        details: [
            "On a terminal, the command asks for every value that is not given as a flag; the password is not echoed.",
            "Without a terminal, sign-up takes two commands: the first requests the code and prints the flow id; the second passes that id as --flow together with --code, --first, --last and --password-stdin. If only the last step fails, repeat it with --verified instead of --code.",
        ],
        options: [
            Option("phone", "NUMBER", "The phone number, with + and the country code."),
            Option("flow", "ID", "Continue a sign-up whose code was sent."),
            Option("code", "CODE", "The code from the message."),
            Option("verified", nil, "Continue a sign-up whose code was accepted."),
            Option("first", "NAME", "The given name."),
            Option("last", "NAME", "The family name."),
            Option("email", "ADDRESS", "The e-mail address; optional."),
            Option("password-stdin", nil, "Read the password from the first line of standard input."),
        ] + ClientOptions.all,
        examples: [
            ("signup", "Ask for all values"),
            ("signup --phone +439999999999 --json", "First step of a script"),
            (
                "signup --phone +439999999999 --flow ID --code 271501 --first A --last B --password-stdin < file",
                "Second step of a script"
            ),
        ]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        try check(arguments, console)
        let client = try ClientOptions.client(arguments, console)
        let verified: SignUp.PhoneVerified
        if arguments.has("verified") {
            let flow = try arguments.required("flow")
            verified = client.signUp.phoneVerified(flow: flow, phone: try arguments.required("phone"))
        } else {
            guard let step = try await verify(client.signUp, arguments, console) else { return }
            verified = step
        }
        let session = try await finish(verified, arguments, console)
        console.write(arguments.has("json") ? SessionText.json(session) : "Signed up and logged in.")
        if !arguments.has("json") { for line in SessionText.lines(session) { console.write(line) } }
    }

    /// Checks the flags before any request, so that a usage error does not waste a code.
    private func check(_ arguments: Arguments, _ console: Console) throws(CommandFailure) {
        if arguments["flow"] != nil { _ = try arguments.required("phone") }
        guard !console.isInteractive, arguments.has("verified") || arguments["code"] != nil else { return }
        _ = try arguments.required("flow")
        _ = try arguments.required("first")
        _ = try arguments.required("last")
        guard arguments.has("password-stdin") else {
            throw CommandFailure(.usage, "--password-stdin is required when there is no terminal")
        }
    }

    /// Sends the code and verifies it; returns `nil` if the second step follows in another invocation.
    private func verify(
        _ signUp: SignUp,
        _ arguments: Arguments,
        _ console: Console
    ) async throws(CommandFailure) -> SignUp.PhoneVerified? {
        let sent: SignUp.CodeSent
        if let flow = arguments["flow"] {
            sent = signUp.codeSent(flow: flow, phone: arguments["phone"])
        } else {
            let phone: String
            if let given = arguments["phone"] {
                phone = given
            } else {
                phone = try await console.ask("Phone number, with + and the country code:", orGive: "--phone")
            }
            sent = try await console.attempt("Requesting a code") { () async throws(LatchkeyError) in
                try await signUp.begin(phone: phone)
            }
            guard console.isInteractive else {
                sayNextStep(sent, arguments, console)
                return nil
            }
            console.remark("A code was sent to \(sent.phone?.e164 ?? phone).")
        }
        return try await check(sent, arguments, console)
    }

    /// Verifies the code of `--code`, or prompts for one until it is correct.
    private func check(
        _ sent: SignUp.CodeSent,
        _ arguments: Arguments,
        _ console: Console
    ) async throws(CommandFailure) -> SignUp.PhoneVerified {
        if let code = arguments["code"] {
            return try await console.attempt("Checking the code") { () async throws(LatchkeyError) in
                try await sent.verify(code)
            }
        }
        while true {
            let code = try await console.ask("Code:", orGive: "--code")
            do throws(LatchkeyError) {
                return try await sent.verify(code)
            } catch {
                // Only a wrong code can be corrected; all other errors end the sign-up.
                guard error.code == .codeInvalid else { throw CommandFailure(error) }
                console.remark(error.message)
            }
        }
    }

    /// Prints the flow and the command line of the second step.
    private func sayNextStep(_ sent: SignUp.CodeSent, _ arguments: Arguments, _ console: Console) {
        let phone = sent.phone?.e164 ?? ""
        if arguments.has("json") {
            let next: JSONValue = .object([
                "flow": .string(sent.flow), "phone": .string(phone), "next": .string("code"),
            ])
            return console.write(SessionText.compact(next))
        }
        console.write("A code was sent to \(phone).")
        console.write(
            "Continue with: latchkey signup --phone \(phone) --flow \(sent.flow) --code CODE --first NAME --last NAME --password-stdin"
        )
    }

    /// Creates the account; on a terminal, asks again for a password that was rejected.
    private func finish(
        _ step: SignUp.PhoneVerified,
        _ arguments: Arguments,
        _ console: Console
    ) async throws(CommandFailure) -> UserSession {
        let first = try await value("first", "Given name:", arguments, console)
        let last = try await value("last", "Family name:", arguments, console)
        while true {
            let password = try await password(arguments, console)
            do throws(LatchkeyError) {
                return try await console.waiting(for: "Creating the account") {
                    () async throws(LatchkeyError) in
                    try await step.finish(
                        password: password.exposed,
                        name: PersonName(first: first, last: last),
                        email: arguments["email"],
                        phone: arguments["phone"]
                    )
                }
            } catch {
                let isAboutPassword = error.fields.contains { $0.name == "password" }
                guard isAboutPassword, console.isInteractive, !arguments.has("password-stdin") else {
                    throw CommandFailure(error).goingOn(with: step, after: error)
                }
                for field in error.fields { console.remark(field.message) }
            }
        }
    }

    private func value(
        _ name: String,
        _ question: String,
        _ arguments: Arguments,
        _ console: Console
    ) async throws(CommandFailure) -> String {
        if let given = arguments[name] { return given }
        return try await console.ask(question, orGive: "--\(name)")
    }

    private func password(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) -> Secret {
        if arguments.has("password-stdin") { return try await console.firstInputLine() }
        return try await console.askTwice("New password:", orGive: "--password-stdin")
    }
}

extension CommandFailure {
    /// Adds a hint on how to repeat the last step of a sign-up, if that can succeed.
    fileprivate func goingOn(with step: SignUp.PhoneVerified, after error: LatchkeyError) -> CommandFailure {
        let isOver: Set<LatchkeyError.Code> = [
            .accountCreated, .accountExists, .flowExpired, .flowUnknown, .phoneNotVerified,
        ]
        guard !isOver.contains(error.code) else { return self }
        let again =
            "the phone number is verified: continue with --flow \(step.flow) --verified instead of --code"
        return CommandFailure(code, message, hint: hint.map { "\($0); \(again)" } ?? again)
    }
}
