import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Phone verification` {
    private let server: TestServer
    private let client: SignUpClient
    private let phone = SignUpClient.phone

    init() async throws {
        var settings = TestServer.configuration()
        // The lifespan exceeds that of a code, so that a code can expire within its flow.
        settings.flows.lifespan = .seconds(3600)
        server = try await TestServer(configuration: settings)
        client = SignUpClient(server)
    }

    @Test func `responds as documented`() async throws {
        let flow = try await client.begin()
        let started = try await client.start(flow)
        #expect(started.status == 201)
        #expect(started.body.isEmpty)

        let checked = try await client.check(flow, code: server.codes.code(for: phone).exposed)
        #expect(checked.status == 200)
        #expect(checked.headers["Content-Type"] == "application/json;charset=UTF-8")
        #expect(
            try checked.decoded(PhoneVerificationBody.Verified.self).message == "Phone verified successfully"
        )
        #expect(try await client.finish(flow).status == 200)
    }

    @Test(
        arguments: [HTTP.Method.post, .patch],
        [
            ["Content-Type": "text/plain"], [:], ["Content-Type": "application/x-www-form-urlencoded"],
            ["Content-Type": "application/json", "Origin": "https://evil.example"],
            ["Content-Type": "application/json", "Cookie": "a=b"],
        ] as [HTTP.Headers]
    ) func `rejects requests that a web page can send`(_ method: HTTP.Method, _ headers: HTTP.Headers)
        async throws
    {
        let (flow, code) = try await started()
        let body =
            method == .post
            ? try JSONCoding.encode(PhoneVerificationBody.Start(phoneNumber: "+439999999998", flowId: flow))
            : try JSONCoding.encode(PhoneVerificationBody.Check(flowId: flow, otp: code.exposed))
        let request = HTTP.Request(method, Route.phoneVerification, headers: headers, body: body)
        let refused = try await client.transport.send(request, to: TestServer.url)
        #expect(refused.status == 400)
        #expect(server.codes.messages(for: "+439999999998").isEmpty)
        // The rejected request was not counted as a guess.
        #expect(try await client.check(flow, code: code.exposed).status == 200)
    }

    @Test func `accepts five guesses at a code, and after that not even the correct code`() async throws {
        let (flow, code) = try await started()
        for _ in 1...5 { try await expect(.codeInvalid, client.check(flow, code: code.wrong)) }
        try await expect(.codeAttemptsExhausted, client.check(flow, code: code.exposed))
    }

    @Test func `accepts the correct code as the fifth guess`() async throws {
        let (flow, code) = try await started()
        for _ in 1...4 { try await expect(.codeInvalid, client.check(flow, code: code.wrong)) }
        #expect(try await client.check(flow, code: code.exposed).status == 200)
    }

    @Test func `counts five of many concurrent guesses`() async throws {
        let (flow, code) = try await started()
        let ids = try await withThrowingTaskGroup(of: ErrorID?.self) { group in
            for _ in 0..<40 {
                group.addTask { [client] in try await client.check(flow, code: code.wrong).errorID }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ids.filter { $0 == .codeInvalid }.count == 5)
        #expect(ids.filter { $0 == .codeAttemptsExhausted }.count == 35)
    }

    @Test func `rejects a code after ten minutes`() async throws {
        let (flow, code) = try await started()
        server.time.advance(by: .seconds(600))
        try await expect(.codeExpired, client.check(flow, code: code.exposed))
    }

    @Test func `accepts a code once`() async throws {
        let (flow, code) = try await started()
        #expect(try await client.check(flow, code: code.exposed).status == 200)
        try await expect(.codeUsed, client.check(flow, code: code.exposed))
        try await expect(.codeUsed, client.check(flow, code: code.wrong))
    }

    @Test func `accepts a code once from twenty concurrent requests`() async throws {
        let (flow, code) = try await started()
        let ids = try await withThrowingTaskGroup(of: ErrorID?.self) { group in
            for _ in 0..<20 {
                group.addTask { [client] in try await client.check(flow, code: code.exposed).errorID }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ids.filter { $0 == nil }.count == 1)
        #expect(ids.filter { $0 == .codeUsed }.count == 19)
    }

    @Test func `rejects the code of another flow`() async throws {
        let (_, code) = try await started()
        let (other, _) = try await started(phone: "+4311111111")
        // Both codes are random, so they are equal once in a million runs.
        try await expect(.codeInvalid, client.check(other, code: code.exposed))
        try await expect(.codeInvalid, client.check(client.begin(), code: code.exposed))
    }

    @Test func `replaces the old code and resets its guesses when a new one is sent`() async throws {
        let (flow, old) = try await started()
        for _ in 1...5 { try await expect(.codeInvalid, client.check(flow, code: old.wrong)) }
        server.time.advance(by: .seconds(30))
        #expect(try await client.start(flow).status == 201)
        let new = try await server.codes.code(for: phone)
        if new != old { try await expect(.codeInvalid, client.check(flow, code: old.exposed)) }
        #expect(try await client.check(flow, code: new.exposed).status == 200)
    }

    @Test func `retains a verified number when a code is sent again, and discards it if the number changes`()
        async throws
    {
        let (flow, code) = try await started()
        #expect(try await client.check(flow, code: code.exposed).status == 200)
        server.time.advance(by: .seconds(30))
        #expect(try await client.start(flow).status == 201)
        #expect(try await verifiedPhone(of: flow) == phone)
        #expect(try await client.start(flow, phone: "+4311111111").status == 201)
        #expect(try await verifiedPhone(of: flow) == nil)
        #expect(try await client.finish(flow).status == 400)
    }

    @Test(arguments: ["", "12345", "1234567", "abcdef", "１２３４５６"])
    func `counts no guess for a text that cannot be a code`(text: String) async throws {
        let (flow, code) = try await started()
        for _ in 1...6 { try await expect(.codeInvalid, client.check(flow, code: text)) }
        #expect(try await client.check(flow, code: code.exposed).status == 200)
    }

    @Test func `accepts only open registration flows`() async throws {
        let login = try await client.send(.get, "/a" + Route.loginInit).decoded(FlowBody.self).id
        for flow in [login, "nonsense", "ef23c1db-0000-4022-873c-cf26fc1372fa"] {
            #expect(try await client.start(flow).status == 404)
            #expect(try await client.check(flow, code: "271501").status == 404)
        }
        #expect(server.codes.codes(for: phone).isEmpty)
    }

    @Test func `names a new flow when the old one has expired`() async throws {
        let (flow, code) = try await started()
        server.time.advance(by: .seconds(3600))
        let answers = [
            ("+4311111111", try await client.start(flow)),
            ("+4322222222", try await client.check(flow, code: code.exposed)),
        ]
        for (phone, response) in answers {
            #expect(response.status == 410)
            #expect(response.errorID == .flowExpired)
            let next = try #require(try response.decoded(ErrorBody.self).useFlowID)
            #expect(next != flow)
            #expect(try await client.start(next, phone: phone).status == 201)
        }
    }

    @Test func `is rejected when its flow has succeeded`() async throws {
        let (flow, code) = try await started()
        #expect(try await client.check(flow, code: code.exposed).status == 200)
        #expect(try await client.finish(flow).status == 200)
        #expect(try await client.check(flow, code: code.exposed).errorID == .flowExpired)
        server.time.advance(by: .seconds(30))
        #expect(try await client.start(flow).errorID == .flowExpired)
    }

    @Test func `gives the same responses for numbers with and without an account`() async throws {
        let (flow, code) = try await started()
        #expect(try await client.check(flow, code: code.exposed).status == 200)
        #expect(try await client.finish(flow).status == 200)
        server.time.advance(by: .seconds(30))
        let known = try await client.start(client.begin())
        let unknown = try await client.start(client.begin(), phone: "+4311111111")
        #expect(known.status == unknown.status)
        #expect(known.body == unknown.body)
        #expect(known.headers.fields.map(\.name) == unknown.headers.fields.map(\.name))
    }

    @Test func `reports that a provider rejects a number`() async throws {
        server.codes.fail(.refused)
        let response = try await client.start(client.begin())
        #expect(response.status == 502)
        #expect(response.errorID == .deliveryFailed)
    }

    @Test func `leaves retries of a failed message to the courier`() async throws {
        server.codes.fail(.failed)
        #expect(try await client.start(client.begin()).status == 201)
    }

    @Test(arguments: [
        "", "[]", "{", #""text""#, "{}",
        #"{"phoneNumber":1,"phoneType":"PRIMARY","flowId":"F","flowType":"REGISTRATION","otp":1}"#,
        #"{"phoneNumber":"+439999999999","phoneType":"PRIMARY","flowId":null,"flowType":"REGISTRATION","otp":"1"}"#,
        #"{"phoneNumber":"+439999999999","phoneType":"OTHER","flowId":"F","flowType":"REGISTRATION","otp":"1"}"#,
        #"{"phoneNumber":"+439999999999","phoneType":"PRIMARY","flowId":"F","flowType":"LOGIN","otp":"1"}"#,
    ])
    func `rejects a body with invalid members`(body: String) async throws {
        let flow = try await client.begin()
        let bytes = Array(body.replacing("\"F\"", with: "\"\(flow)\"").utf8)
        for method in [HTTP.Method.post, .patch] {
            let response = try await client.send(method, Route.phoneVerification, body: bytes)
            #expect(response.status == 400)
            #expect(response.errorID == nil)
            #expect(try response.decoded(ErrorBody.self).error.reason?.isEmpty == false)
        }
    }

    @Test func `rejects a body that is too large`() async throws {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: 5000)
        for method in [HTTP.Method.post, .patch] {
            #expect(try await client.send(method, Route.phoneVerification, body: body).status == 413)
        }
    }

    private func started(phone: String = SignUpClient.phone) async throws -> (String, OneTimeCode) {
        let flow = try await client.begin()
        try #require(try await client.start(flow, phone: phone).status == 201)
        return (flow, try await server.codes.code(for: phone))
    }

    private func verifiedPhone(of flow: String) async throws -> String? {
        let rows = try await #require(server.database).rows(
            "SELECT verified_phone FROM flows WHERE id = $1",
            .identifier(Identifier(flow))
        )
        return try #require(rows.first).optional(0, as: Row.text)
    }

    private func expect(
        _ id: ErrorID,
        _ response: HTTP.Response,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 400, sourceLocation: sourceLocation)
        #expect(response.errorID == id, sourceLocation: sourceLocation)
    }
}
