import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyWire
import Testing

/// A server and a logged-in user who has begun a settings flow.
struct SettingsClient {
    let server: SelfServiceServer
    let token: String
    let flow: String

    init(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
        server = try await SelfServiceServer(change)
        token = try #require(try await server.register()["session_token"]?.text)
        flow = await server.begin(.settings, token: token)
    }

    func change(_ traits: [String: JSONValue]) async throws -> Answer {
        let old = SelfServiceServer.traits().members ?? [:]
        let body = JSONValue.object([
            "method": "profile", "traits": .object(old.merging(traits) { _, new in new }),
        ])
        return try await server.submit(.settings, flow, body, token: token)
    }

    func change(password: String) async throws -> Answer {
        let body = JSONValue.object(["method": "password", "password": .string(password)])
        return try await server.submit(.settings, flow, body, token: token)
    }
}
