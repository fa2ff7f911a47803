import Foundation
import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Unsafe configurations` {
    /// Returns the keys that are rejected, and the keys that the server logs a warning about on startup.
    private func judged(_ flags: [String: String], _ secrets: [String: String] = [:]) -> (
        refused: [String], warned: [String]
    ) {
        do throws(ConfigurationError) {
            let configuration = try ServerConfiguration.load(environment: secrets, flags: flags)
            return ([], configuration.warnings.map(\.key))
        } catch {
            return (error.problems.map(\.key), [])
        }
    }

    private static let provider = ["courier.kind": "http", "courier.url": "https://sms.example.com"]

    @Test(
        arguments: [
            ([:], [], []),
            (["host": "127.0.0.2"], [], []), (["host": "::1"], [], []), (["host": "localhost"], [], []),
            (["url": "http://localhost:4433"], [], []), (["url": "https://127.0.0.1:4433"], [], []),
            (["host": "0.0.0.0"], ["courier.kind"], []), (["host": "::"], ["courier.kind"], []),
            (["host": "192.0.2.1"], ["courier.kind"], []),
            (["url": "https://id.example.com"], ["courier.kind"], []),
            (["url": "https://[2001:db8::1]:4433"], ["courier.kind"], []),
            (["host": "0.0.0.0", "courier.allow_development": "true"], [], ["courier.kind"]),
            (provider.merging(["host": "0.0.0.0"]) { $1 }, [], ["courier.calling_codes"]),
            (provider.merging(["host": "0.0.0.0", "courier.calling_codes": "46,47"]) { $1 }, [], []),
            (
                provider.merging(["host": "0.0.0.0", "courier.mail.kind": "development"]) { $1 },
                ["courier.mail.kind"], []
            ),
        ] as [([String: String], [String], [String])]
    )
    func `Showing codes on the terminal is unsafe if other machines can reach the server`(
        flags: [String: String],
        refused: [String],
        warned: [String]
    ) {
        #expect(judged(flags) == (refused, warned))
    }

    @Test(arguments: [
        ("url", "https://münchen.example"), ("url", "https://user@id.example.com"),
        ("url", "https://id.example.com:0"), ("url", "https://id.example.com/#x"),
        ("url", "https://id.example.com/?x"), ("url", "https://id.example.com\\x"), ("url", "id.example.com"),
        ("base_path", "/a?b"), ("base_path", "/a b"), ("base_path", "/ä"), ("base_path", "/a//b"),
        ("base_path", "/a/../b"), ("base_path", "a"), ("base_path", "/a/"),
    ])
    func `A URL or path that clients don't accept is refused`(key: String, value: String) {
        #expect(judged([key: value]).0 == [key])
    }

    @Test(
        arguments: [
            ("https://sms.example.com/send", nil, [], []), ("http://127.0.0.1:9/send", "{ K: 'v' }", [], []),
            ("http://[::1]:9/send", "{ K: 'v' }", [], []),
            ("http://sms.example.com/send", nil, [], ["URL"]),
            ("HTTP://sms.example.com/send", nil, [], ["URL"]),
            ("http://sms.example.com/send", "{ K: 'v' }", ["URL"], []),
        ] as [(String, String?, [String], [String])]
    )
    func `Calling a provider on another machine without TLS is unsafe`(
        url: String,
        headers: String?,
        refused: [String],
        warned: [String]
    ) {
        for (prefix, key) in [("courier", "COURIER"), ("courier.mail", "COURIER_MAIL")] {
            var flags = Self.provider
            flags["\(prefix).kind"] = "http"
            flags["\(prefix).url"] = url
            let secrets = headers.map { ["LATCHKEY_\(key)_HEADERS": $0] } ?? [:]
            let named = { (keys: [String]) in keys.map { _ in "\(prefix).url" } }
            #expect(judged(flags, secrets) == (named(refused), named(warned)))
        }
    }

    @Test func `Sending mail to another machine without TLS is unsafe`() {
        let smtp = [
            "courier.mail.kind": "smtp", "courier.mail.from": "a@b.test", "courier.mail.starttls": "never",
        ]
        for (url, keys) in [
            ("smtp://mail.example.com", ["courier.mail.starttls"]), ("smtp://127.0.0.1", []),
            ("smtps://mail.example.com", []),
        ] {
            #expect(judged(smtp.merging(["courier.mail.url": url]) { $1 }) == ([], keys))
        }
    }

    @Test(arguments: [
        ("postgres://db.example.com/people", true), ("postgres://db.example.com/people?sslmode=prefer", true),
        ("postgres://db.example.com/people?sslmode=disable", true),
        ("postgres://localhost,db.example.com/people", true),
        ("postgres://localhost/people?hostaddr=192.0.2.1&host=db", true),
        ("postgres://localhost/people?hostaddr=192.0.2.1", true),
        ("postgres:///people?host=/run/postgresql&hostaddr=192.0.2.1", true),
        ("postgres://localhost,db.example.com/people?hostaddr=127.0.0.1,", true),
        ("postgres://db.example.com/people?hostaddr=127.0.0.1", false),
        ("postgres://db.example.com,localhost/people?hostaddr=127.0.0.1,", false),
        ("postgres:///people", false),
        ("postgres://db.example.com/people?sslmode=allow", true),
        ("postgres://db.example.com/people?sslmode=require", true),
        ("postgresql://db.example.com/people?ssl=true", true),
        ("postgres://db.example.com/people?sslmode=require&sslmode=verify-full", false),
        ("postgres://db.example.com/people?sslmode=verify-full&sslmode=require", true),
        ("postgres:///people?host=db.example.com&sslmode=require", true),
        ("postgres:///people?host=localhost,db.example.com&sslmode=require", true),
        ("postgres://localhost,db.example.com/people?sslmode=require", true),
        ("postgres://localhost,db.example.com/people?sslmode=verify-full", false),
        ("postgres://127.0.0.1,[2001:db8::1]/people?sslmode=require", true),
        ("postgres:///people?service=main", true),
        ("postgres:///people?service=main&sslmode=verify-ca", false),
        ("postgres://localhost/people?sslmode=require", false),
        ("postgres://db.example.com/people?sslmode=verify-ca", false),
        ("postgres://db.example.com/people?sslmode=verify-full", false),
        ("postgres://db.example.com/people?gssencmode=require", false),
        ("postgres://localhost/people", false), ("postgres://127.0.0.1:5433/people", false),
        ("postgres:///people?host=/run/postgresql", false),
    ])
    func `Connecting to a database on another machine without verifying it is unsafe`(
        url: String,
        isWarned: Bool
    ) {
        #expect(judged(["database": url]) == ([], isWarned ? ["database"] : []))
    }

    @Test(arguments: [
        ("0.0.0.0/0", true), ("::/0", true), ("10.0.0.1,128.0.0.0/1", true), ("10.0.0.0/8", false),
        ("fd00::/8", false), ("192.0.2.7", false),
    ])
    func `Trusting every client as a proxy is unsafe`(ranges: String, isWarned: Bool) {
        #expect(judged(["trusted_proxies": ranges]) == ([], isWarned ? ["trusted_proxies"] : []))
    }

    @Test(arguments: [
        ("https://id.example.com", "true", true), ("https://id.example.com", "false", false),
        ("http://localhost:4433", "true", false),
    ])
    func `Redirects over HTTP are unsafe on a public server`(url: String, allows: String, isWarned: Bool) {
        let settings = [
            "url": url, "oauth.allow_http_redirects": allows, "courier.allow_development": "true",
        ]
        let warnings = judged(settings).1.filter { $0.hasPrefix("oauth.") }
        #expect(warnings == (isWarned ? ["oauth.allow_http_redirects"] : []))
    }

    @Test(arguments: [(0o600, false), (0o640, false), (0o604, true), (0o644, true)])
    func `Secrets in files that every user can read are unsafe`(mode: Int, isWarned: Bool) throws {
        let folder = TemporaryFolder()
        let own = try folder.write("postgres://u:hush@localhost/people\n", as: "own")
        let direct = try folder.write("{ admin: { token: 'a-secret-of-16-bytes' } }", as: "direct")
        let indirect = try folder.write("{ database_file: '\(own)' }", as: "indirect")
        let plain = try folder.write("{ port: 1 }", as: "plain")
        let url = try folder.write("{ database: 'postgres://u:hush@localhost/people' }", as: "url")
        let safe = try folder.write("{ database: 'postgres://u@localhost/people' }", as: "safe")
        let manager = FileManager.default
        for path in [own, direct, plain, url, safe] {
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: indirect)

        func warnings(_ file: String) throws -> [String] {
            try ServerConfiguration.load(file: file).warnings.map { "\($0.key) \($0.source)" }
        }
        #expect(try warnings(direct) == (isWarned ? ["admin.token \(direct)"] : []))
        #expect(try warnings(indirect) == (isWarned ? ["database \(own)"] : []))
        #expect(try warnings(url) == (isWarned ? ["database \(url)"] : []))
        #expect(try warnings(plain) == [] && warnings(safe) == [])
    }

    @Test func `Unsafe settings and ignored members of schemas are logged when the server starts`()
        async throws
    {
        let folder = TemporaryFolder()
        try folder.makeFolder("schemas")
        let schema = #"""
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "site": {"type": "string", "format": "uri"},
              "email": {"type": "string", "format": "email",
                "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}}}}}}
            """#
        _ = try folder.write(schema, as: "schemas/own.json")
        let lines = Locked<[String]>([])
        let time = VirtualTime()
        var configuration = ServerConfiguration(data: folder.path + "/data")
        configuration.port = 0
        configuration.admin.port = 0
        configuration.trustedProxies = ["0.0.0.0/0"]
        configuration.schemas.folder = folder.file("schemas")
        let log = Log(.warning, time: time) { line in
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        let parts = ServerParts(time: time, random: SystemRandom(), log: log, terminal: { _ in })
        let server = IdentityServer(configuration: configuration, parts: parts)

        try await server.start()
        await server.stop()

        #expect(lines.withLock { $0.contains { $0.contains(#""event":"configuration.unsafe""#) } })
        let ignored = lines.withLock { $0.filter { $0.contains(#""event":"schema.ignored""#) } }
        #expect(ignored.count == 1 && ignored[0].contains("own#/properties/traits/properties/site/format"))
    }
}

@Suite struct `Process file descriptors` {
    @Test(arguments: [
        (4096, 20_000, 4096), (4096, 4608, 4096), (4096, 4096, 3584), (4096, 1024, 512), (4096, 256, 128),
        (100, 1024, 100),
    ])
    func `Connections are limited by file descriptors`(wanted: Int, descriptors: Int, granted: Int) {
        #expect(ProcessLimits.connections(wanted: wanted, descriptors: descriptors) == granted)
    }
}
