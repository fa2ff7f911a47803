import LatchkeyCore
import LatchkeyCurl
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `Cancelled libcurl requests` {
    private static func send(with transport: CurlTransport, to origin: String) async -> TransportError? {
        do throws(TransportError) {
            _ = try await transport.send(HTTP.Request(.post, "/", body: [1, 2, 3]), to: origin)
            return nil
        } catch {
            return error
        }
    }

    @Test func `A request is not sent if the task has already been cancelled`() async throws {
        let server = ScriptedServer([])
        let transport = try CurlTransport()
        let origin = server.origin
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await Self.send(with: transport, to: origin)
        }
        task.cancel()
        let error = await task.value
        #expect(error?.code == .cancelled && error?.neverSent == true)
        #expect(server.connectionCount == 0)
    }

    @Test func `A cancelled request ends immediately with an error that says it was sent`() async throws {
        let gate = Gate()
        try await withServer(gate) { transport, origin in
            let task = Task { await Self.send(with: transport, to: origin) }
            await gate.asked(1)
            task.cancel()
            let error = await task.value
            #expect(error?.code == .cancelled && error?.neverSent == false)
            gate.open()
            #expect(await Self.send(with: transport, to: origin) == nil)
        }
    }

    @Test func `Cancelling one request in four does not affect the others`() async throws {
        try await withServer(Echo()) { transport, origin in
            for round in 0..<20 {
                let tasks = (0..<64).map { number in
                    (number % 4 == round % 4, Task { await Self.send(with: transport, to: origin) })
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

    @Test func `A request is not affected by an earlier cancelled request`() async throws {
        let gate = Gate()
        try await withServer(gate) { transport, origin in
            for turn in 1...8 {
                let tasks = (0..<8).map { _ in Task { await Self.send(with: transport, to: origin) } }
                await gate.asked(turn * 8)
                for task in tasks { task.cancel() }
                for task in tasks { #expect(await task.value?.code == .cancelled) }
            }
            gate.open()
            #expect(await Self.send(with: transport, to: origin) == nil)
        }
    }
}
