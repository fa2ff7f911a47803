import Foundation
import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite(.onEachDatabase) struct `Metrics route` {
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
        configuration.schemas.standard = "person"
        change(&configuration)
        if TestDatabase.current == .postgreSQL {
            configuration.database = Secret(try await PostgresPool.shared.makeBare())
        }
        let time = SystemTime()
        var parts = ServerParts(time: time, random: SystemRandom(), log: Log(.error, time: time)) { _ in }
        parts.adminDelay = .zero
        let server = IdentityServer(configuration: configuration, parts: parts)
        try await server.start()
        return server
    }

    @Test func `Prometheus's own parser accepts the format of the metrics`() async throws {
        let server = try await start()
        let url = try #require(server.adminURL)
        let admin = try RemoteOperator(url: url, token: server.adminToken)
        var create = HTTP.Request(.post, "/admin/identities", headers: ["Content-Type": "application/json"])
        create.body = Array(
            #"""
            {"traits": {"email": "a@example.org", "phone": "+46701234567"}, \#
            "credentials": {"password": {"config": {"password": "correct-Horse-7-battery"}}}}
            """#.utf8
        )
        let created = try await admin.send(create)
        #expect(created.status == 201, "\(String(decoding: created.body, as: UTF8.self))")

        let answer = try await admin.send(HTTP.Request(.get, MetricsEndpoint.path))
        let text = String(decoding: answer.body, as: UTF8.self)
        let token = try #require(server.adminToken)
        for path in [MetricsEndpoint.path, "/metrics/prometheus"] {
            let outcome = try await PythonScript("metrics_reader.py").run(url + path, token.exposed)
            #expect(outcome.code == 0, "\(outcome.text)")
        }

        #expect(answer.status == 200)
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

    @Test func `The route requires the admin token unless the operator opens it`() async throws {
        for access in AdminSettings.MetricsAccess.allCases {
            let server = try await start { $0.admin.metrics = access }
            let url = try #require(server.adminURL)
            let anonymous = try RemoteOperator(url: url, token: nil)
            for path in [MetricsEndpoint.path, MetricsEndpoint.kratosPath] {
                let status = try await anonymous.send(HTTP.Request(.get, path)).status
                #expect(status == (access == .open ? 200 : 401))
            }
            #expect(try await anonymous.send(HTTP.Request(.get, "/metrics/other")).status == 401)
            let scrape = try await PythonScript("metrics_reader.py").run(url + MetricsEndpoint.path)
            #expect((scrape.code == 0) == (access == .open), "\(scrape.text)")
            let people = try RemoteOperator(url: #require(server.url), token: server.adminToken)
            #expect(try await people.send(HTTP.Request(.get, MetricsEndpoint.path)).status == 404)
            await server.stop()
        }
    }

    @Test func `Each metric is documented`() throws {
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
