import Latchkey
import LatchkeyModel
import LatchkeyWire

/// Creates an account with a phone number, a code, a name and a password.
struct SignupCommand: Subcommand {
    let syntax = Syntax(
        name: "signup",
        summary: "create an account with a phone number, and log in",
        details: [
            "On a terminal, the command asks for every value that is not given as a flag; the password is not echoed.",
            "Without a terminal, sign-up takes two commands: the first requests the code and prints the flow ID; the second passes this ID as --flow, together with --code, --first, --last and --password-stdin. If the code was accepted but the account was not created, repeat the second command with --verified instead of --code.",
        ],
        options: [
            Option("phone", value: "NUMBER", help: "The phone number, with + and the country code."),
            Option("flow", value: "ID", help: "Continue a sign-up after its code was sent."),
            Option("code", value: "CODE", help: "The code from the message."),
            Option("verified", help: "Continue a sign-up after its code was accepted."),
            Option("first", value: "NAME", help: "The given name."),
            Option("last", value: "NAME", help: "The family name."),
            Option("email", value: "ADDRESS", help: "The e-mail address; optional."),
            Option(
                "schema",
                value: "ID",
                help: "Ask for everything that this identity schema requires."
            ),
            Option("password-stdin", help: "Read the password from the first line of standard input."),
        ] + ClientOptions.all,
        examples: [
            ("signup", "Ask for all values"),
            ("signup --schema person", "Ask for the values of another schema, such as an e-mail address"),
            ("signup --phone +439999999999 --json", "First step of a script"),
            (
                "signup --phone +439999999999 --flow ID --code 271501 --first A --last B --password-stdin < file",
                "Second step of a script"
            ),
        ]
    )

