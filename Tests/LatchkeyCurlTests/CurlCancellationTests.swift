import LatchkeyCore
import LatchkeyCurl
import LatchkeyWire
import Testing

@Suite struct `A cancelled request by libcurl` {
    private static func send(_ transport: CurlTransport, _ origin: String) async -> TransportError? {
        do throws(TransportError) {
            _ = try await transport.send(HTTPRequest(.post, "/", body: [1, 2, 3]), to: origin)
            return nil
        } catch {
            return error
        }
    }

    @Test func `is not begun when the task was cancelled before`() async throws {
        let server = ScriptedServer([])
        let transport = try CurlTransport()
        let origin = server.origin
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await Self.send(transport, origin)
        }
        task.cancel()
        let error = await task.value
        #expect(error?.code == .cancelled && error?.neverSent == true)
        #expect(server.connectionCount == 0)
    }

    @Test func `ends at once while the server works, and says that it was sent`() async throws {
        let gate = Gate()
        try await withServer(gate) { transport, origin in
            let task = Task { await Self.send(transport, origin) }
            await gate.asked(1)
            task.cancel()
            let error = await task.value
            #expect(error?.code == .cancelled && error?.neverSent == false)
            gate.open()
            #expect(await Self.send(transport, origin) == nil)
        }
    }

    @Test func `is one in four of many, and each gets its one answer`() async throws {
        try await withServer(Echo()) { transport, origin in
            for round in 0..<20 {
                let tasks = (0..<64).map { number in
                    (number % 4 == round % 4, Task { await Self.send(transport, origin) })
                }
                for (isCancelled, task) in tasks where isCancelled {
                    if round % 2 == 1 { await Task.yield() }
                    task.cancel()
                }
                for (isCancelled, task) in tasks {
                    let error = await task.value
                    if isCancelled {
                        #expect(error == nil || error?.code == .cancelled)
                    } else {
                        #expect(error == nil)
                    }
                }
            }
        }
    }

    @Test func `leaves nothing that the next request could trip over`() async throws {
        let gate = Gate()
        try await withServer(gate) { transport, origin in
            for turn in 1...8 {
                let tasks = (0..<8).map { _ in Task { await Self.send(transport, origin) } }
                await gate.asked(turn * 8)
                for task in tasks { task.cancel() }
                for task in tasks { #expect(await task.value?.code == .cancelled) }
            }
            gate.open()
            #expect(await Self.send(transport, origin) == nil)
        }
    }
}
