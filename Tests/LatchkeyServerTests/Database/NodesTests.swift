import Foundation
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyServer
@testable import LatchkeyServerKit

@Suite struct `Nodes sharing a database` {
    private let folder = TemporaryFolder()

    private func configuration(_ name: String, _ database: String) -> ServerConfiguration {
        var configuration = ServerConfiguration(data: folder.path + "/" + name)
        configuration.database = Secret(database)
        configuration.port = 0
        configuration.admin.port = 0
        configuration.passwords.threads = 1
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        return configuration
    }

    private func parts() -> ServerParts {
        let time = VirtualTime()
        let log = Log(.error, time: time, to: { _ in })
        return ServerParts(time: time, random: SystemRandom(), log: log, terminal: { _ in })
    }

    private func server(_ name: String, _ database: String) -> IdentityServer {
        IdentityServer(configuration: configuration(name, database), parts: parts())
    }

    /// Copies a node's data folder for another node.
    private func copy(_ names: [String] = ["secrets", "ca.key", "ca.pem"], from: String, to: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/" + to,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for name in names {
            try? FileManager.default.removeItem(atPath: "\(folder.path)/\(to)/\(name)")
            try FileManager.default.copyItem(
                atPath: "\(folder.path)/\(from)/\(name)",
                toPath: "\(folder.path)/\(to)/\(name)"
            )
        }
    }

    @Test func `Four nodes can start at the same time with an empty database`() async throws {
        let database = try await PostgresPool.shared.makeBare()
        _ = try ServerKeys(in: DataFolder(folder.path + "/0"), time: SystemTime(), random: SystemRandom())
        for node in 1...3 { try copy(from: "0", to: "\(node)") }
        let flags = [
            "--database", database, "--identities-default-schema", "person", "--log-level", "error",
        ]

        let nodes = try await withThrowingTaskGroup { [folder] group in
            for node in 0...3 {
                group.addTask { try await ServerProcess(data: "\(folder.path)/\(node)", flags: flags) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        // A user who has registered on one node is known to the others.
        #expect(try await PersonClient(nodes[0].url).register(1))
        for node in nodes { #expect(try await PersonClient(node.url).logIn(1)) }
        for node in nodes { await node.stop() }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/0/latchkey.db"))
    }

    @Test func `A new node creates no keys if other nodes already have keys`() async throws {
        let database = try await PostgresPool.shared.makeBare()
        let first = server("first", database)
        try await first.start()
        await first.stop()

        let error = await #expect(throws: IdentityServerError.self) {
            try await server("second", database).start()
        }
        #expect(error?.code == .storage)
        #expect(error?.message.contains("copy secrets, ca.key and ca.pem") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/second/secrets"))

        try copy(from: "first", to: "second")
        let second = server("second", database)
        try await second.start()
        await second.stop()
    }

    @Test(arguments: [(["secrets"], "ca.key"), (["ca.key", "ca.pem"], "secrets")])
    func `A node with different keys is rejected`(shared: [String], other: String) async throws {
        let database = try await PostgresPool.shared.makeBare()
        let first = server("first", database)
        try await first.start()
        await first.stop()
        _ = try ServerKeys(in: DataFolder(folder.path + "/other"), time: SystemTime(), random: SystemRandom())
        try copy(shared, from: "first", to: "other")

        let error = await #expect(throws: IdentityServerError.self) {
            try await server("other", database).start()
        }
        #expect(error?.code == .storage)
        #expect(error?.message.contains(other) == true, "\(error?.message ?? "")")
    }

    @Test func `Operator commands work with the shared database`() async throws {
        let database = try await PostgresPool.shared.makeBare()
        let status = try await IdentityServer.administer(
            configuration("desk", database),
            parts: parts(),
            createsData: true
        ) { desk in
            await desk.respond(to: HTTP.Request(.get, "/admin/identities"), from: .inProcess).status
        }
        #expect(status == 200)
    }

    @Test func `An unreachable database is reported without revealing its password`() async throws {
        let error = await #expect(throws: IdentityServerError.self) {
            try await server("far", "postgres://u:hush-hush@127.0.0.1:1/people?connect_timeout=2").start()
        }
        #expect(error?.code == .storage)
        #expect(error?.message.contains("127.0.0.1") == true)
        #expect(error?.message.contains("hush-hush") == false)
    }
}

@Suite(.onEachDatabase) struct `Key register` {
    private let authority: CertificateAuthority
    private let register: KeyRegister

    init() async throws {
        register = KeyRegister(try await TestDatabase.current.open())
        authority = try CertificateAuthority.make(
            commonName: "a",
            notBefore: Timestamp(seconds: 0),
            notAfter: Timestamp(seconds: 10_000)
        )
    }

    private func enter(_ secrets: [UInt8]...) async throws {
        let all = secrets.map { [UInt8](repeating: $0[0], count: 32) }
        try await register.enter(
            ServerSecrets(signing: all[0], older: Array(all.dropFirst())),
            authority: authority,
            at: Timestamp(seconds: 1)
        )
    }

    @Test func `A replaced secret is accepted, and the old one is then rejected`() async throws {
        #expect(try await register.isEmpty)
        try await enter([1])
        #expect(try await !register.isEmpty)
        try await enter([2], [1])
        // One node already has the new secret, and the other one does not.
        try await enter([1])
        try await enter([2], [1])
        try await enter([2])

        await #expect(throws: KeyRegister.Stranger.self) { try await enter([1]) }
        try await enter([2])
    }

    @Test func `Only one of several nodes that start with different keys is accepted`() async throws {
        let accepted = await withTaskGroup { group in
            for node in UInt8(1)...8 {
                group.addTask {
                    do {
                        try await enter([node])
                        return 1
                    } catch {
                        #expect(error is KeyRegister.Stranger)
                        return 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(accepted == 1)
    }
}
