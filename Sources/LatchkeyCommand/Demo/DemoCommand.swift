import Latchkey
import LatchkeyCore
import LatchkeyModel
import LatchkeyServer

/// The command that demonstrates a server and a client with their traffic.
struct DemoCommand: Subcommand {
    let syntax = Syntax(
        name: "demo",
        summary: "show a sign-up, a login, a restart and a logout with their HTTP traffic",
        details: [
            "Starts a server on a free port, with its data in a temporary folder that is deleted afterwards.",
            "Secrets are masked and responses are abridged; --trace shows complete responses.",
        ],
        options: [Option("trace", nil, "Show complete responses.")],
        examples: [("demo", "Takes a few seconds")]
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
            "It works: signed up, certified, recognised, logged in, still logged in after a restart, logged out. "
                + "(\(stage.exchanges) HTTP exchanges in \(seconds) s)"
        )
    }

    private static func play(on stage: DemoStage, _ console: Console) async throws(CommandFailure) {
        let phone = "+439999999999"
        let passcode = "000000"
        stage.say("Start a server with SQLite and the default configuration.")
        try await stage.serverStarts()

        stage.say("A new customer signs up. The server sends a code to the phone.")
        let device = try stage.device()
        let sent = try await console.attempt("") { () async throws(LatchkeyError) in
            try await device.signUp.begin(phone: phone)
        }
        let code = try stage.receivedCode()

        stage.say("The code proves that the phone number belongs to the customer.")
        let verified = try await console.attempt("") { () async throws(LatchkeyError) in
            try await sent.verify(code)
        }

        stage.say(
            "The account is created. The device generates a key pair and obtains a certificate for it; only then is the customer logged in."
        )
        let session = try await console.attempt("") { () async throws(LatchkeyError) in
            try await verified.finish(password: passcode, name: PersonName(first: "User", last: "Test"))
        }
        try stage.expect(device.sessionState, session.identity.id)

        stage.say("The device asks the server who is logged in.")
        try await stage.expectRecognised(device, session.identity.id)

        stage.say("The customer logs out. No request is sent, and the device deletes the session.")
        try stage.logOut(device)

        stage.say("The customer logs in again, with a new key pair.")
        _ = try await console.attempt("") { () async throws(LatchkeyError) in
            try await device.signIn(phone: phone, password: passcode)
        }

        stage.say(
            "The server and the device restart. The device is still logged in, and the server still accepts its session."
        )
        await stage.serverStops()
        try await stage.serverStarts()
        let again = try stage.device()
        try stage.expect(await again.storedState, session.identity.id)
        try await stage.expectRecognised(again, session.identity.id)

        stage.say("The customer logs out while the server is stopped.")
        await stage.serverStops()
        try stage.logOut(again)
    }
}
