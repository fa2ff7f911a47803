import Foundation
import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Admin token` {
    private let folder = TemporaryFolder()

    private func server(_ name: String, _ change: (inout ServerConfiguration) -> Void = { _ in })
        -> IdentityServer
    {
        var configuration = ServerConfiguration(data: folder.file(name))
        configuration.port = 0
        configuration.admin.port = 0
        configuration.passwords.threads = 1
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        change(&configuration)
        let time = SystemTime()
        var parts = ServerParts(time: time, random: SystemRandom(), log: Log(.error, time: time)) { _ in }
        parts.adminDelay = .zero
        return IdentityServer(configuration: configuration, parts: parts)
    }

    /// Returns the status code of a request with the given token.
    private func status(_ token: Secret?, at server: IdentityServer) async throws -> Int {
        let remote = try RemoteOperator(url: try #require(server.adminURL), token: token)
        return try await remote.send(HTTP.Request(.get, "/admin/identities")).status
    }

    private func written(_ name: String) throws -> String {
        try String(contentsOfFile: folder.file(name + "/admin.token"), encoding: .utf8)
    }

    @Test func `Servers with the same secrets have the same token, even after a restart`() async throws {
        try folder.makeFolder("b")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.file("b"))
        let (first, second) = (server("a"), server("b"))
        try await first.start()
        try FileManager.default.copyItem(atPath: folder.file("a/secrets"), toPath: folder.file("b/secrets"))
        try await second.start()
        let token = try #require(first.adminToken)

        #expect(token.exposed.utf8.count >= 43)
        #expect(try written("a") == token.exposed + "\n")
        #expect(try written("b") == token.exposed + "\n")
        #expect(try folder.mode("a/admin.token") == 0o600)
        for server in [first, second] {
            #expect(try await status(token, at: server) == 200)
            #expect(try await status(nil, at: server) == 401)
        }
        await first.stop()
        await second.stop()
        let again = server("a")
        try await again.start()
        #expect(try await status(token, at: again) == 200)
        await again.stop()
    }

    @Test func `A new server has no accounts, sessions or messages`() async throws {
        let new = server("a")
        try await new.start()
        let remote = try RemoteOperator(url: try #require(new.adminURL), token: new.adminToken)
        for path in ["/admin/identities", "/admin/sessions", "/admin/courier/messages"] {
            let answer = try await remote.send(HTTP.Request(.get, path))
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self) == "[]", "\(path)")
        }
        await new.stop()
    }

    @Test func `An old admin token is accepted until its secret is removed from the list`() async throws {
        let first = server("a")
        try await first.start()
        let old = try #require(first.adminToken)
        await first.stop()
        let secrets = folder.file("a/secrets")
        let line = try String(contentsOfFile: secrets, encoding: .utf8)
        let fresh = Base64URL.encode(SystemRandom().bytes(32)) + "\n"

        try Data((fresh + line).utf8).write(to: URL(fileURLWithPath: secrets))
        let rotated = server("a")
        try await rotated.start()
        let new = try #require(rotated.adminToken)
        #expect(new != old)
        #expect(try written("a") == new.exposed + "\n")
        #expect(try await status(new, at: rotated) == 200)
        #expect(try await status(old, at: rotated) == 200)
        await rotated.stop()

        try Data(fresh.utf8).write(to: URL(fileURLWithPath: secrets))
        let last = server("a")
        try await last.start()
        #expect(try await status(new, at: last) == 200)
        #expect(try await status(old, at: last) == 401)
        await last.stop()
    }

    @Test func `Only the token chosen by the operator works, and it is not written to a file`() async throws {
        let first = server("a")
        try await first.start()
        let derived = first.adminToken
        await first.stop()

        let chosen = Secret("sixteen-bytes-ok")
        let second = server("a") { $0.admin.token = chosen }
        try await second.start()
        #expect(second.adminToken == chosen)
        #expect(try await status(chosen, at: second) == 200)
        #expect(try await status(derived, at: second) == 401)
        #expect(!FileManager.default.fileExists(atPath: folder.file("a/admin.token")))
        await second.stop()
    }

    @Test func `A token that is easy to guess is rejected at startup`() async throws {
        let short = server("a") { $0.admin.token = Secret("fifteen-bytes-x") }

        let error = await #expect(throws: IdentityServerError.self) { try await short.start() }

        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix("admin.token has fewer than 16 bytes") == true)
    }

    @Test func `The token is written again if other users can read its file`() async throws {
        let first = server("a")
        try await first.start()
        await first.stop()
        let file = folder.file("a/admin.token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)

        let second = server("a")
        try await second.start()

        #expect(try folder.mode("a/admin.token") == 0o600)
        await second.stop()
    }
}
