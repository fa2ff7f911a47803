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
        // In these tests, flows are valid for longer than codes, so a code can expire while its flow is still
        // valid.
        settings.flows.lifespan = .seconds(3600)
        server = try await TestServer(configuration: settings)
        client = SignUpClient(server)
    }

    @Test func `Verifying a phone number returns the documented responses`() async throws {
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
    ) func `Requests that a web page could send are rejected`(_ method: HTTP.Method, _ headers: HTTP.Headers)
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
        // The rejected request doesn't count as a guess.
        #expect(try await client.check(flow, code: code.exposed).status == 200)
    }

    @Test func `After five wrong guesses, even the correct code is rejected`() async throws {
        let (flow, code) = try await started()
        for _ in 1...5 { try await expect(.codeInvalid, client.check(flow, code: code.wrong)) }
        try await expect(.codeAttemptsExhausted, client.check(flow, code: code.exposed))
    }

    @Test func `The correct code is accepted as the fifth guess`() async throws {
        let (flow, code) = try await started()
        for _ in 1...4 { try await expect(.codeInvalid, client.check(flow, code: code.wrong)) }
        #expect(try await client.check(flow, code: code.exposed).status == 200)
    }

    @Test func `Only five of many concurrent guesses are checked`() async throws {
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

    @Test func `A code is rejected after ten minutes`() async throws {
        let (flow, code) = try await started()
        server.time.advance(by: .seconds(600))
        try await expect(.codeExpired, client.check(flow, code: code.exposed))
    }

    @Test func `A code can only be used once`() async throws {
        let (flow, code) = try await started()
        #expect(try await client.check(flow, code: code.exposed).status == 200)
        try await expect(.codeUsed, client.check(flow, code: code.exposed))
        try await expect(.codeUsed, client.check(flow, code: code.wrong))
    }

    @Test func `A code is accepted only once when it is submitted concurrently`() async throws {
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

    @Test func `A code from a different flow is rejected`() async throws {
        let (_, code) = try await started()
        let (other, _) = try await started(phone: "+4311111111")
        // Both codes are random, so there is a one in a million chance that they are the same.
        try await expect(.codeInvalid, client.check(other, code: code.exposed))
        try await expect(.codeInvalid, client.check(client.begin(), code: code.exposed))
    }

    @Test func `A new code replaces the old one and resets the number of guesses`() async throws {
        let (flow, old) = try await started()
        for _ in 1...5 { try await expect(.codeInvalid, client.check(flow, code: old.wrong)) }
        server.time.advance(by: .seconds(30))
        #expect(try await client.start(flow).status == 201)
        let new = try await server.codes.code(for: phone)
        if new != old { try await expect(.codeInvalid, client.check(flow, code: old.exposed)) }
        #expect(try await client.check(flow, code: new.exposed).status == 200)
    }

    @Test func `Requesting another code for the same number keeps it verified`()
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

    @Test(arguments: ["", "12345", "1234567", "abcdef", "１２３４５Ⅵ"])
    func `Text that can't be a code doesn't count as a guess`(text: String) async throws {
        let (flow, code) = try await started()
        for _ in 1...6 { try await expect(.codeInvalid, client.check(flow, code: text)) }
        #expect(try await client.check(flow, code: code.exposed).status == 200)
    }

    @Test func `Only open registration flows are accepted`() async throws {
        let login = try await client.send(.get, "/a" + Route.loginInit).decoded(FlowBody.self).id
        for flow in [login, "nonsense", "ef23c1db-0000-4022-873c-cf26fc1372fa"] {
            #expect(try await client.start(flow).status == 404)
            #expect(try await client.check(flow, code: "271501").status == 404)
        }
        #expect(server.codes.codes(for: phone).isEmpty)
    }

    @Test func `A flow that has expired is replaced with a new one`() async throws {
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

    @Test func `Requests are rejected once the flow has been completed`() async throws {
        let (flow, code) = try await started()
        #expect(try await client.check(flow, code: code.exposed).status == 200)
        #expect(try await client.finish(flow).status == 200)
        #expect(try await client.check(flow, code: code.exposed).errorID == .flowExpired)
        server.time.advance(by: .seconds(30))
        #expect(try await client.start(flow).errorID == .flowExpired)
    }

    @Test func `Phone numbers with and without an account get the same responses`() async throws {
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

    @Test func `The response reports that the provider has rejected the phone number`() async throws {
        server.codes.fail(.refused)
        let response = try await client.start(client.begin())
        #expect(response.status == 502)
        #expect(response.errorID == .deliveryFailed)
    }

    @Test func `The courier retries a message that couldn't be sent`() async throws {
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
    func `A body with invalid members is rejected`(body: String) async throws {
        let flow = try await client.begin()
        let bytes = Array(body.replacing("\"F\"", with: "\"\(flow)\"").utf8)
        for method in [HTTP.Method.post, .patch] {
            let response = try await client.send(method, Route.phoneVerification, body: bytes)
            #expect(response.status == 400)
            #expect(response.errorID == nil)
            #expect(try response.decoded(ErrorBody.self).error.reason?.isEmpty == false)
        }
    }

    @Test func `A body that is too large is rejected`() async throws {
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
