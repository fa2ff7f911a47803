import LatchkeyAccounts
import LatchkeyModel
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

/// A server on which operators publish documents and users answer them.
struct TermsServer: Sendable {
    typealias JSON = `Publications of terms`

    /// A user with a session.
    struct User: Sendable {
        let id: Identifier
        let token: String
    }

    static let path = Route.agreements

    let admin: AdminServer

    var server: SelfServiceServer { admin.people }
    var database: any Database { server.resources.database }

    init(
        dutySources: [any DutySource] = [],
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        admin = try await AdminServer(dutySources: dutySources) {
            $0.limits = .unlimited
            change(&$0)
        }
    }

    init(admin: AdminServer) {
        self.admin = admin
    }

    // MARK: Operators

    /// Publishes a version of the document `shop`, unless its members are replaced.
    @discardableResult
    func publish(
        _ number: Int = 1,
        _ version: [String: String] = [:],
        document: [String: String] = [:]
    ) async throws -> Answer {
        let version = JSON.version(["number": "\(number)"].merging(version) { _, new in new })
        let document = JSON.document(["versions": "[\(version)]"].merging(document) { _, new in new })
        let answer = await admin.send(.post, TermsAdminRoute.publications, #"{"documents": [\#(document)]}"#)
        try #require(answer.status == 200, "\(answer.reason)")
        return answer
    }

    /// Registers a client with the given members of `latchkey`.
    func client(_ id: String = "shop", _ members: String = "") async {
        let body = #"{"client_id": "\#(id)", "latchkey": {\#(members)}}"#
        let answer = await admin.send(.post, "/admin/clients", body)
        #expect(answer.status == 201, "\(answer.reason)")
        await server.assembly.tokens.keys.stop()
    }

    // MARK: Users

    /// Creates an account that has answered no document, and logs its user in.
    func register(_ number: Int = 1, at client: String? = nil) async throws -> User {
        let id = try #require(Identifier(try await admin.id(number, AdminServer.password)))
        let answer = try await server.submit(
            .login,
            await server.begin(.login, client.map { "?client_id=\($0)" } ?? ""),
            .object([
                "method": "password", "identifier": .string("person\(number)@example.org"),
                "password": .string(SelfServiceServer.password),
            ])
        )
        return User(id: id, token: try #require(answer.sessionToken, "\(answer.body)"))
    }

    /// Logs a user in on another device.
    func logIn(_ number: Int = 1) async throws -> String {
        try #require(try await server.login("person\(number)@example.org").sessionToken)
    }

    static func hash(_ words: String = "Be kind.") -> String {
        Base64URL.encode(SHA256Hash.hash(Array(words.utf8)))
    }

    /// Returns an answer as JSON, with some of its members replaced or, if they are `null`, left out.
    static func answer(
        _ kind: String = "acceptance",
        _ version: Int = 1,
        _ changes: [String: JSONValue] = [:]
    ) -> JSONValue {
        let members: [String: JSONValue] = [
            "document": "shop", "version": .integer(Int64(version)), "language": "en",
            "hash": .string(hash()), "answer": .string(kind),
        ]
        return .object(members.merging(changes) { _, new in new }.filter { $0.value != .null })
    }

    func answer(
        _ token: String,
        _ kind: String = "acceptance",
        _ version: Int = 1,
        _ changes: [String: JSONValue] = [:]
    ) async throws -> Answer {
        try await post([Self.answer(kind, version, changes)], token)
    }

    func post(_ answers: [JSONValue], _ token: String) async throws -> Answer {
        try await server.post(Self.path, .object(["answers": .array(answers)]), token: token)
    }

    /// Returns the documents that the user has to answer, according to whoami.
    func asked(_ token: String) async -> [String] {
        let duties = await server.get("/sessions/whoami", token: token)["duties"]?.elements ?? []
        return duties.filter { $0["kind"] == "accept_terms" }
            .flatMap { $0["fields"]?.elements.compactMap(\.text) ?? [] }
    }

    /// Returns all rows of an account, as `answer version`, in their order.
    func rows(of user: User) async throws -> [String] {
        try await TermsEvidenceRepository.all(of: user.id, in: database)
            .map { "\($0.answer.kind.rawValue) \($0.answer.version)" }
    }

    /// The number of all rows, of all accounts.
    func count() async throws -> Int64 {
        try await database.rows("SELECT COUNT(*) FROM terms_evidence").first?.integer(0) ?? -1
    }
}
