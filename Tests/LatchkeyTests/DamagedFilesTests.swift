import Foundation
import Latchkey
import LatchkeyTestKit
import TestProcesses
import Testing

/// An app that stores its session in files.
private struct FileApp {
    private static let app = "com.example.shop"
    private static let ofLogin = SideRecordKind("of-login", lifetime: .login, lifespan: .seconds(600))
    private static let ofDevice = SideRecordKind("of-device", lifetime: .device, lifespan: .seconds(600))

    private let folder = TemporaryFolder()
    private let server = FakeIdentityServer()
    private let time = VirtualTime()

    var dataFolder: String { folder.path + "/data" }

    var keyFolder: String { folder.path + "/key" }

    /// Starts the app.
    func client() throws -> LatchkeyClient {
        try LatchkeyClient(server: FakeIdentityServer.origin, app: Self.app) {
            $0.store = EncryptedFileStore(
                server: FakeIdentityServer.origin,
                app: Self.app,
                location: StoreLocation(dataFolder: dataFolder, keyFolder: keyFolder)
            )
            $0.transport = server
            $0.languages = []
            $0.time = time
        }
    }

    /// Starts the app, logs in and stores side records, and ends the app.
    func populate() async throws {
        let client = try client()
        try await logIn(client)
        for kind in [Self.ofLogin, Self.ofDevice] {
            try await client.sideRecords.update(kind) { $0 = [1] }
        }
    }

    func logIn(_ client: LatchkeyClient) async throws {
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
    }

    /// Starts the app and returns the first state that it publishes.
    func stateAfterRestart() async throws -> SessionState? {
        let client = try client()
        var states = client.sessionStates.makeAsyncIterator()
        return await states.next()
    }

    /// The path of the session's record.
    ///
    /// The other records are those of the side stores.
    func recordPath() throws -> String {
        let journal = try #require(names(in: dataFolder).first { $0.hasSuffix(".journal") })
        return dataFolder + "/" + journal.dropLast(".journal".count)
    }

    /// The paths of all files that the app can create: those that it has created, and those that it leaves
    /// behind if it crashes or signs out while another process holds the lock.
    func paths() throws -> Set<String> {
        let records = try names(in: dataFolder).filter { !$0.contains(".") }
        let suffixes = ["", ".tmp", ".lock", ".refresh", ".removed", ".journal", ".journal.1"]
        let possible = records.flatMap { record in suffixes.map { dataFolder + "/" + record + $0 } }
        let actual = try names(in: dataFolder).map { dataFolder + "/" + $0 }
        let keys = try names(in: keyFolder).flatMap { [keyFolder + "/" + $0, keyFolder + "/" + $0 + ".tmp"] }
        return Set(possible + actual + keys)
    }

    func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Logins after files were damaged` {
    @Test(arguments: FileDamage.allCases)
    func `A user can log in again whatever happened to any of the files`(damage: FileDamage) async throws {
        let example = FileApp()
        try await example.populate()
        let paths = try example.paths()
        // Three records with seven files each, and the key with its temporary file.
        #expect(paths.count == 23)

        for index in 0..<paths.count {
            let app = FileApp()
            try await app.populate()
            let path = try app.paths().sorted()[index]
            let (record, key) = (try app.recordPath(), app.keyFolder + "/session.key")
            try damage.apply(to: path)

            let isLost = damage.losesContents && (path == record || path == key)
            let isTombstone = path == record + ".removed" && damage != .missing
            let found = try await app.stateAfterRestart()
            #expect(found?.session == nil || !(isLost || isTombstone), "\(path)")
            let client = try app.client()
            await #expect(throws: Never.self, "\(path)") { try await app.logIn(client) }
            #expect(try await app.stateAfterRestart()?.session != nil, "\(path)")

            #expect(client.signOut().storageFailure == nil, "\(path)")
            #expect(try await app.stateAfterRestart() == .signedOut, "\(path)")
        }
    }

    @Test(arguments: [mode_t(0o770), 0o777, 0o722, 0o000, 0o500])
    func `A user can log in again whatever the mode of the folders is`(mode: mode_t) async throws {
        let app = FileApp()
        try await app.populate()
        for folder in [app.dataFolder, app.keyFolder] {
            chmod(folder, mode)
            let client = try app.client()

            try await app.logIn(client)

            #expect(try await app.stateAfterRestart()?.session != nil)
            chmod(folder, mode)
            #expect(client.signOut().storageFailure == nil)
            #expect(try await app.stateAfterRestart() == .signedOut)
        }
    }

    @Test func `A record from a newer version is kept until the user signs out`() async throws {
        let app = FileApp()
        try await app.populate()
        let record = try app.recordPath()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: record))
        bytes[8] = 2
        try bytes.write(to: URL(fileURLWithPath: record))
        chmod(record, 0o600)
        let client = try app.client()

        let error = await #expect(throws: LatchkeyError.self) { try await app.logIn(client) }

        #expect(error?.code == .storageUnavailable)
        #expect(try Data(contentsOf: URL(fileURLWithPath: record)) == bytes)
        #expect(client.signOut().storageFailure == nil)
        try await app.logIn(client)
        #expect(try await app.stateAfterRestart()?.session != nil)
    }
}
