import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import Latchkey
@testable import LatchkeyCore

@Suite struct `Clients with the same configuration` {
    private static func client(
        _ app: String,
        server: String = "https://id.example.com",
        slot: AccountSlot = .default,
        basePath: String = "/a",
        apiOrigins: Set<String> = [],
        storage: StorageChoice = .memory,
        credential: Credential = .sessionToken,
        proxy: ProxyChoice = .none,
        languages: [String] = []
    ) throws -> LatchkeyClient {
        try LatchkeyClient(server: server, app: app, apiOrigins: apiOrigins) {
            $0.slot = slot
            $0.basePath = basePath
            $0.storage = storage
            $0.credential = credential
            $0.proxy = proxy
            $0.languages = languages
        }
    }

    @Test func `Clients with equal configurations share one engine`() throws {
        let client = try Self.client("shared")
        #expect(try Self.client("shared").shared === client.shared)
        #expect(try Self.client("shared", server: "https://ID.example.com:443").shared === client.shared)
    }

    @Test func `Clients with different configurations have different engines`() throws {
        let clients = [
            try Self.client("different"), try Self.client("other"),
            try Self.client("different", server: "https://other.example.com"),
            try Self.client("different", slot: .named("work")),
            try Self.client("different", basePath: "/b"),
            try Self.client("different", apiOrigins: ["https://api.example.com"]),
            try Self.client("different", storage: .file),
            try Self.client("different", credential: .accessToken),
            try Self.client("different", proxy: .system),
            try Self.client("different", languages: ["sv"]),
        ]
        #expect(Set(clients.map { ObjectIdentifier($0.shared) }).count == clients.count)
    }

    @Test func `A client with its own components does not share an engine`() throws {
        let shared = try Self.client("parts").shared
        let (server, app) = ("https://id.example.com", "parts")
        let time = VirtualTime()
        let clients = try [
            LatchkeyClient(server: server, app: app) {
                $0.store = MemoryStore()
                $0.proxy = .none
                $0.languages = []
            },
            LatchkeyClient(server: server, app: app) {
                $0.storage = .memory
                $0.proxy = .none
                $0.languages = []
                $0.time = time
            },
            LatchkeyClient(server: server, app: app) {
                $0.storage = .memory
                $0.proxy = .none
                $0.languages = []
                $0.random = SeededRandom()
            },
            LatchkeyClient(server: server, app: app) {
                $0.storage = .memory
                $0.proxy = .none
                $0.languages = []
                $0.recorder = ExchangeRecorder { _ in }
            },
            LatchkeyClient(server: server, app: app) {
                $0.storage = .memory
                $0.transport = Unreachable()
                $0.proxy = .none
                $0.languages = []
            },
        ]
        for client in clients { #expect(client.shared !== shared) }
    }

    @Test func `An engine is released with its last client`() throws {
        weak var engine: SharedEngine?
        do {
            let first = try Self.client("released")
            let second = try Self.client("released")
            engine = first.shared
            #expect(second.shared === engine)
        }
        #expect(engine == nil)
        _ = try Self.client("released")
    }

    @Test func `A sign-out in one client is visible to the others immediately`() async throws {
        let (one, other) = (try Self.client("visible"), try Self.client("visible"))
        let stored = StoredSession(
            login: LoginID(random: SeededRandom()),
            session: UserSession(id: "", identity: Identity(id: "1", schema: "person")),
            credential: .sessionToken("token"),
            key: StoredKey([]),
            certificate: nil,
            requiresCertificate: false
        )
        try await one.engine.keeper.commit(stored, of: one.beginAttempt())
        #expect(other.sessionState == .signedIn(stored.session))

        one.signOut()

        #expect(other.sessionState == .signedOut)
    }

    @Test(arguments: [AccountSlot.default, .named("work")])
    func `A client uses the store of its account slot`(_ slot: AccountSlot) throws {
        let client = try Self.client("records", slot: slot, storage: .file)

        let name = Mirror(reflecting: client.engine.keeper.store).descendant("app") as? String

        #expect(name == (try AppID("records").record(of: slot)))
    }

    @Test func `A sign-out in one account slot does not affect another`() async throws {
        let work = try Self.client("slots", slot: .named("work"))
        let home = try Self.client("slots")
        let stored = StoredSession(
            login: LoginID(random: SeededRandom()),
            session: UserSession(id: "", identity: Identity(id: "1", schema: "person")),
            credential: .sessionToken("token"),
            key: StoredKey([]),
            certificate: nil,
            requiresCertificate: false
        )
        try await work.engine.keeper.commit(stored, of: work.beginAttempt())

        home.signOut()

        #expect(home.sessionState == .signedOut)
        #expect(work.sessionState == .signedIn(stored.session))
    }
}

private struct Unreachable: Transport {
    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        throw TransportError(.unreachable, message: "There is no network.")
    }
}
