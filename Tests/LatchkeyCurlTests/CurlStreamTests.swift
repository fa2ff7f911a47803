import LatchkeyCore
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyCurl

/// Signals that a producer has ended.
private final class EndSignal: Sendable {
    private let signal = AsyncStream<Void>.makeStream()

    func set() { signal.continuation.finish() }

    func wait() async {
        for await _ in signal.stream {}
    }
}

/// Streams 64 chunks of 64 KiB.
private struct Parts: HTTPHandler {
    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        var response = HTTP.Response(200)
        response.stream = HTTP.BodyStream { write in
            for _ in 0..<64 { try await write([UInt8](repeating: 0x61, count: 65_536)) }
        }
        return response
    }
}

@Suite(.timeLimit(.minutes(10))) struct `libcurl streams` {
    private static let get = HTTP.Request(.get, "/")

    @Test func `A truncated stream fails after delivering all received bytes`() async throws {
        let server = ScriptedServer(["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"])
        let transport = try CurlTransport()
        let answer = try await transport.stream(
            Self.get,
            upload: nil,
            to: server.origin,
            limits: RequestLimits()
        )
        let received = Locked<[UInt8]>([])
        let error = await #expect(throws: TransportError.self) {
            for try await part in answer.body { received.withLock { $0 += part } }
        }
        #expect(error?.code == .unreachable)
        #expect(received.withLock { $0 } == Array("half".utf8))
    }

    @Test(arguments: [nil, 60_000]) func `Chunks of an upload are sent in order`(length: Int?) async throws {
        try await withServer(Echo()) { transport, origin in
            let upload = HTTP.Upload(length: length) { write in
                for number in 0..<30 { try await write([UInt8](repeating: UInt8(number), count: 2000)) }
            }
            let answer = try await transport.stream(
                HTTP.Request(.put, "/"),
                upload: upload,
                to: origin,
                limits: RequestLimits()
            )
            #expect(answer.status == 200)
            let body = try await answer.body.collected(upTo: 100_000)
            #expect(body == (0..<30).flatMap { [UInt8](repeating: UInt8($0), count: 2000) })
            let lines = answer.headers["X-Lines"] ?? ""
            #expect(lines.contains("Content-Length=60000") == (length != nil))
        }
    }

    @Test func `An early response from the server cancels the upload's producer`() async throws {
        let server = ScriptedServer([
            "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ])
        let transport = try CurlTransport()
        let ended = EndSignal()
        let upload = HTTP.Upload { write in
            defer { ended.set() }
            while true { try await write([UInt8](repeating: 0, count: 65_536)) }
        }
        let answer = try? await transport.stream(
            HTTP.Request(.put, "/"),
            upload: upload,
            to: server.origin,
            limits: RequestLimits()
        )
        // The response may be lost because the server closes the connection while we are still writing to it.
        #expect(answer == nil || answer?.status == 413)
        await ended.wait()
    }

    @Test func `A buffered request can have its own limits`() async throws {
        try await withServer(Parts()) { transport, origin in
            var error = await #expect(throws: TransportError.self) {
                try await transport.send(Self.get, to: origin, limits: RequestLimits(bodyLimit: 1000))
            }
            #expect(error?.code == .invalidResponse)
            error = await #expect(throws: TransportError.self) {
                try await transport.send(Self.get, to: origin)
            }
            #expect(error?.code == .invalidResponse)
            let answer = try await transport.send(
                Self.get,
                to: origin,
                limits: RequestLimits(bodyLimit: .max)
            )
            #expect(answer.body.count == 64 * 65_536)
        }
        let gate = Gate()
        try await withServer(gate) { transport, origin in
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(
                    Self.get,
                    to: origin,
                    limits: RequestLimits(timeout: .milliseconds(50))
                )
            }
            #expect(error?.code == .timedOut)
            gate.open()
        }
    }
}

@Suite struct `libcurl stream buffer` {
    private func receive(_ count: Int, by download: CurlDownload) -> Bool {
        [UInt8](repeating: 1, count: count).withUnsafeBytes { download.receive($0) }
    }

    @Test func `The transfer pauses while the buffer is full`() async throws {
        let wakes = Locked(0)
        let download = CurlDownload { wakes.withLock { $0 += 1 } }
        var accepted = 0
        while receive(16_384, by: download) { accepted += 16_384 }

        #expect(accepted == CurlDownload.highWater)
        #expect(!download.takeResumption())
        #expect(try await download.next()?.count == accepted)
        #expect(wakes.withLock { $0 } == 1)
        #expect(download.takeResumption())
        #expect(!download.takeResumption())
        #expect(receive(1, by: download))
    }

    @Test func `A buffer returns its contents before the transfer's error`() async throws {
        let download = CurlDownload {}
        #expect(receive(10, by: download))
        download.finish(.failure(TransportError(.unreachable, message: "lost")))

        #expect(try await download.next()?.count == 10)
        let error = await #expect(throws: TransportError.self) { try await download.next() }
        #expect(error?.code == .unreachable)
    }
}
