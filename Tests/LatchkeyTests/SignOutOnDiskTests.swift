import Latchkey
import LatchkeyTestKit
import TestProcesses
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Sign-out with real files and sockets` {
    private func client(
        _ folder: TemporaryFolder,
        port: Int,
        time: any TimeSource,
        revokesSessions: Bool = true
    ) throws -> LatchkeyClient {
        try LatchkeyClient(server: "http://127.0.0.1:\(port)", app: "com.example.shop") {
            $0.store = EncryptedFileStore(
                server: "http://127.0.0.1",
                app: "com.example.shop",
                location: StoreLocation(dataFolder: folder.path + "/data", keyFolder: folder.path + "/key")
            )
            $0.revokesSessions = revokesSessions
            $0.languages = []
            $0.time = time
        }
    }

    @Test func `Without revocation, signing out removes all user data and sends no request`() async throws {
        let sockets = try await SocketTestServer()
        try await sockets.server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let proxy = try RecordingProxy(to: try #require(sockets.port))
        let folder = TemporaryFolder()
        let client = try client(
            folder,
            port: proxy.port,
            time: sockets.server.time,
            revokesSessions: false
        )

        var states = client.sessionStates.makeAsyncIterator()
        #expect(await states.next()?.session == nil)
        #expect(try folder.contents().isEmpty)

        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        let loggedIn = try folder.contents()
        await sockets.stop()
        let connections = proxy.connectionCount
        let bytes = proxy.sentByteCount

        #expect(client.signOut().storageFailure == nil)

        let left = try folder.contents()
        // An empty lock file and the shared key remain.
        #expect(left.filter { $0.key.hasPrefix("data/") }.map(\.value) == [[]])
        #expect(left.filter { $0.key.hasPrefix("key/") } == loggedIn.filter { $0.key.hasPrefix("key/") })
        // The record and the journal were removed.
        #expect(loggedIn.count == left.count + 2)
        #expect(proxy.connectionCount == connections)
        #expect(proxy.sentByteCount == bytes)
        proxy.stop()
    }

    @Test func `A token waiting to be revoked is encrypted and then removed`() async throws {
        let sockets = try await SocketTestServer()
        try await sockets.server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let folder = TemporaryFolder()
        let port = try #require(sockets.port)
        let client = try client(folder, port: port, time: sockets.server.time)
        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        let token = try #require(client.engine.keeper.held?.stored.sessionToken).exposed
        await client.signOutAndRevoke()
        let revoked = try folder.contents()

        try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        let second = try #require(client.engine.keeper.held?.stored.sessionToken).exposed
        await sockets.stop()
        #expect(await client.signOutAndRevoke().isRevoked == false)

        let waiting = try folder.contents()
        // The record with the token is the only additional file.
        #expect(waiting.count == revoked.count + 1)
        for bytes in waiting.values {
            #expect(bytes.firstRange(of: token.utf8) == nil && bytes.firstRange(of: second.utf8) == nil)
        }
    }

    @Test func `The files on disk are exactly the same after every sign-out`() async throws {
        let sockets = try await SocketTestServer()
        try await sockets.server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let folder = TemporaryFolder()
        let client = try client(folder, port: try #require(sockets.port), time: sockets.server.time)
        var left: [[String: [UInt8]]] = []

        for _ in 1...3 {
            try await client.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
            #expect(await client.signOutAndRevoke().isRevoked)
            left.append(try folder.contents())
        }

        #expect(left[0] == left[1] && left[1] == left[2])
        await sockets.stop()
    }

    @Test func `A sign-out is still in effect after a restart`() async throws {
        let sockets = try await SocketTestServer()
        try await sockets.server.addCustomer(phone: TestAccount.phone, passcode: TestAccount.passcode)
        let folder = TemporaryFolder()
        let port = try #require(sockets.port)
        let first = try client(folder, port: port, time: sockets.server.time)
        try await first.signIn(phone: TestAccount.phone, password: TestAccount.passcode)
        await sockets.stop()

        let second = try client(folder, port: port, time: sockets.server.time)
        #expect(second.sessionState.session?.identity.phone?.e164 == TestAccount.phone)
        var states = second.sessionStates.makeAsyncIterator()
        #expect(await states.next()?.session?.identity.phone?.e164 == TestAccount.phone)
        #expect(second.signOut().storageFailure == nil)

        let third = try client(folder, port: port, time: sockets.server.time)
        var later = third.sessionStates.makeAsyncIterator()
        #expect(await later.next()?.session == nil)
        #expect(third.sessionState.session == nil)
    }
}

extension SocketTestServer {
    fileprivate var port: Int? {
        url.split(separator: ":").last.flatMap { Int($0) }
    }
}
