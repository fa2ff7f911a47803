import Foundation
import LatchkeyCore
import LatchkeyTestKit
import TestProcesses
import Testing

@testable import LatchkeySecretService

@Suite(.timeLimit(.minutes(5))) struct `Keyring store` {
    @Test func `The keyring store passes the conformance checks`() async throws {
        try await Desktop.with { (desktop) async throws in
            let sealing = { @Sendable (isLocked: Bool) -> Void in
                do {
                    if isLocked { try desktop.lockNow() } else { try desktop.unlockNow() }
                } catch {
                    Issue.record(error)
                }
            }
            let conformance = SessionStoreConformance(sealing: sealing) { desktop.store() }
            let violations = await conformance.violations()
            #expect(violations == [])
        }
    }

    @Test func `The record survives locking and restarting the service until it is removed`()
        async throws
    {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            #expect(try await store.reading() == .absent)
            let first = try await store.writing("a record").get()
            #expect(try await store.reading() == .present("a record"))

            try await desktop.lock()
            #expect(try await store.reading() == .unavailable(.locked))
            #expect(try await store.writing("no", basedOn: first) == .failure(Refusal(code: .locked)))
            try await desktop.unlock()
            #expect(try await store.reading() == .present("a record"))

            await desktop.stopKeyring()
            #expect(try await store.reading() == .unavailable(.failed))
            #expect(try await store.writing("no", basedOn: first) == .failure(Refusal(code: .failed)))
            try await desktop.startKeyring(unlocked: false)
            #expect(try await store.reading() == .unavailable(.locked))
            try await desktop.unlock()
            #expect(try await store.reading() == .present("a record"))
            #expect(try await store.writing("another", basedOn: first).get() == first + 1)

            #expect(try await store.removing() == nil)
            #expect(try await store.reading() == .absent)
            #expect(desktop.marks == [])
        }
    }

    @Test func `Reading or removing before the first login does not create an item or a file`() async throws {
        try await Desktop.with { (desktop) async throws in
            #expect(try await desktop.store().reading() == .absent)
            #expect(try await desktop.store().removing() == nil)
            #expect(!FileManager.default.fileExists(atPath: desktop.root + "/data"))
        }
    }

    @Test func `The record can be found and removed after its folder has been deleted`() async throws {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            _ = try await store.writing("a record").get()
            try FileManager.default.removeItem(atPath: desktop.root + "/data")

            #expect(try await store.reading() == .present("a record"))
            #expect(try await store.removing() == nil)
            #expect(try await store.reading() == .absent)
            #expect(try await off { try desktop.service().search(store.attributes).unlocked } == [])
        }
    }

    @Test func `An existing record becomes unavailable if the keyring cannot be found`() async throws {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            _ = try await store.writing("a record").get()
            // Some services do not list locked items. We simulate that by deleting the item.
            try await off {
                try desktop.service().delete(desktop.service().search(store.attributes).unlocked[0])
            }
            #expect(try await store.reading() == .absent)
            try await desktop.lock()

            #expect(try await store.reading() == .unavailable(.locked))
            #expect(try await desktop.store(app: "other").reading() == .absent)
        }
    }

    @Test func `No marker file is left if the keyring is locked at the first login`() async throws {
        try await Desktop.with { (desktop) async throws in
            try await desktop.lock()

            #expect(try await desktop.store().writing("no") == .failure(Refusal(code: .locked)))
            #expect(try await desktop.store().reading() == .absent)
            #expect(desktop.marks == [])
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Removals from the keyring` {
    @Test func `A removal takes effect while the keyring is locked and completes once it is unlocked`()
        async throws
    {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            let generation = try await store.writing("a record").get()
            try await desktop.lock()

            #expect(try await store.removing() == nil)
            #expect(try await store.reading() == .absent)
            #expect(store.report.isErasurePending)
            #expect(desktop.marks == [".keyring", ".keyring-removed"])
            await desktop.stopKeyring()
            try await desktop.startKeyring()

            #expect(try await store.reading() == .absent)
            #expect(desktop.marks == [])
            #expect(try await off { try desktop.service().search(store.attributes).unlocked } == [])
            #expect(try await store.writing("no", basedOn: generation) == .failure(Refusal(code: .conflict)))
        }
    }

    @Test func `A removal takes effect without a service and does not affect a later login`()
        async throws
    {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            _ = try await store.writing("the former").get()
            await desktop.stopKeyring()
            #expect(try await store.removing() == nil)
            #expect(try await store.reading() == .absent)
            try await desktop.startKeyring()

            _ = try await store.writing("the later").get()

            #expect(desktop.marks == [".keyring"])
            for _ in 0..<2 { #expect(try await desktop.store().reading() == .present("the later")) }
        }
    }

    @Test func `A removal does not wait long for an unresponsive service`() async throws {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store(timeout: .milliseconds(50))
            _ = try await desktop.store().writing("a record").get()
            desktop.freezeKeyring(true)

            #expect(try await store.reading() == .unavailable(.failed))
            #expect(try await store.removing() == nil)
            desktop.freezeKeyring(false)

            #expect(try await desktop.store().reading() == .absent)
            #expect(desktop.marks == [])
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Removals that are completed later` {
    /// Creates a store with a bus that accepts connections but does not respond.
    private func hangingStore(_ desktop: Desktop, at socket: SilentSocket) -> SecretServiceStore {
        SecretServiceStore(
            server: "https://id.example",
            app: "app",
            folder: desktop.root + "/data",
            bus: SessionBus(address: "unix:path=" + socket.path),
            timeout: .seconds(60)
        )
    }

    @Test func `A removal begins without using the bus and is completed later`() async throws {
        try await Desktop.with { (desktop) async throws in
            _ = try await desktop.store().writing("a record").get()
            let socket = try SilentSocket(path: desktop.root + "/run/silent")

            try hangingStore(desktop, at: socket).beginRemoval()

            #expect(!socket.wasAsked)
            #expect(desktop.marks == [".keyring", ".keyring-removed"])
            desktop.freezeKeyring(true)
            #expect(try await desktop.store(timeout: .milliseconds(50)).reading() == .absent)
            desktop.freezeKeyring(false)
            try await off { desktop.store().completeRemoval() }
            #expect(desktop.marks == [])
            #expect(try await off { try desktop.items() } == [])
        }
    }

    @Test func `Beginning a removal in the fallback store does not use the bus`() async throws {
        try await Desktop.with { (desktop) async throws in
            _ = try await desktop.fallbackStore().writing("a record").get()
            let socket = try SilentSocket(path: desktop.root + "/run/silent")
            let fallback = FallbackSessionStore(
                keyring: hangingStore(desktop, at: socket),
                file: desktop.file()
            )

            try fallback.beginRemoval()

            #expect(!socket.wasAsked)
            #expect(try await desktop.fallbackStore().reading() == .absent)
            #expect(desktop.marks == [])
        }
    }

    @Test func `A record that is removed while it is being written is not stored`() async throws {
        try await Desktop.with { (desktop) async throws in
            for isWanted in [true, false] {
                let error = try await off { () -> SessionStoreError? in
                    do throws(SessionStoreError) {
                        _ = try desktop.store().write([1], basedOn: 0) {
                            #expect(throws: Never.self) { try desktop.store().beginRemoval() }
                            return isWanted
                        }
                        return nil
                    } catch {
                        return error
                    }
                }
                #expect(error?.code == (isWanted ? nil : .conflict))

                #expect(try await desktop.store().reading() == .absent)
                try await off { desktop.store().completeRemoval() }
                #expect(desktop.marks == [])
                #expect(try await off { try desktop.items() } == [])
            }
        }
    }

    @Test func `Completing a removal also erases a record that has no marker file`()
        async throws
    {
        try await Desktop.with { (desktop) async throws in
            for isRead in [true, false] {
                let store = desktop.store()
                _ = try await store.writing("a record").get()
                try FileManager.default.removeItem(atPath: desktop.root + "/data")
                if isRead { #expect(try await store.reading() == .present("a record")) }

                try await off { try store.beginRemoval() }
                #expect(desktop.marks == (isRead ? [".keyring", ".keyring-removed"] : []))
                try await off { store.completeRemoval() }

                #expect(try await store.reading() == .absent)
                #expect(desktop.marks == [])
            }
        }
    }

    @Test func `A removal before the first login does not leave a file behind`() async throws {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            try await off {
                try store.beginRemoval()
                store.completeRemoval()
            }
            #expect(!FileManager.default.fileExists(atPath: desktop.root + "/data"))

            _ = try await store.writing("the former").get()
            try await off { try store.beginRemoval() }
            _ = try await store.writing("the later").get()
            try await off { store.completeRemoval() }
            #expect(try await store.reading() == .present("the later"))
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Session bus for the keyring` {
    @Test func `Operations fail within the timeout if the bus hangs, stops or is missing`() async throws {
        try await Desktop.with(keyring: false) { (desktop) async throws in
            let store = desktop.store(timeout: .milliseconds(50))
            #expect(try await store.reading() == .unavailable(.failed))
            #expect(store.absence() != nil)
            let silent = try SilentSocket(path: desktop.root + "/run/silent")
            for address in ["unix:path=\(silent.path)", "unix:path=\(desktop.root)/none", "nonsense", ""] {
                let store = SecretServiceStore(
                    server: "s",
                    app: "a",
                    folder: desktop.root + "/data",
                    bus: SessionBus(address: address),
                    timeout: .milliseconds(50)
                )
                #expect(try await store.reading() == .unavailable(.failed))
                #expect(try await store.writing("no") == .failure(Refusal(code: .failed)))
            }
        }
    }

    @Test(arguments: [
        (["DBUS_SESSION_BUS_ADDRESS": "unix:path=/b", "XDG_RUNTIME_DIR": "/r"], "unix:path=/b"),
        (["XDG_RUNTIME_DIR": "/r"], "unix:path=/r/bus"),
        (["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": "/r"], "unix:path=/r/bus"),
        (["XDG_RUNTIME_DIR": "/empty"], nil),
        (["XDG_RUNTIME_DIR": "r"], nil),
        ([:], nil),
    ])
    func `The bus is found through environment variables`(environment: [String: String], address: String?) {
        let bus = SessionBus.current(
            variable: { environment[$0] },
            exists: { $0 == "/r/bus" || $0 == "r/bus" }
        )

        #expect(bus?.address == address)
    }
}

extension Desktop {
    /// Returns the records in the keyring.
    fileprivate func items() throws -> [String] {
        try service().search(store().attributes).unlocked
    }
}

/// A socket that accepts connections but does not respond.
private final class SilentSocket {
    let path: String
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(descriptor, 8) == 0)
    }

    /// Whether a client has connected.
    var wasAsked: Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }

    deinit {
        close(descriptor)
    }
}
