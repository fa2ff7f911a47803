import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestContract
import Testing

/// A server with the admin routes and the self-service routes, which share one database.
struct AdminServer: Sendable {
    let people: SelfServiceServer
    private let router: any HTTPHandler

    init(
        schema: String = "person",
        schemas: [String: String] = [:],
        catalog: String? = nil,
        dutySources: [any DutySource] = [],
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        self.init(
            people: try await SelfServiceServer(
                schema: schema,
                schemas: schemas,
                catalog: catalog,
                dutySources: dutySources,
                change
            )
        )
    }

    /// Creates the admin routes of a server.
    init(people: SelfServiceServer) {
        self.people = people
        router = DocumentedHandler(
            people.assembly.localAdministration(),
            OpenAPIDocument(people.assembly.operatorRoutes, below: "")
        )
    }

    var database: any Database { people.resources.database }

    /// Sends a request.
    ///
    /// The body is sent unchanged.
    func send(
        _ method: HTTP.Method,
        _ path: String,
        _ body: String = "",
        headers: HTTP.Headers = [:]
    ) async -> Answer {
        // The order of events that have the same timestamp isn't defined.
        people.time.advance(by: .microseconds(1))
        let parts = path.split(separator: "?", maxSplits: 1)
        let request = HTTP.Request(
            method,
            String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil,
            headers: headers,
            body: Array(body.utf8)
        )
        return Answer(await router.respond(to: request, from: PeerAddress(host: "192.0.2.9", port: 50_000)))
    }

    /// Creates an identity with the given number.
    @discardableResult
    func create(_ number: Int = 1, _ more: String = "") async -> Answer {
        await send(.post, "/admin/identities", Self.body(number, more))
    }

    /// Creates an identity with the given number and returns its id.
    func id(_ number: Int = 1, _ more: String = "") async throws -> String {
        let answer = await create(number, more)
        return try #require(answer["id"]?.text, "\(answer.body)")
    }

    /// Returns the actions that operators have performed on an identity according to the audit log, oldest
    /// first.
    func actions(_ id: String) async throws -> [String] {
        let id = try #require(Identifier(id))
        return try await AuditLog.events(of: id, limit: 100, in: database)
            .filter { $0.actor == .operator }.map(\.action.rawValue).reversed()
    }

    static func body(_ number: Int, _ more: String = "") -> String {
        """
        {"schema_id": "person", "traits": {"email": "person\(number)@example.org", \
        "phone": "+4670\(1_000_000 + number)"}\(more.isEmpty ? "" : ", " + more)}
        """
    }

    static let password =
        #""credentials": {"password": {"config": {"password": "\#(SelfServiceServer.password)"}}}"#
}

extension Answer {
    /// The entries if the response is a list.
    var entries: [JSONValue] {
        if case .array(let entries) = body { entries } else { [] }
    }

    /// The ids of the entries if the response is a list.
    var ids: [String] { entries.compactMap { $0["id"]?.text } }

    /// The `reason` in the error envelope.
    var reason: String { body["error"]?["reason"]?.text ?? "" }

    /// Returns the path and query of the link with the given relation from the `Link` header field.
    func link(_ relation: String) -> String? {
        response.headers["Link"]?.split(separator: ",").first { $0.hasSuffix("rel=\"\(relation)\"") }
            .flatMap { $0.dropFirst().split(separator: ">").first }.map(String.init)
    }
}
