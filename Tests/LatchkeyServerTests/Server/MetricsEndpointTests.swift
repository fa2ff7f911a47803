import Foundation
import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite(.onEachDatabase) struct `Asking a server for its metrics` {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func start(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws
        -> IdentityServer
    {
        var configuration = ServerConfiguration(data: TemporaryFolder().path + "/data")
        configuration.port = 0
        configuration.admin.port = 0
        configuration.passwords.threads = 1
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        configuration.identities.defaultSchema = "person"
        change(&configuration)
        if TestDatabase.current == .postgreSQL {
            configuration.database = Secret(try await PostgresPool.shared.makeBare())
        }
        let time = SystemTime()
        let parts = ServerParts(time: time, random: SystemRandom(), log: Log(.error, time: time)) { _ in }
        let server = IdentityServer(configuration: configuration, parts: parts)
        try await server.start()
        return server
    }

    @Test func `tells all of it, in a form that Prometheus's own reader takes`() async throws {
        let server = try await start()
        let admin = try RemoteOperator(url: try #require(server.adminURL), token: nil)
        var create = HTTPRequest(.post, "/admin/identities")
        create.body = Array(
            #"""
            {"traits": {"email": "a@example.org", "phone": "+46701234567"}, \#
            "credentials": {"password": {"config": {"password": "correct-Horse-7-battery"}}}}
            """#.utf8
        )
        let created = try await admin.send(create)
        #expect(created.status == 201, "\(String(decoding: created.body, as: UTF8.self))")

        let answer = try await admin.send(HTTPRequest(.get, MetricsEndpoint.path))
        let text = String(decoding: answer.body, as: UTF8.self)
        let outcome = try await PythonScript("metrics_reader.py").run([], input: text)

        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(outcome.code == 0, "\(outcome.text)")
        let onPostgreSQL = TestDatabase.current == .postgreSQL
        for metric in Metric.allCases {
            let isThere = text.contains("# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n")
            #expect(isThere == (onPostgreSQL || !Self.needsPostgreSQL.contains(metric)), "\(metric)")
        }
        #expect(text.contains("\nlatchkey_password_hash_seconds_count 1\n"))
        #expect(text.contains("\nlatchkey_build_info{version=\"\(Release.version)\"} 1\n"))
        #expect(text.contains("\nlatchkey_http_open_connections{listener=\"admin\"} 1\n"))
        #expect(text.contains(#"route="/admin/identities",method="POST",status="2xx"} 1"# + "\n"))
        #expect(!text.contains("example.org"))
        if onPostgreSQL { #expect(text.contains(/connections\{role="writer"\} [1-9]/)) }
        await server.stop()
    }

    private static let needsPostgreSQL: Set<Metric> = [
        .databaseRetries, .databaseConnections, .databaseQueue,
    ]

    @Test func `takes the operator's token, where there is one`() async throws {
        let server = try await start { $0.admin.token = Secret("0123456789abcdef0123456789abcdef") }
        let url = try #require(server.adminURL)
        let request = HTTPRequest(.get, MetricsEndpoint.path)

        #expect(try await RemoteOperator(url: url, token: nil).send(request).status == 401)
        let right = try await RemoteOperator(url: url, token: Secret("0123456789abcdef0123456789abcdef"))
            .send(request)
        #expect(right.status == 200)
        #expect(try await RemoteOperator(url: #require(server.url), token: nil).send(request).status == 404)
        await server.stop()
    }

    @Test func `is described on its page, line by line`() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "Documentation/metrics.md"),
            encoding: .utf8
        )
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)

        let expected = Metric.allCases.map { metric in
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(metric.rawValue)` | \(metric.kind.rawValue) | \(labels) | \(metric.help) |"
        }

        #expect(rows == expected)
    }
}
