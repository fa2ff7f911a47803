import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

/// The tests cover the metrics that the server exports about itself.
@Suite(.onEachDatabase) struct `Server metrics` {
    /// Returns the samples of a server, keyed by their name and labels.
    private static func samples(_ server: SelfServiceServer) async -> [String: Double] {
        var text = MetricsText()
        server.resources.metrics.write(to: &text)
        for source in server.assembly.moduleMetrics { await source.write(to: &text) }
        return samples(text)
    }

    private static func samples(_ metrics: ServerMetrics) -> [String: Double] {
        var text = MetricsText()
        metrics.write(to: &text)
        return samples(text)
    }

    private static func samples(_ text: MetricsText) -> [String: Double] {
        var samples: [String: Double] = [:]
        for line in text.text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        return samples
    }

    private static func requests(_ route: String, _ method: String, _ status: String) -> String {
        #"latchkey_http_request_duration_seconds_count{route="\#(route)",method="\#(method)",status="\#(status)"}"#
    }

    @Test func `Requests are counted by route, method and status`() async throws {
        let server = try await SelfServiceServer()
        for _ in 0..<3 { _ = await server.begin(.login) }
        _ = await server.get("/sessions/whoami")
        _ = await server.get("/schemas/person")
        _ = await server.get("/schemas/missing")
        _ = await server.send(HTTP.Request(.head, "/a/schemas"))
        _ = await server.get("/nowhere")
        _ = await server.delete("/schemas")

        let samples = await Self.samples(server)
        let counts = samples.filter { $0.key.hasPrefix("latchkey_http_request_duration_seconds_count") }

        #expect(
            counts == [
                Self.requests("/a/self-service/login/api", "GET", "2xx"): 3,
                Self.requests("/a/sessions/whoami", "GET", "4xx"): 1,
                Self.requests("/a/schemas/{id}", "GET", "2xx"): 1,
                Self.requests("/a/schemas/{id}", "GET", "4xx"): 1,
                Self.requests("/a/schemas", "HEAD", "2xx"): 1,
                Self.requests("unmatched", "unmatched", "4xx"): 2,
            ]
        )
    }

    @Test func `Flows are counted when they are started, submitted and completed`() async throws {
        let server = try await SelfServiceServer()
        try await server.register(1)
        try await server.register(1)
        _ = try await server.login()
        _ = try await server.login("person1@example.org", "wrong-Horse-7-battery")
        _ = try await server.submit(.login, await server.begin(.login), .object(["method": "surprise"]))

        let samples = await Self.samples(server)

        #expect(samples[#"latchkey_flows_started_total{kind="registration"}"#] == 2)
        #expect(samples[#"latchkey_flows_started_total{kind="login"}"#] == 3)
        #expect(samples[#"latchkey_flows_submitted_total{kind="registration",method="password"}"#] == 2)
        #expect(samples[#"latchkey_flows_submitted_total{kind="login",method="password"}"#] == 2)
        #expect(samples[#"latchkey_flows_submitted_total{kind="login",method="other"}"#] == 1)
        #expect(samples[#"latchkey_flows_succeeded_total{kind="registration",method="password"}"#] == 1)
        #expect(samples[#"latchkey_flows_succeeded_total{kind="login",method="password"}"#] == 1)
        #expect(samples[#"latchkey_flows_succeeded_total{kind="login",method="code"}"#] == 0)
        // Neither the rejected submissions nor the form with the unknown method complete a login.
        #expect(samples[#"latchkey_flows_succeeded_total{kind="login",method="other"}"#] == 0)
        #expect(samples[#"latchkey_flows_succeeded_total{kind="registration",method="other"}"#] == 0)
    }

    @Test func `Metrics count recovery flows, sent codes and code requests that exceed a limit`()
        async throws
    {
        let server = try await SelfServiceServer()
        try await server.register(1)
        let address: JSONValue = "person1@example.org"
        for kind in [FlowKind.recovery, .recovery, .verification] {
            _ = try await server.submitCode(kind, await server.begin(kind), ["email": address])
        }
        // If the clock were advanced earlier, a message that is being delivered would be considered lost and
        // sent again.
        await server.messagesAreSent()
        server.time.advance(by: .seconds(60))
        let flow = await server.begin(.recovery)
        _ = try await server.submitCode(.recovery, flow, ["email": address])
        let code = try await server.code(for: "person1@example.org")
        let recovered = try await server.submitCode(.recovery, flow, ["code": .string(code)])
        #expect(recovered["state"]?.text == "passed_challenge")

        let samples = await Self.samples(server)

        #expect(samples[#"latchkey_flows_started_total{kind="recovery"}"#] == 3)
        #expect(samples[#"latchkey_flows_submitted_total{kind="recovery",method="code"}"#] == 4)
        #expect(samples[#"latchkey_flows_succeeded_total{kind="recovery",method="code"}"#] == 1)
        #expect(samples[#"latchkey_limit_refusals_total{rule="codes_per_recipient"}"#] == 2)
        #expect(samples[#"latchkey_limit_refusals_total{rule="codes_per_address"}"#] == 0)
        #expect(samples[#"latchkey_messages_total{channel="email",outcome="sent"}"#] == 2)
        #expect(samples[#"latchkey_messages_total{channel="email",outcome="abandoned"}"#] == 0)
    }

    @Test(arguments: [DatabaseError.Code.overloaded, .failed])
    func `Database errors are counted`(code: DatabaseError.Code) async {
        let metrics = ServerMetrics()
        let broken = Endpoint(.get, "/broken", accepts: .none, operation: .test) { _ in
            throw DatabaseError(code, message: "sql")
        }
        let router = Router([broken], basePath: "", time: VirtualTime(), metrics: metrics.requests)

        _ = await router.respond(to: HTTP.Request(.get, "/broken"), from: .inProcess)
        let samples = Self.samples(metrics)

        #expect(samples[#"latchkey_database_errors_total{code="\#(code.rawValue)"}"#] == 1)
        #expect(samples[Self.requests("/broken", "GET", "5xx")] == 1)
    }

    @Test func `Requesting arbitrary paths doesn't create an unlimited number of label combinations`()
        async throws
    {
        let server = try await SelfServiceServer()
        let before = await Self.samples(server).count
        for number in 0..<10_000 {
            var request = HTTP.Request(
                HTTP.Method(rawValue: number % 2 == 0 ? "GET" : "M\(number)"),
                "/a/\(number)/someone@example.org",
                query: "token=lk_st_\(number)"
            )
            if number % 3 == 0 { request.path = "/a/schemas/+46700000\(number)" }
            _ = await server.send(request)
        }

        var text = MetricsText()
        server.resources.metrics.write(to: &text)

        #expect(await Self.samples(server).count <= before + 3 * (RequestMeter.bounds.count + 3))
        for trace in ["example.org", "lk_st_", "+4670", "M1", "/a/1"] { #expect(!text.text.contains(trace)) }
    }

    @Test(arguments: [
        (0, "5e-05"), (50, "5e-05"), (51, "0.0001"), (1000, "0.001"), (999_999, "1.0"), (10_000_000, "10.0"),
        (10_000_001, "+Inf"), (-5, "5e-05"),
    ])
    func `A request is counted in the smallest bucket that it fits into`(microseconds: Int64, bound: String) {
        let metrics = ServerMetrics()
        metrics.requests.meter(route: "/r", method: "GET").observe(status: 200, .microseconds(microseconds))

        let samples = Self.samples(metrics)
        let buckets = samples.filter { $0.key.contains("_bucket{") && $0.value == 1 }
            .compactMap { $0.key.split(separator: "le=\"").last?.dropLast(2) }

        #expect(buckets.contains { $0 == bound })
        #expect(
            buckets.count == RequestMeter.bounds.count + 1
                - RequestMeter.bounds.filter { $0 < microseconds }.count
        )
        #expect(samples[Self.requests("/r", "GET", "2xx")] == 1)
    }

    @Test func `Metric names follow the Prometheus conventions`() throws {
        for metric in Metric.allCases {
            #expect(metric.rawValue.wholeMatch(of: /(latchkey|process)_[a-z_]+/) != nil)
            #expect((metric.kind == .counter) == metric.rawValue.hasSuffix("_total"))
            #expect(!metric.help.contains("\n"))
        }
    }
}
