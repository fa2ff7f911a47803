import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyServer

/// The command that demonstrates a server and a client with their traffic.
struct DemoCommand: Subcommand {
    let syntax = Syntax(
        name: "demo",
        summary: "watch a sign-up, a login, a restart and a logout, with their HTTP traffic",
        details: [
            "Starts a server on a free port, with its data in a temporary folder that is gone afterwards.",
            "Secrets are shown as marks, and of the answers only what tells; --trace shows all of them.",
        ],
        options: [Option("trace", nil, "Show whole answers.")],
        examples: [("demo", "Some seconds")]
    )

    func run(_ arguments: Arguments, _ console: Console) async throws(CommandFailure) {
        let folder = try TemporaryFolder()
        console.interruption.cleaningUp { folder.remove() }
        defer { folder.remove() }
        let text = arguments.has("trace") ? ExchangeText.full : .short
        let start = SystemTime().now
        let stage = DemoStage(folder: folder.path, text: text, console: console)
        do throws(CommandFailure) {
            try await Self.play(on: stage, console)
        } catch {
            await stage.serverStops()
            throw CommandFailure(.failed, "the demo failed: \(error.message)", hint: error.hint)
        }
        let seconds = Double((SystemTime().now - start).wholeMicroseconds / 10_000) / 100
        console.write("")
        console.write(
            "It works: signed up, certified, recognised, logged in, still there after a restart, logged out. "
                + "(\(stage.exchanges) exchanges in \(seconds) s)"
        )
    }

    private static func play(on stage: DemoStage, _ console: Console) async throws(CommandFailure) {
        let phone = "+439999999999"
        let passcode = "000000"
        stage.say("A server starts, with SQLite and nothing configured.")
        try await stage.serverStarts()

        stage.say("A new customer signs up. A code goes to the phone.")
        let device = try stage.device()
        let sent = try await console.attempt("") { () async throws(LatchkeyError) in
            try await device.signUp.begin(phone: phone)
        }
        let code = try stage.receivedCode()

        stage.say("The code proves that the phone is the customer's.")
        let verified = try await console.attempt("") { () async throws(LatchkeyError) in
            try await sent.verify(code)
        }

        stage.say(
            "The account is made. The device makes a key pair and has it certified; only then is it logged in."
        )
        let session = try await console.attempt("") { () async throws(LatchkeyError) in
            try await verified.finish(password: passcode, name: PersonName(first: "User", last: "Test"))
        }
        try stage.expect(device.sessionState, session.identity.id)

        stage.say("Who am I?")
        try await stage.expectRecognised(device, session.identity.id)

        stage.say("The customer logs out: nothing is sent, and the device keeps nothing.")
        try stage.logOut(device)

        stage.say("The customer logs in again, with a fresh key pair.")
        _ = try await console.attempt("") { () async throws(LatchkeyError) in
            try await device.signIn(phone: phone, password: passcode)
        }

        stage.say("Server and device restart. The device is still logged in, and the server knows it.")
        await stage.serverStops()
        try await stage.serverStarts()
        let again = try stage.device()
        try stage.expect(await again.storedState, session.identity.id)
        try await stage.expectRecognised(again, session.identity.id)

        stage.say("With the server stopped, the customer logs out for good.")
        await stage.serverStops()
        try stage.logOut(again)
    }
}
