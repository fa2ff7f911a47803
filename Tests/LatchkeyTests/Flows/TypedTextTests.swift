import Latchkey
import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyTerminal
import LatchkeyTestKit
import TestDatabases
import TestSpellings
import Testing

private let email = "user@example.org"

/// Tests that the client and the terminal read the same text in the same way as the server.
@Suite(.onEachDatabase) struct `Text typed in an app and on a terminal` {
    /// A terminal whose user reads a code only when it is needed.
    private final class LazyTerminal: Terminal {
        private let lines: Locked<[@Sendable () async throws -> String]>

        init(_ lines: [@Sendable () async throws -> String]) {
            self.lines = Locked(lines)
        }

        var remaining: Int { lines.withLock(\.count) }

        func write(_ line: String) {}

        func showProgress(_ activity: String?) {}

        func readLine(_ prompt: String, isHidden: Bool) async throws(TerminalInputError) -> String {
            let line = lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let line, let text = try? await line() else { throw .interrupted }
            return text
        }
    }

    /// Returns an app, and a server with one account.
    private func app() async throws -> TestApp<MemoryStore> {
        var settings = TestServer.configuration()
        settings.schemas.standard = "person"
        settings.limits = .unlimited
        let server = try await TestServer(configuration: settings)
        try await server.addPerson(email: email, phone: TestAccount.phone, password: TestAccount.password)
        return try TestApp(server)
    }

    /// Returns the number of requests to the routes of logins, without requests that end earlier sessions.
    private func logins(of app: TestApp<MemoryStore>) -> Int {
        app.network.exchanges.count { $0.request.path.contains("/self-service/login") }
    }

    @Test func `The client logs in with a phone number in every spelling, or rejects it without a request`()
        async throws
    {
        let app = try await app()
        for spelling in TypedSpellings.phones {
            let before = logins(of: app)
            let error = await failure {
                try await app.client.signIn(phone: spelling.typed, password: TestAccount.password)
            }
            let hasSent = logins(of: app) > before
            #expect(hasSent == (spelling.value != nil), "\(spelling)")
            switch spelling.value {
            case TestAccount.phone: #expect(error == nil, "\(spelling)")
            case nil: #expect(error?.code == .invalidInput, "\(spelling)")
            default: #expect(error?.code == .invalidCredentials, "\(spelling)")
            }
        }
    }

    @Test func `The server rejects the same phone numbers if an app sends them as they were typed`()
        async throws
    {
        let app = try await app()
        for spelling in TypedSpellings.phones {
            let error = await failure {
                try await app.client.signIn(identifier: spelling.typed, password: TestAccount.password)
            }
            switch spelling.value {
            case TestAccount.phone: #expect(error == nil, "\(spelling)")
            case nil:
                #expect(error?.code == .invalidInput, "\(spelling)")
                #expect(error?.fields.first?.message.contains("country code") == true, "\(spelling)")
            default: #expect(error?.code == .invalidCredentials, "\(spelling)")
            }
        }
    }

    @Test func `The client logs in with an e-mail address in every spelling`() async throws {
        let app = try await app()
        for spelling in TypedSpellings.emails {
            let error = await failure {
                try await app.client.signIn(email: spelling.typed, password: TestAccount.password)
            }
            #expect(error?.code == (spelling.value == nil ? .invalidInput : nil), "\(spelling)")
        }
    }

    @Test func `The client sends passwords as they were typed, and the server compares them in NFC`()
        async throws
    {
        let app = try await app()
        for (number, spelling) in zip(1..., TypedSpellings.passwords) {
            let email = "user\(number)@example.org"
            try await app.server.addPerson(
                email: email,
                phone: "+4670" + String(1_000_000 + number),
                password: spelling.set
            )
            let error = await failure {
                try await app.client.signIn(email: email, password: spelling.typed)
            }
            #expect(error?.code == (spelling.isSame ? nil : .invalidCredentials), "\(spelling)")
        }
    }

    @Test func `The client submits a code in every spelling, or rejects it without a request`() async throws {
        let app = try await app()
        for spelling in TypedSpellings.codes {
            let sent = try await app.client.codeSignIn.sendCode(to: email)
            let code = try await app.server.code(for: email)
            let before = logins(of: app)
            let error = await failure { try await sent.verify(spelling.spell(code)) }
            #expect(error?.code == (spelling.isCode ? nil : .codeInvalid), "\(spelling)")
            if !spelling.isCode {
                #expect(logins(of: app) == before, "\(spelling)")
                try await sent.verify(code)
            }
            app.client.signOut()
        }
    }

    @Test func `A terminal logs in with a code in every spelling, and other text costs no guess`()
        async throws
    {
        let app = try await app()
        for spelling in TypedSpellings.codes {
            let code = Locked("")
            let typed: @Sendable () async throws -> String = { [server = app.server] in
                let next = try await server.code(for: email)
                code.withLock { $0 = next }
                return spelling.spell(next)
            }
            var lines: [@Sendable () async throws -> String] = [{ email }, { "" }, typed]
            if !spelling.isCode {
                for _ in 1...5 { lines.append { spelling.spell(code.withLock(\.self)) } }
                lines.append { code.withLock(\.self) }
            }
            let terminal = LazyTerminal(lines)
            let flow = try await app.client.flows.begin(.login)
            let dialog = FlowDialog(terminal: terminal, flows: app.client.flows)
            guard case .signedIn? = try await dialog.run(flow, preferring: "code") else {
                Issue.record("No login with a code \(spelling).")
                continue
            }
            #expect(terminal.remaining == 0, "\(spelling)")
            app.client.signOut()
        }
    }

    @Test func `A terminal logs in with a phone number in every spelling, or shows how to write it`()
        async throws
    {
        let app = try await app()
        for spelling in TypedSpellings.phones {
            let terminal = ScriptedTerminal(.line(spelling.typed), "", .line(TestAccount.password), .controlC)
            let flow = try await app.client.flows.begin(.login)
            let dialog = FlowDialog(terminal: terminal, flows: app.client.flows)
            let outcome = try await dialog.run(flow, preferring: "password")
            let isExplained = terminal.transcript.contains {
                $0.contains("Start with + and the country code")
            }
            #expect(isExplained == (spelling.value == nil), "\(spelling)")
            if spelling.value == TestAccount.phone {
                guard case .signedIn? = outcome else {
                    Issue.record("No login with \(spelling).")
                    continue
                }
                app.client.signOut()
            } else {
                #expect(outcome == nil, "\(spelling)")
            }
        }
    }
}
