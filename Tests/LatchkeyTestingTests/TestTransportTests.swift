import LatchkeyCore
import LatchkeyModel
import LatchkeyTesting
import LatchkeyWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Test transport` {
    private let time = VirtualTime()
    private let counter = Counter()
    private let transport: TestTransport

    init() {
        let counter = counter
        transport = TestTransport(origin: "http://id.test", time: time) {
            { _ in await counter.response() }
        }
    }

    @Test func `The response is returned and the exchange is recorded`() async throws {
        let response = try await get("/a")
        #expect(response.status == 200)
        #expect(transport.exchanges.map(\.request.path) == ["/a"])
        #expect(transport.exchanges.first?.response?.status == 200)
        transport.forgetExchanges()
        #expect(transport.exchanges.isEmpty)
    }

    @Test func `A server that was not added cannot be reached`() async {
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTP.Request(.get, "/"), to: "http://other.test")
        }
        #expect(error?.code == .unreachable)
    }

    @Test(arguments: [
        (NetworkFault.unreachable, TransportError.Code.unreachable, true, 0),
        (.dropRequest, .timedOut, false, 0),
        (.dropAnswer, .timedOut, false, 1),
    ])
    func `Injected network faults make requests fail`(
        fault: NetworkFault,
        code: TransportError.Code,
        neverSent: Bool,
        answered: Int
    ) async throws {
        transport.inject(fault)
        let error = await #expect(throws: TransportError.self) { try await get("/") }
        #expect(error?.code == code)
        #expect(error?.neverSent == neverSent)
        #expect(counter.count == answered)
        #expect(try await get("/").status == 200)
    }

    @Test func `The transport can respond in place of the server`() async throws {
        transport.inject(.answer(429, retryAfter: 7))
        let response = try await get("/")
        #expect(response.status == 429)
        #expect(response.headers["Retry-After"] == "7")
        #expect(counter.count == 0)
    }

    @Test func `A fault can be limited to certain requests and to a number of occurrences`() async throws {
        transport.inject(.answer(500), on: .put, "/b", times: 2)
        #expect(try await get("/b").status == 200)
        for expected in [500, 500, 200] {
            let response = try await transport.send(HTTP.Request(.put, "/b"), to: "http://id.test")
            #expect(response.status == expected)
        }
        transport.inject(.answer(500), times: .max)
        transport.removeFaults()
        #expect(try await get("/").status == 200)
    }

    @Test(arguments: [0, -1]) func `A fault with zero or negative repetitions is not injected`(_ times: Int)
        async throws
    {
        transport.inject(.answer(500), times: times)
        #expect(try await get("/").status == 200)
    }

    @Test func `A delayed request waits on the virtual clock`() async throws {
        transport.inject(.delay(.seconds(3)))
        async let response = get("/")
        await time.sleepers(atLeast: 1)
        #expect(counter.count == 0)
        time.advance(by: .seconds(3))
        #expect(try await response.status == 200)
    }

    @Test func `A cancelled caller resumes while the server completes the request`() async {
        counter.hold()
        let call = Task { try await get("/") }
        await counter.held()
        call.cancel()
        let outcome = await call.result
        #expect(throws: TransportError.self) { try outcome.get() }
        counter.release()
        await transport.settled()
        #expect(counter.count == 1)
        #expect(transport.exchanges.count == 1)
    }

    private func get(_ path: String) async throws(TransportError) -> HTTP.Response {
        try await transport.send(HTTP.Request(.get, path), to: "http://id.test")
    }
}

/// Responds to every request with 200 and counts the requests.
///
/// A test can delay the responses.
private final class Counter: Sendable {
    private let answered = Locked(0)
    private let gate = Locked<VirtualTime?>(nil)

    var count: Int { answered.withLock { $0 } }

    func hold() {
        gate.withLock { $0 = VirtualTime() }
    }

    func held() async {
        await gate.withLock { $0 }?.sleepers(atLeast: 1)
    }

    func release() {
        gate.withLock { $0 }?.advance(by: .seconds(1))
    }

    func response() async -> HTTP.Response {
        try? await gate.withLock { $0 }?.sleep(for: .seconds(1))
        answered.withLock { $0 += 1 }
        return HTTP.Response(200)
    }
}
