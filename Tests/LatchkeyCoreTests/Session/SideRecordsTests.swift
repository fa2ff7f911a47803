import LatchkeyModel
import LatchkeyTestKit
import LatchkeyTesting
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `Values stored alongside the session` {
    private static let ofLogin = SideRecordKind("of-login", lifetime: .login, lifespan: .seconds(60))
    private static let untilSignOut = SideRecordKind(
        "until-sign-out",
        lifetime: .untilSignOut,
        lifespan: .seconds(60)
    )
    private static let ofDevice = SideRecordKind("of-device", lifetime: .device, lifespan: .seconds(60))
    private static let all = [ofLogin, untilSignOut, ofDevice]

    private static func set(_ kind: SideRecordKind, to bytes: [UInt8]?, _ device: TestEngine) async throws {
        try await device.engine.sideRecords.update(kind) { $0 = bytes }
    }

    /// Returns the contents of the store for values of the given kind, or `nil` if the store is empty.
    private static func stored(_ kind: SideRecordKind, _ device: TestEngine) throws -> [UInt8]? {
        let store = try #require(device.store.sideStore(for: kind.scope))
        guard case .present(let bytes, _) = store.read() else { return nil }
        return bytes
    }

    @Test(arguments: all) func `A stored value can be read after a restart`(
        _ kind: SideRecordKind
    ) async throws {
        let device = try await TestEngine.loggedIn()
        #expect(try await device.engine.sideRecords.read(kind) == nil)

        try await Self.set(kind, to: [1, 2, 3], device)

        #expect(try await device.engine.sideRecords.read(kind) == [1, 2, 3])
        #expect(try await device.restarted().engine.sideRecords.read(kind) == [1, 2, 3])
        try await Self.set(kind, to: nil, device)
        #expect(try await device.restarted().engine.sideRecords.read(kind) == nil)
        #expect(try Self.stored(kind, device) == nil)
    }

    @Test(arguments: all) func `A value expires after its lifespan, and every change restarts the lifespan`(
        _ kind: SideRecordKind
    ) async throws {
        let device = try await TestEngine.loggedIn()
        try await Self.set(kind, to: [1], device)
        device.time.advance(by: .seconds(59))
        try await Self.set(kind, to: [2], device)
        device.time.advance(by: .seconds(59))
        #expect(try await device.engine.sideRecords.read(kind) == [2])

        device.time.advance(by: .seconds(1))

        #expect(try await device.engine.sideRecords.read(kind) == nil)
        try await Self.set(kind, to: nil, device)
        #expect(try Self.stored(kind, device) == nil)
    }

    @Test func `Signing out removes all values except those of the device`() async throws {
        let device = try await TestEngine.loggedIn()
        for kind in Self.all { try await Self.set(kind, to: [1], device) }

        #expect(device.engine.keeper.signOut() == nil)

        #expect(try Self.stored(Self.ofLogin, device) == nil)
        for device in [device, try device.restarted()] {
            let records = device.engine.sideRecords
            #expect(await outcome { try await records.read(Self.ofLogin) }.code == .signedOut)
            #expect(try await records.read(Self.untilSignOut) == nil)
            #expect(try await records.read(Self.ofDevice) == [1])
        }
    }

    @Test func `Signing out removes the values before the session`() async throws {
        let device = try await TestEngine.loggedIn()
        try await Self.set(Self.untilSignOut, to: [1], device)
        let isRemoved = Locked<Bool?>(nil)
        device.store.during(.remove) {
            let stored = try? Self.stored(Self.untilSignOut, device)
            isRemoved.withLock { $0 = stored == nil }
        }

        _ = device.engine.keeper.signOut()

        #expect(isRemoved.withLock { $0 } == true)
    }

    @Test func `Values that aren't tied to a login can be stored without a login`() async throws {
        let device = try TestEngine()
        for kind in [Self.untilSignOut, Self.ofDevice] {
            try await Self.set(kind, to: [1], device)
            #expect(try await device.engine.sideRecords.read(kind) == [1])
        }
        #expect(await outcome { try await Self.set(Self.ofLogin, to: [1], device) }.code == .signedOut)

        _ = device.engine.keeper.signOut()

        #expect(try await device.engine.sideRecords.read(Self.untilSignOut) == nil)
        #expect(try await device.engine.sideRecords.read(Self.ofDevice) == [1])
    }

    @Test(arguments: [ofLogin, untilSignOut]) func `A change isn't stored if the user signs out`(
        _ kind: SideRecordKind
    ) async throws {
        let device = try await TestEngine.loggedIn()

        let result = await outcome {
            try await device.engine.sideRecords.update(kind) { bytes in
                bytes = [1]
                _ = device.engine.keeper.signOut()
            }
        }

        #expect(result.code == .signedOut)
        #expect(try Self.stored(kind, device) == nil)
    }

    @Test func `The values of a login are removed when another login replaces it`() async throws {
        let device = try await TestEngine.loggedIn()
        for kind in Self.all { try await Self.set(kind, to: [1], device) }

        _ = try await device.logIn()
        await device.engine.keeper.ready(again: true)

        let records = device.engine.sideRecords
        #expect(try await records.read(Self.ofLogin) == nil)
        #expect(try await records.read(Self.untilSignOut) == [1])
        #expect(try await records.read(Self.ofDevice) == [1])
        #expect(
            String(decoding: try #require(try Self.stored(Self.ofLogin, device)), as: UTF8.self)
                .contains("of-login") == false
        )
    }

    @Test func `The values of a login are removed when the server ends the session`() async throws {
        let device = try await TestEngine.loggedIn()
        for kind in Self.all { try await Self.set(kind, to: [1], device) }
        device.server.plan("GET /a/sessions/whoami", .respond(.refusal(401, "session_inactive")))

        _ = try await device.engine.check()
        await device.engine.keeper.ready(again: true)

        #expect(await outcome { try await device.engine.sideRecords.read(Self.ofLogin) }.code == .signedOut)
        #expect(try await device.engine.sideRecords.read(Self.untilSignOut) == [1])
        let bytes = try #require(try Self.stored(Self.ofLogin, device))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("of-login"))
    }

    @Test func `A process can't change the values of a login that it hasn't loaded yet`()
        async throws
    {
        let device = try await TestEngine.loggedIn()
        let other = Engine(
            server: try #require(WebAddress(FakeIdentityServer.origin)),
            parts: EngineParts(
                store: UnwatchedStore(memory: device.store.memory),
                deviceKeys: device.keys,
                transport: device.server,
                time: device.time
            )
        )
        await other.keeper.ready()
        try await other.sideRecords.update(Self.ofLogin) { $0 = [1] }
        _ = try await device.logIn()
        try await Self.set(Self.ofLogin, to: [2], device)

        let result = await outcome { try await other.sideRecords.update(Self.ofLogin) { $0 = [3] } }

        #expect(result.code == .signedOut)
        #expect(try await device.engine.sideRecords.read(Self.ofLogin) == [2])
        // The process has now noticed the new login.
        #expect(try await other.sideRecords.read(Self.ofLogin) == [2])
    }

    @Test func `Only one of several concurrent callers can take a value`() async throws {
        let device = try await TestEngine.loggedIn()
        try await Self.set(.pendingAuthorizations, to: [7], device)
        let devices = [device, try device.restarted(), try device.restarted()]

        let taken = await withTaskGroup(of: [UInt8]?.self, returning: [[UInt8]].self) { group in
            for index in 0..<12 {
                group.addTask {
                    try? await devices[index % 3].engine.sideRecords.update(.pendingAuthorizations) { bytes in
                        defer { bytes = nil }
                        return bytes
                    }
                }
            }
            return await group.reduce(into: []) { if let bytes = $1 { $0.append(bytes) } }
        }

        #expect(taken == [[7]])
    }

    @Test func `Concurrent changes from several processes aren't lost`() async throws {
        let device = try TestEngine()
        let devices = [device, try device.restarted()]

        try await withThrowingTaskGroup { group in
            for index in 0..<20 {
                group.addTask {
                    var isDone = false
                    while !isDone {
                        let result = await outcome {
                            try await devices[index % 2].engine.sideRecords.update(.revocationOutbox) {
                                bytes in
                                bytes = (bytes ?? []) + [UInt8(index)]
                            }
                        }
                        isDone = result.error == nil
                    }
                }
            }
            try await group.waitForAll()
        }

        let bytes = try #require(try await device.engine.sideRecords.read(.revocationOutbox))
        #expect(bytes.sorted() == Array(0..<20))
    }

    @Test func `The size and number of values are limited`() async throws {
        let device = try TestEngine()
        let limit = SideRecordKind.byteLimit
        try await Self.set(Self.ofDevice, to: [UInt8](repeating: 1, count: limit), device)
        let tooLarge = await outcome {
            try await Self.set(Self.ofDevice, to: [UInt8](repeating: 2, count: limit + 1), device)
        }
        #expect(tooLarge.code == .storageFailed)
        #expect(try await device.engine.sideRecords.read(Self.ofDevice)?.first == 1)

        for number in 2...16 {
            try await Self.set(
                SideRecordKind("\(number)", lifetime: .device, lifespan: .seconds(60)),
                to: [UInt8](repeating: 1, count: limit),
                device
            )
        }
        let another = SideRecordKind("another", lifetime: .device, lifespan: .seconds(60))
        #expect(await outcome { try await Self.set(another, to: [1], device) }.code == .storageFailed)
        device.time.advance(by: .seconds(61))
        try await Self.set(another, to: [1], device)
    }

    @Test func `The values of an in-memory login aren't stored`() async throws {
        let device = try TestEngine()
        _ = try await device.logIn(persistence: .memory)

        for kind in Self.all { try await Self.set(kind, to: [1], device) }

        #expect(try await device.engine.sideRecords.read(Self.ofLogin) == [1])
        #expect(try Self.stored(Self.ofLogin, device) == nil)
        #expect(try Self.stored(Self.ofDevice, device) != nil)
        _ = device.engine.keeper.signOut()
        #expect(try await device.engine.sideRecords.read(Self.untilSignOut) == nil)
    }

    @Test func `Values that couldn't be removed at sign-out can't be read and are removed later`()
        async throws
    {
        let device = try await TestEngine.loggedIn()
        for kind in Self.all { try await Self.set(kind, to: [1], device) }
        let store = try #require(device.store.sideStore(for: .login) as? MemoryStore)
        store.fail(with: SessionStoreError(.failed, message: "The disk is read-only."))

        #expect(device.engine.keeper.signOut()?.code == .failed)

        #expect(device.store.isEmpty)
        #expect(await outcome { try await device.engine.sideRecords.read(Self.untilSignOut) }.error != nil)
        store.fail(with: nil)
        #expect(try await device.engine.sideRecords.read(Self.untilSignOut) == nil)
        #expect(store.read().isAbsent)
    }

    @Test(arguments: [
        (#"{"version":2,"anything":1}"#, LatchkeyError.Code?.some(.storageUnavailable), false),
        ("{", nil, true), (#"{"version":1,"records":{"x":{}}}"#, nil, true),
    ])
    func `Damaged values are read as missing and replaced, but those from a newer version aren't`(
        _ text: String,
        _ code: LatchkeyError.Code?,
        _ isReplaced: Bool
    ) async throws {
        let device = try TestEngine()
        _ = try #require(device.store.sideStore(for: .device)).write(Array(text.utf8), basedOn: 0)

        let reading = await outcome { try await device.engine.sideRecords.read(Self.ofDevice) }
        #expect(reading.error?.code == code)
        let result = await outcome { try await Self.set(Self.ofDevice, to: [1], device) }

        #expect((result.error == nil) == isReplaced)
        #expect(try (Self.stored(Self.ofDevice, device) == Array(text.utf8)) != isReplaced)
    }

    @Test func `Replacing damaged values keeps what another process has stored in the meantime`() throws {
        let store = FaultInjectingStore()
        let damaged = try store.memory.write(Array("{".utf8), basedOn: 0)
        var other = SideRecordContainer()
        other.entries["other"] = .init(bytes: [1], expiresAt: Timestamp(seconds: 2_000_000_000))
        let bytes = try other.encoded()
        store.during(.write) { _ = try? store.memory.write(bytes, basedOn: damaged) }

        try SideRecordContainer.update(store, while: { true }) { container in
            container.entries["own"] = .init(bytes: [2], expiresAt: Timestamp(seconds: 2_000_000_000))
        }

        #expect(
            try SideRecordContainer.read(store).container.entries.mapValues(\.bytes) == [
                "other": [1], "own": [2],
            ]
        )
    }

    /// The format of version 1.
    ///
    /// Changing this text would break deployed devices.
    private static let version1 = #"""
        {"records":{"a":{"bytes":"AQID","expiresAt":"2026-11-21T08:11:20.000000Z"},\#
        "b":{"bytes":"","expiresAt":"2026-11-21T08:11:20.000000Z","login":"AAECAwQFBgcICQoLDA0ODw"}},\#
        "version":1}
        """#

    @Test func `Values are stored in the format of version 1`() throws {
        let expiry = try #require(Timestamp(rfc3339: "2026-11-21T08:11:20Z"))
        var container = SideRecordContainer()
        container.entries["a"] = SideRecordContainer.Entry(bytes: [1, 2, 3], expiresAt: expiry)
        container.entries["b"] = SideRecordContainer.Entry(
            bytes: [],
            expiresAt: expiry,
            login: LoginID("AAECAwQFBgcICQoLDA0ODw")
        )

        #expect(String(decoding: try container.encoded(), as: UTF8.self) == Self.version1)
        #expect(try SideRecordContainer(decoding: Array(Self.version1.utf8)) == container)
    }
}

extension StoredRecord {
    fileprivate var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }
}

/// A store that doesn't report changes made by other processes.
private struct UnwatchedStore: SessionStore {
    let memory: MemoryStore

    func read() -> StoredRecord { memory.read() }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        try memory.write(bytes, basedOn: generation)
    }

    func remove() throws(SessionStoreError) {
        try memory.remove()
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        try memory.remove(basedOn: generation)
    }

    func sideStore(for scope: SideRecordScope) -> (any SessionStore)? { memory.sideStore(for: scope) }
}
