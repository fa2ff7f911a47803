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
        (.dropResponse, .timedOut, false, 1),
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
        transport.inject(.respond(429, retryAfter: 7))
        let response = try await get("/")
        #expect(response.status == 429)
        #expect(response.headers["Retry-After"] == "7")
        #expect(counter.count == 0)
    }

    @Test func `A fault can be limited to certain requests and to a number of occurrences`() async throws {
        transport.inject(.respond(500), on: .put, "/b", times: 2)
        #expect(try await get("/b").status == 200)
        for expected in [500, 500, 200] {
            let response = try await transport.send(HTTP.Request(.put, "/b"), to: "http://id.test")
            #expect(response.status == expected)
        }
        transport.inject(.respond(500), times: .max)
        transport.removeFaults()
        #expect(try await get("/").status == 200)
    }

    @Test(arguments: [0, -1]) func `A fault with zero or negative repetitions is not injected`(_ times: Int)
        async throws
    {
        transport.inject(.respond(500), times: times)
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

    @Test(arguments: [
        (Duration.seconds(15), RequestLimits(), Duration.seconds(15)),
        (.seconds(120), RequestLimits(), .seconds(15)),
        (.seconds(2), RequestLimits(timeout: .seconds(1)), .seconds(1)),
        (.seconds(1), RequestLimits(timeout: .zero), .milliseconds(1)),
    ])
    func `A delayed request fails when its time limit is reached and is not sent`(
        delay: Duration,
        limits: RequestLimits,
        limit: Duration
    ) async throws {
        transport.inject(.delay(delay))
        let call = Task {
            try await transport.send(HTTP.Request(.get, "/"), to: "http://id.test", limits: limits)
        }
        await time.sleepers(atLeast: 1)
        #expect(time.untilNextWake == limit)
        time.advance(by: limit)
        #expect(await code(of: call) == .timedOut)
        #expect(counter.count == 0)
    }

    @Test(arguments: [(Duration.seconds(14), Duration?.none), (.seconds(120), .seconds(121))])
    func `A delayed request is sent if its time limit allows the delay`(
        delay: Duration,
        limit: Duration?
    ) async throws {
        transport.inject(.delay(delay))
        let limits = RequestLimits(timeout: limit)
        let call = Task {
            try await transport.send(HTTP.Request(.get, "/"), to: "http://id.test", limits: limits)
        }
        await time.sleepers(atLeast: 1)
        time.advance(by: delay)
        #expect(try await call.value.status == 200)
    }

    @Test(arguments: [
        (Duration.seconds(10), [Duration.seconds(10)], false),
        (.seconds(20), [.seconds(15)], true),
        (.seconds(20), [.seconds(20)], true),
        (.seconds(10), [.seconds(60)], true),
        (.seconds(3600), [.seconds(14), .seconds(1)], true),
    ])
    func `A stub has 15 seconds on the virtual clock to respond`(
        _ duration: Duration,
        steps: [Duration],
        isTooLate: Bool
    ) async throws {
        transport.serve("https://api.test") { [time] _ in
            try? await time.sleep(for: duration)
            return HTTP.Response(204)
        }
        let call = Task { try await transport.send(HTTP.Request(.get, "/"), to: "https://api.test") }
        await time.sleepers(atLeast: 1)
        for step in steps { time.advance(by: step) }
        #expect(await code(of: call) == (isTooLate ? .timedOut : nil))
        time.advance(by: .seconds(3600))
    }

    @Test func `A stub that never responds does not keep the server from stopping`() async throws {
        let never = OneShot<Void>()
        let begun = OneShot<Void>()
        transport.serve("https://api.test") { _ in
            begun.set(())
            _ = await never.value
            return HTTP.Response(204)
        }
        let call = Task { try await transport.send(HTTP.Request(.get, "/"), to: "https://api.test") }
        _ = await begun.value
        // A time limit isn't a sleeping task.
        #expect(time.untilNextWake == nil)
        time.advance(by: .seconds(15))
        #expect(await code(of: call) == .timedOut)
        await transport.settled()
        never.set(())
    }

    @Test func `The server has no time limit, because it takes no time on the virtual clock`() async throws {
        counter.hold()
        let call = Task { try await get("/") }
        await counter.held()
        time.advance(by: .seconds(3600))
        counter.release()
        #expect(try await call.value.status == 200)
    }

    @Test(arguments: [
        (1 << 20, RequestLimits(), nil),
        ((1 << 20) + 1, RequestLimits(), TransportError.Code.invalidResponse),
        (3, RequestLimits(bodyLimit: 3), nil), (4, RequestLimits(bodyLimit: 3), .invalidResponse),
        (2 << 20, RequestLimits(bodyLimit: 2 << 20), nil),
    ])
    func `A response is limited to 1 MiB, unless the request has another limit`(
        _ size: Int,
        limits: RequestLimits,
        code: TransportError.Code?
    ) async throws {
        transport.serve("https://api.test") { _ in
            HTTP.Response(200, body: [UInt8](repeating: 1, count: size))
        }
        let call = Task {
            try await transport.send(HTTP.Request(.get, "/"), to: "https://api.test", limits: limits)
        }
        #expect(await self.code(of: call) == code)
    }

    @Test func `A streamed response can have any size`() async throws {
        transport.serve("https://api.test") { _ in
            HTTP.Response(200, body: [UInt8](repeating: 1, count: 3 << 20))
        }
        let answer = try await transport.streamOrBuffer(
            HTTP.Request(.get, "/"),
            upload: nil,
            to: "https://api.test",
            limits: RequestLimits()
        )
        #expect(try await answer.body.collected(upTo: .max).count == 3 << 20)
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

    /// Returns the error code of a call, or `nil` if there was a response.
    private func code(of call: Task<HTTP.Response, any Error>) async -> TransportError.Code? {
        switch await call.result {
        case .success: nil
        case .failure(let error): (error as? TransportError)?.code
        }
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
