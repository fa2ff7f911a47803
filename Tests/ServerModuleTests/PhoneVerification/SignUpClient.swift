import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// An app that signs up a user with a phone number.
struct SignUpClient: Sendable {
    static let phone = "+439999999999"

    let transport: TestTransport

    init(_ server: TestServer, from address: String = "127.0.0.1") {
        transport = server.transport(from: address)
    }

    /// Begins a registration flow.
    func begin() async throws -> String {
        let response = try await send(.get, "/a" + Route.registrationInit)
        return try response.decoded(FlowBody.self).id
    }

    /// Begins a registration flow and verifies a phone number in it.
    func beginVerified(_ phone: String = phone, on server: TestServer) async throws -> String {
        let flow = try await begin()
        try #require(try await start(flow, phone: phone).status == 201)
        let code = try await server.codes.code(for: phone)
        try #require(try await check(flow, code: code.exposed).status == 200)
        return flow
    }

    /// Requests a code for a phone number.
    func start(_ flow: String, phone: String = phone) async throws -> HTTP.Response {
        let body = PhoneVerificationBody.Start(phoneNumber: phone, flowId: flow)
        return try await send(.post, Route.phoneVerification, body: JSONCoding.encode(body))
    }

    /// Submits the code for a phone number.
    func check(_ flow: String, code: String) async throws -> HTTP.Response {
        let body = PhoneVerificationBody.Check(flowId: flow, otp: code)
        return try await send(.patch, Route.phoneVerification, body: JSONCoding.encode(body))
    }

    /// Completes the registration flow.
    func finish(_ flow: String, phone: String = phone, password: String = "000000") async throws
        -> HTTP.Response
    {
        let body = JSONValue.object([
            "method": .string("password"),
            "password": .string(password),
            "traits": .object([
                "phone": .string(phone),
                "name": .object(["first": .string("User"), "last": .string("Test")]),
            ]),
        ])
        return try await send(
            .post,
            "/a" + Route.registration,
            query: "flow=\(flow)",
            body: JSONCoding.encode(body)
        )
    }

    func send(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        token: String? = nil,
        body: [UInt8] = []
    ) async throws -> HTTP.Response {
        var request = HTTP.Request(method, path, query: query, body: body)
        if !body.isEmpty { request.headers["Content-Type"] = "application/json" }
        request.headers["X-Session-Token"] = token
        return try await transport.send(request, to: TestServer.url)
    }
}
