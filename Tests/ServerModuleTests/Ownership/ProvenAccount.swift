import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// A confirmed account with a password, whose owner has verified some of the addresses while logged in.
struct ProvenAccount: Sendable {
    static let mail = "person1@example.org"
    static let phone = "+46701000001"
    static let newMail = "new@example.org"
    static let newPhone = "+46708888888"
    static let newPassword = "fresh-Start-pass-1"

    let admin: AdminServer
    let id: Identifier

    /// The token of the session that was created by the registration.
    let token: String

    var server: SelfServiceServer { admin.people }

    init(
        proving addresses: [String] = [mail, phone],
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        admin = try await AdminServer(change)
        let answer = try await admin.people.register()
        token = try #require(answer["session_token"]?.text)
        id = try #require(answer["identity"]?["id"]?.text.flatMap { Identifier($0) })
        for address in addresses {
            let verified = try await admin.people.enter(.verification, with: address, token: token)
            try #require(verified["state"] == "passed_challenge")
        }
    }

    static func traits(mail: String = mail, phone: String = phone) -> [String: JSONValue] {
        ["email": .string(mail), "phone": .string(phone)]
    }

    func identity() async throws -> Identity {
        try await server.identity(id)
    }

    /// Creates another session with the password.
    func logIn() async throws -> String {
        try #require(try await server.login(Self.mail)["session_token"]?.text)
    }

    /// Creates a session with a login code or a recovery code.
    func open(_ kind: FlowKind, with address: String) async throws -> String {
        let answer = try await server.enter(kind, with: address)
        return try #require(answer.sessionToken, "\(answer.body)")
    }

    /// Creates a session with a recovery code from the operator.
    func openWithOperatorCode() async throws -> String {
        let made = await admin.send(.post, "/admin/recovery/code", #"{"identity_id": "\#(id)"}"#)
        let flow = try #require(made["recovery_link"]?.text?.split(separator: "=").last.map(String.init))
        let code = made["recovery_code"] ?? .null
        let answer = try await server.submitCode(.recovery, flow, ["code": code])
        return try #require(answer.sessionToken, "\(answer.body)")
    }

    /// Re-authenticates a session with the password and returns the new token.
    func authenticateAgain(_ token: String, password: String = SelfServiceServer.password) async throws
        -> String
    {
        let flow = await server.begin(.login, "?refresh=true", token: token)
        let body = JSONValue.object([
            "method": "password", "identifier": .string(Self.mail), "password": .string(password),
        ])
        let answer = try await server.submit(.login, flow, body, token: token)
        return try #require(answer["session_token"]?.text, "\(answer.body)")
    }

    /// Sends an admin request for this account.
    func operate(_ method: HTTP.Method, _ path: String = "", _ body: String = "") async -> Answer {
        await admin.send(method, "/admin/identities/\(id)\(path)", body)
    }
}
