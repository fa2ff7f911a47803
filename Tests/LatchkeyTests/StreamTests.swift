import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Streams with credentials` {
    private static let request = HTTP.Request(.post, "/orders")

    private func upload(_ count: Locked<Int>, isRepeatable: Bool) -> HTTP.Upload {
        HTTP.Upload(isRepeatable: isRepeatable) { write in
            count.withLock { $0 += 1 }
            try await write([1, 2])
            try await write([3])
        }
    }

    @Test(arguments: [true, false])
    func `A rejected token is refreshed, and a repeatable upload is sent again`(isRepeatable: Bool)
        async throws
    {
        let app = try await TestApp.withAccessTokens()
        #expect(try await app.callAPI() == 200)
        app.api.refuse(app.api.tokens[0])
        let count = Locked(0)

        let answer = try await app.client.stream(
            Self.request,
            upload: upload(count, isRepeatable: isRepeatable),
            to: TokenCheckingAPI.url
        )

        #expect(answer.status == (isRepeatable ? 200 : 401))
        #expect(count.withLock { $0 } == (isRepeatable ? 2 : 1))
        #expect(app.network.exchanges.last { $0.request.path == "/orders" }?.request.body == [1, 2, 3])
        #expect(try await app.callAPI() == 200)
        await app.maintenanceEnds()
        #expect(app.tokenRequests == 2)
    }

    @Test func `An error of an upload's producer is kept as the cause`() async throws {
        struct Failure: Error {}
        let app = try await TestApp.withAccessTokens()

        let error = await failure {
            try await app.client.stream(
                Self.request,
                upload: HTTP.Upload { _ in throw Failure() },
                to: TokenCheckingAPI.url
            ).status
        }

        #expect(error?.code == .invalidInput)
        #expect((error?.cause as? TransportError)?.cause is Failure)
    }

    @Test func `A stream is not opened to another origin`() async throws {
        let app = try await TestApp.withAccessTokens()

        let error = await failure {
            try await app.client.stream(Self.request, to: "https://evil.example").status
        }

        #expect(error?.code == .originNotAllowed)
    }

    @Test func `A streaming request that keeps failing with a 401 is retried at most twice`() async throws {
        let app = try await TestApp.withAccessTokens()
        app.api.refuse(nil)

        #expect(try await app.client.stream(Self.request, to: TokenCheckingAPI.url).status == 401)

        #expect(app.api.tokens.count <= 3)
        #expect(app.isLoggedIn)
    }
}
