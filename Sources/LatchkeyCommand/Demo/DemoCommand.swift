import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyServer

/// Shows how a server and a client work together, including their HTTP traffic.
struct DemoCommand: Subcommand {
    let syntax = Syntax(
        name: "demo",
        summary: "show a sign-up, a login, a restart and a logout with their HTTP traffic",
        details: [
            "Starts a server on a free port, with its data in a temporary folder that is deleted afterwards.",
            "Secrets are masked and responses are abridged; --trace shows complete responses.",
        ],
        options: [Option("trace", help: "Show complete responses.")],
        examples: [("demo", "Run the demo; takes a few seconds")]
    )

    /// Runs the demo.
    ///
    /// The demo's folder is deleted at the end, even if the demo is interrupted by a signal.
    ///
    /// - Throws: ``CommandFailure`` with the code `storage` if the folder can't be created, or `failed` if
    ///   one of the steps fails. The error message includes the reason why the step failed.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        let folder = try TemporaryFolder()
        console.interruption.onInterruption { folder.remove() }
        defer { folder.remove() }
        let text = arguments.has("trace") ? ExchangeText.full : .short
        let start = SystemTime().now
        let demo = DemoEnvironment(folder: folder.path, text: text, console: console)
        do throws(CommandFailure) {
            try await Self.run(demo, on: console)
        } catch {
            await demo.stopServer()
            throw CommandFailure(.failed, message: "the demo failed: \(error.message)", hint: error.hint)
        }
        let seconds = Double((SystemTime().now - start).wholeMicroseconds / 10_000) / 100
        console.write("")
        console.write(
            "It works: signed up, certified, recognized, logged in, still logged in after a restart, logged out. "
                + "(\(demo.exchanges) HTTP exchanges in \(seconds) s)"
        )
    }

    /// Runs all steps in order.
    ///
    /// If a step fails, the caller must stop the server.
    private static func run(_ demo: DemoEnvironment, on console: Console) async throws(CommandFailure) {
        let phone = "+439999999999"
        let passcode = "000000"
        demo.announce("Start a server with SQLite and the default configuration.")
        try await demo.startServer()

        demo.announce("A new customer signs up. The server sends a code to the phone.")
        let device = try demo.makeDevice()
        let sent = try await console.attempt("") { () async throws(LatchkeyError) in
            try await device.signUp.begin(phone: phone)
        }
        let code = try demo.receivedCode()

        demo.announce("The code proves that the phone number belongs to the customer.")
        let verified = try await console.attempt("") { () async throws(LatchkeyError) in
            try await sent.verify(code)
        }

        demo.announce(
            "The account is created. The device generates a key pair and obtains a certificate for it; only then is the customer logged in."
        )
        let session = try await console.attempt("") { () async throws(LatchkeyError) in
            try await verified.finish(password: passcode, name: PersonName(first: "User", last: "Test"))
        }
        try demo.checkLoggedIn(device.sessionState, identity: session.identity.id)

        demo.announce("The device asks the server who is logged in.")
        try await demo.checkRecognised(device, identity: session.identity.id)

        demo.announce("The customer logs out. No request is sent, and the device deletes the session.")
        try demo.logOut(device)

        demo.announce("The customer logs in again, with a new key pair.")
        _ = try await console.attempt("") { () async throws(LatchkeyError) in
            try await device.signIn(phone: phone, password: passcode)
        }

        demo.announce(
            "The server and the device restart. The device is still logged in, and the server still accepts its session."
        )
        await demo.stopServer()
        try await demo.startServer()
        let again = try demo.makeDevice()
        try demo.checkLoggedIn(await again.storedState, identity: session.identity.id)
        try await demo.checkRecognised(again, identity: session.identity.id)

        demo.announce("The customer logs out while the server is stopped.")
        await demo.stopServer()
        try demo.logOut(again)
    }
}
