import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import Testing

/// A logger that collects the log events.
private final class EventList: LatchkeyLogger {
    private let list = Locked<[LogEvent]>([])

    var events: [LogEvent] { list.withLock { $0 } }

    func log(_ event: LogEvent) { list.withLock { $0.append(event) } }
}

@Suite struct `Client configuration` {
    @Test func `Every setting in the configuration takes effect`() async throws {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let network = server.transport()
        let exchanges = Locked(0)
        var configuration = LatchkeyConfiguration(server: TestServer.url, app: "com.example.shop")
        configuration.apiOrigins = ["https://api.example.com"]
        configuration.credential = .accessToken
        configuration.store = MemoryStore()
        configuration.transport = network
        configuration.languages = ["fi"]
        configuration.time = server.time
        configuration.recorder = ExchangeRecorder { _ in exchanges.withLock { $0 += 1 } }
        network.serve("https://api.example.com") { _ in HTTP.Response(204) }

        let client = try LatchkeyClient(configuration)
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)

        #expect(try await client.data(from: "https://api.example.com/").1.status == 204)
        #expect(network.exchanges.contains { $0.request.path == "/oauth2/token" })
        #expect(network.exchanges.first?.request.headers["Accept-Language"] == "fi")
        #expect(exchanges.withLock { $0 } == network.exchanges.count)
        await server.stop()
    }

    @Test func `An invalid configuration is rejected`() {
        var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
        configuration.basePath = "a"
        configuration.store = MemoryStore()

        #expect(throws: LatchkeyError.self) { try LatchkeyClient(configuration) }
    }

    @Test func `The logger receives events that contain no secrets or personal data`()
        async throws
    {
        let server = try await TestServer()
        try await server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let network = server.transport()
        let log = EventList()
        var configuration = LatchkeyConfiguration(server: TestServer.url, app: "com.example.shop")
        configuration.credential = .accessToken
        configuration.store = MemoryStore()
        configuration.transport = network
        configuration.languages = []
        configuration.time = server.time
        configuration.logger = log
        let client = try LatchkeyClient(configuration)

        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        _ = try await client.data(from: TestServer.url + "/a/sessions/whoami?secret=topsecret")
        network.inject(.unreachable, on: .get, "/a/sessions/whoami")
        _ = try? await client.data(from: TestServer.url + "/a/sessions/whoami")
        client.signOut()
        _ = await client.explain()

        let names = log.events.map(\.name)
        #expect(names.contains("session.signed-in") && names.contains("session.renewed"))
        #expect(names.contains("session.signed-out"))
        let requests = log.events.filter { $0.name == "request" }
        #expect(requests.count == network.exchanges.count)
        #expect(requests.last?.level == .warning && requests.last?.metadata["error"] == "unreachable")
        #expect(requests.first?.metadata["path"] == "/a/self-service/login/api")
        #expect(requests.first?.metadata["status"] == "200")

        let text = log.events.map { "\($0) \($0.metadata)" }.joined()
        var secrets = ["topsecret", TestAccount.passcode, String(TestAccount.phone.dropFirst())]
        for exchange in network.exchanges {
            let credentials = exchange.request.headers["Authorization"] ?? exchange.request.headers["DPoP"]
            if let token = credentials?.split(separator: " ").last { secrets.append(String(token)) }
        }
        for secret in secrets { #expect(!text.contains(secret)) }
        await server.stop()
    }
}

@Suite struct `Errors in Foundation and Swift` {
    @Test func `The localized description is the error's message`() {
        let error: any Error = LatchkeyError(.unreachable, message: "The server is gone.", retry: .later)

        #expect(error.localizedDescription == "The server is gone.")
        #expect((error as? any LocalizedError)?.recoverySuggestion == "Try again later.")
    }

    @Test func `A cancelled call can be recognized by its error`() async throws {
        let server = try await TestServer()
        let client = try TestDevice(server).client()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await LatchkeyError.throwingCancellation { () async throws(LatchkeyError) in
                try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }

        let other = Task {
            while !Task.isCancelled { await Task.yield() }
            return await failure {
                try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
            }
        }
        other.cancel()
        let error = await other.value
        #expect(error?.isCancellation == true && error?.cause is CancellationError)
        await server.stop()
    }

    @Test func `Other errors are thrown unchanged`() async {
        await #expect(throws: LatchkeyError.self) {
            try await LatchkeyError.throwingCancellation { () async throws(LatchkeyError) -> Int in
                throw LatchkeyError(.unreachable, message: "The server is gone.")
            }
        }
    }
}
