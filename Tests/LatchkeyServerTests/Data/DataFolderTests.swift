import Foundation
import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import TestProcesses
import Testing

@testable import LatchkeyServer

@Suite struct `Data folder` {
    private let folder = TemporaryFolder()

    private func configuration() -> ServerConfiguration {
        var configuration = ServerConfiguration(data: folder.file("data"))
        configuration.port = 0
        configuration.admin.port = 0
        configuration.passwords.threads = 1
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        return configuration
    }

    private func parts(_ notices: Locked<[String]> = Locked([])) -> ServerParts {
        let time = VirtualTime()
        let log = Log(.error, time: time, to: { _ in })
        var parts = ServerParts(time: time, random: SystemRandom(), log: log, terminal: { _ in })
        parts.dataCreated = { notice in notices.withLock { $0.append(notice) } }
        return parts
    }

    @Test func `Opening a folder does not create it`() throws {
        #expect(try DataFolder(existing: folder.file("a/b/c")) == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.file("a")))

        #expect(try !DataFolder(folder.file("a/b/c")).isUsed)
        #expect(try DataFolder(existing: folder.file("a/b/c"))?.path == folder.file("a/b/c"))
    }

    @Test(arguments: ["file", "file/below", "link", ""])
    func `A folder that could not be created is an error, whether it is opened or created`(name: String)
        throws
    {
        _ = try folder.write("", as: "file")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"),
            withDestinationPath: folder.file("nowhere")
        )
        let path = name.isEmpty ? "" : folder.file(name)

        #expect(throws: DataFolderError.self) { try DataFolder(existing: path) }
        #expect(throws: DataFolderError.self) { try DataFolder(path) }
    }

    @Test(arguments: [false, true])
    func `Data is created only on request, and the operator is told once`(isMissing: Bool) async throws {
        let configuration = configuration()
        if !isMissing { _ = try DataFolder(configuration.data) }
        let notices = Locked<[String]>([])

        let error = await #expect(throws: IdentityServerError.self) {
            try await IdentityServer.administer(configuration, parts: parts(notices)) { _ in }
        }
        #expect(error?.code == .storage)
        #expect(error?.message == "no data in \(configuration.data) (the default folder)")
        #expect(try folder.contents().isEmpty)

        for _ in 0..<2 {
            try await IdentityServer.administer(configuration, parts: parts(notices), createsData: true) {
                _ in
            }
        }
        try await IdentityServer.administer(configuration, parts: parts(notices)) { _ in }
        #expect(notices.withLock(\.count) == 1)
        #expect(notices.withLock { $0[0].hasPrefix("Created new data in \(configuration.data)") })
    }

    @Test(.enabled(if: geteuid() == 0, "Only root can give files away."))
    func `Files that root creates belong to the owner of the data folder`() async throws {
        let configuration = configuration()
        let owner: uid_t = 12_345
        _ = try DataFolder(configuration.data)
        #expect(chown(configuration.data, owner, owner) == 0)
        let notices = Locked<[String]>([])
        let server = IdentityServer(configuration: configuration, parts: parts(notices))

        try await server.start()

        // The write-ahead log exists only while the server is running.
        let names = try FileManager.default.contentsOfDirectory(atPath: configuration.data)
        for name in ["secrets", "ca.key", "ca.pem", "admin.token", "lock", "latchkey.db", "latchkey.db-wal"] {
            #expect(names.contains(name), "\(name)")
        }
        for name in names {
            var status = stat()
            #expect(stat(configuration.data + "/" + name, &status) == 0)
            #expect(status.st_uid == owner && status.st_gid == owner, "\(name)")
        }
        #expect(notices.withLock(\.self) == ["Created new data in \(configuration.data)."])
        await server.stop()
    }

    @Test(.enabled(if: geteuid() == 0, "Only root owns folders for other users."))
    func `The operator learns that a new folder belongs to root`() async throws {
        let notices = Locked<[String]>([])

        try await IdentityServer.administer(configuration(), parts: parts(notices), createsData: true) { _ in
        }

        #expect(notices.withLock { $0.first?.contains("which belongs to root") == true })
    }
}