    /// Runs the remaining steps of a sign-up and prints the session.
    ///
    /// The flags determine which steps remain.
    ///
    /// If there is no terminal, the first invocation exits after the code has been sent, and prints the flow
    /// ID instead of a session.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if a flag is missing. Flags are checked before any
    ///   request is sent. For other errors, the code depends on the client's error.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        try checkFlags(arguments, isInteractive: console.isInteractive)
        let client = try ClientOptions.makeClient(from: arguments, console: console)
        if let schema = arguments["schema"] {
            guard let dialog = FormDialog(client, on: console) else {
                throw CommandFailure(.usage, message: "--schema requires a terminal")
            }
            let session = try await dialog.session(from: .registration, schema: schema)
            return SessionText.write(
                session,
                after: "Signed up and logged in.",
                arguments: arguments,
                to: console
            )
        }
        let verified: SignUp.PhoneVerified
        if arguments.has("verified") {
            let flow = try arguments.required("flow")
            verified = client.signUp.resumeVerified(
                StepToken(flow: flow, kind: .registration, address: try arguments.required("phone"))
            )
        } else {
            guard
                let step = try await verifyPhone(with: client.signUp, arguments: arguments, console: console)
            else { return }
            verified = step
        }
        let session = try await finish(
            verified,
            at: client.flows.serverHost,
            arguments: arguments,
            console: console
        )
        SessionText.write(session, after: "Signed up and logged in.", arguments: arguments, to: console)
    }

    /// Checks the flags before any request is sent, so that a usage error doesn't waste a code.
    ///
    /// If there is a terminal, the command prompts for missing values. However, `--flow` always requires
    /// `--phone`.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` for the first flag that is missing.
    private func checkFlags(_ arguments: Arguments, isInteractive: Bool) throws(CommandFailure) {
        if arguments["flow"] != nil { _ = try arguments.required("phone") }
        guard !isInteractive, arguments.has("verified") || arguments["code"] != nil else { return }
        _ = try arguments.required("flow")
        _ = try arguments.required("first")
        _ = try arguments.required("last")
        guard arguments.has("password-stdin") else {
            throw CommandFailure(.usage, message: "--password-stdin is required when there is no terminal")
        }
    }

    /// Sends a code and verifies it.
    ///
    /// Returns `nil` if the second step will be performed by another invocation.
    private func verifyPhone(
        with signUp: SignUp,
        arguments: Arguments,
        console: Console
    ) async throws(CommandFailure) -> SignUp.PhoneVerified? {
        let sent: CodeStep<SignUp.PhoneVerified>
        if let flow = arguments["flow"] {
            sent = signUp.resume(StepToken(flow: flow, kind: .registration, address: arguments["phone"]))
        } else {
            let phone: String
            if let given = arguments["phone"] {
                phone = given
            } else {
                phone = try await console.ask("Phone number, with + and the country code:", flag: "--phone")
            }
            sent = try await console.attempt("Requesting a code") { () async throws(LatchkeyError) in
                try await signUp.begin(phone: phone)
            }
            guard console.isInteractive else {
                reportNextStep(of: sent, asJSON: arguments.has("json"), on: console)
                return nil
            }
            console.report("A code was sent to \(sent.address ?? phone).")
        }
        return try await verifyCode(of: sent, arguments: arguments, console: console)
    }

    /// Verifies the code given by `--code`, or asks for a code until the user enters the correct one.
    ///
    /// - Throws: ``CommandFailure`` if verification fails. If a code given by `--code` is wrong, the user
    ///   isn't asked for another one.
    private func verifyCode(
        of sent: CodeStep<SignUp.PhoneVerified>,
        arguments: Arguments,
        console: Console
    ) async throws(CommandFailure) -> SignUp.PhoneVerified {
        if let code = arguments["code"] {
            return try await console.attempt("Checking the code") { () async throws(LatchkeyError) in
                try await sent.verify(code)
            }
        }
        while true {
            let code = try await console.ask("Code:", flag: "--code")
            do throws(LatchkeyError) {
                return try await sent.verify(code)
            } catch {
                // If the code is wrong, the user can try again. Any other error aborts the sign-up.
                guard error.code == .codeInvalid else { throw CommandFailure(error) }
                console.report(error.message)
            }
        }
    }

    /// Prints the flow ID and the command line for the second step.
    ///
    /// The JSON object has the members `flow`, `phone` and `next`. `next` is always `code`.
    private func reportNextStep(of sent: CodeStep<SignUp.PhoneVerified>, asJSON: Bool, on console: Console) {
        let phone = sent.address ?? ""
        if asJSON {
            let next: JSONValue = .object([
                "flow": .string(sent.token.flow), "phone": .string(phone), "next": .string("code"),
            ])
            return console.write(json: next)
        }
        console.write("A code was sent to \(phone).")
        console.write(
            "Continue with: latchkey signup --phone \(phone) --flow \(sent.token.flow) --code CODE --first NAME --last NAME --password-stdin"
        )
    }

    /// Creates the account.
    ///
    /// If the server rejects the password and there is a terminal, the user is asked for another one.
    ///
    /// - Throws: ``CommandFailure`` if the account can't be created. If the user can try again, the hint
    ///   explains how to create the account without verifying the phone number again.
    private func finish(
        _ step: SignUp.PhoneVerified,
        at host: String,
        arguments: Arguments,
        console: Console
    ) async throws(CommandFailure) -> UserSession {
        let first = try await name(
            flag: "first",
            question: "Given name:",
            arguments: arguments,
            console: console
        )
        let last = try await name(
            flag: "last",
            question: "Family name:",
            arguments: arguments,
            console: console
        )
        while true {
            let password = try await password(for: host, from: arguments, console: console)
            do throws(LatchkeyError) {
                return try await console.showingProgress("Creating the account") {
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
                    throw CommandFailure(error).continuing(with: step, after: error)
                }
                for field in error.fields { console.report(field.message) }
            }
        }
    }

    /// Returns the name from the given flag, or asks the user for it.
    private func name(
        flag: String,
        question: String,
        arguments: Arguments,
        console: Console
    ) async throws(CommandFailure) -> String {
        if let given = arguments[flag] { return given }
        return try await console.ask(question, flag: "--\(flag)")
    }

    /// Reads the password from standard input if `--password-stdin` is given.
    ///
    /// If the flag isn't given, asks the user to enter the password twice.
    private func password(
        for host: String,
        from arguments: Arguments,
        console: Console
    ) async throws(CommandFailure) -> Secret {
        if arguments.has("password-stdin") { return try await console.firstInputLine() }
        return try await console.askTwice("New password for \(host):", flag: "--password-stdin")
    }
}

extension CommandFailure {
    /// Adds a hint that explains how to repeat the last step of a sign-up, unless repeating it can't succeed.
    fileprivate func continuing(with step: SignUp.PhoneVerified, after error: LatchkeyError) -> CommandFailure
    {
        let final: Set<LatchkeyError.Code> = [
            .accountCreated, .accountExists, .flowExpired, .flowUnknown, .phoneNotVerified,
        ]
        guard !final.contains(error.code) else { return self }
        let again =
            "the phone number is verified: continue with --flow \(step.token.flow) --verified instead of --code"
        return CommandFailure(code, message: message, hint: hint.map { "\($0); \(again)" } ?? again)
    }
}
