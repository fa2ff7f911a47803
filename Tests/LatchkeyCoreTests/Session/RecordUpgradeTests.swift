import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `Upgrading stored sessions` {
    /// Returns two processes that have both read the same version 1 record.
    private static func processes() async throws -> (TestEngine, TestEngine) {
        let device = try TestEngine()
        _ = try device.store.memory.write(Array(`Stored sessions`.version1.utf8), basedOn: 0)
        let other = try device.restarted()
        await device.engine.keeper.ready(again: true)
        await other.engine.keeper.ready(again: true)
        return (device, other)
    }

    @Test func `A version 1 record is upgraded to version 2 by the next write`()
        async throws
    {
        let (device, _) = try await Self.processes()
        let held = try #require(device.engine.keeper.held)
        #expect(device.store.bytes == Array(`Stored sessions`.version1.utf8))

        await device.engine.keeper.amend(held) { $0.session.id = "changed" }

        let bytes = try #require(device.store.bytes)
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(#""version":2}"#))
        let restarted = try device.restarted()
        await restarted.engine.keeper.ready()
        #expect(restarted.engine.keeper.held?.stored.login == held.stored.login)
    }

    @Test func `Upgrading a record in one process doesn't look like a new login to other processes`()
        async throws
    {
        let (device, other) = try await Self.processes()
        let (held, known) = (
            try #require(device.engine.keeper.held), try #require(other.engine.keeper.held)
        )

        await device.engine.keeper.amend(held) { $0.session.id = "changed" }
        await other.engine.keeper.ready(again: true)

        let current = try #require(other.engine.keeper.held)
        #expect(current.stored.session.id == "changed")
        #expect(current.handle.login == known.handle.login)
        #expect(try await other.engine.keeper.access(fresherThan: known).handle == current.handle)
    }

    @Test func `Processes that upgrade the same record concurrently derive the same login`() async throws {
        let (device, other) = try await Self.processes()
        let login = try #require(device.engine.keeper.held).stored.login

        await withTaskGroup { group in
            for (number, process) in [device, other].enumerated() {
                group.addTask {
                    guard let held = process.engine.keeper.held else { return }
                    await process.engine.keeper.amend(held) { $0.session.id = "\(number)" }
                }
            }
        }

        for process in [device, other] {
            await process.engine.keeper.ready(again: true)
            #expect(process.engine.keeper.held?.stored.login == login)
        }
        #expect(device.engine.keeper.state == other.engine.keeper.state)
    }
}
