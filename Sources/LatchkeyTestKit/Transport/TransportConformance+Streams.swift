import LatchkeyModel
import LatchkeyWire

/// Checks of streamed bodies.
extension TransportConformance {
    /// Checks for transports that can stream, in order.
    static var streams: [Check] {
        [
            Check(
                requirement: "A streamed response is returned before its body is complete.",
                run: returnsHeadsEarly
            ),
            Check(
                requirement: "A streamed body is delivered completely and in order.",
                run: deliversWholeBodies
            ),
            Check(
                requirement: "Server-sent events are delivered as soon as they are sent.",
                run: deliversEvents
            ),
            Check(requirement: "Releasing a streamed body ends the exchange.", run: endsReleasedStreams),
            Check(requirement: "Cancelling the reader ends the exchange.", run: endsCancelledStreams),
            Check(
                requirement: "A streamed body fails if it is larger than the request's limit.",
                run: limitsStreams
            ),
            Check(
                requirement: "A time limit also ends a stream that is received continuously.",
                run: endsStreamsInTime
            ),
            Check(
                requirement: "A truncated body fails after the bytes that were received.",
                run: reportsTruncatedBodies
            ),
            Check(requirement: "An upload is sent completely and in order.", run: sendsUploads),
            Check(
                requirement: "An upload that fails or has another length than announced is an error.",
                run: refusesFailedUploads
            ),
        ]
    }

    private static let request = HTTP.Request(.get, "/")

    /// Opens a stream, which the fixture's server responds to.
    ///
    /// The stream has a time limit, so that a check of a faulty transport ends.
    private static func open(
        _ fixture: TransportFixture,
        upload: HTTP.Upload? = nil,
        bodyLimit: Int? = nil
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        let request = upload == nil ? request : HTTP.Request(.put, "/")
        return try await fixture.transport.streamOrBuffer(
            request,
            upload: upload,
            to: fixture.origin,
            limits: RequestLimits(timeout: fixture.patience, bodyLimit: bodyLimit)
        )
    }

    /// Returns whether a producer ends while the fixture still waits.
    private static func isSet(_ ended: OneShot<Void>, in fixture: TransportFixture) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await ended.value != nil }
            group.addTask {
                try? await SystemTime().sleep(for: fixture.patience / 2)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Makes the fixture's server respond with a body that is produced while it is sent.
    ///
    /// - Returns: A signal that is set when the producer has ended.
    private static func serve(
        on fixture: TransportFixture,
        status: Int = 200,
        _ produce: @escaping @Sendable (_ write: @escaping HTTP.BodyStream.Write) async throws -> Void
    ) -> OneShot<Void> {
        let ended = OneShot<Void>()
        fixture.reset { _ in
            var response = HTTP.Response(status, headers: ["X-Name": "value"])
            response.stream = HTTP.BodyStream { write in
                defer { ended.set(()) }
                try await produce(write)
            }
            return response
        }
        return ended
    }

    /// Checks that the head arrives while the server waits before it sends a body.
    @Sendable private static func returnsHeadsEarly(_ fixture: TransportFixture) async throws -> String? {
        let gate = ResponseGate()
        defer { gate.open() }
        _ = serve(on: fixture, status: 206) { write in
            try await write([1])
            await gate.wait()
            try await write([2])
        }
        let answer = try await open(fixture)
        gate.open()
        guard answer.status == 206, answer.headers["x-name"] == "value" else {
            return "The head was altered in transit."
        }
        let body = try await answer.body.collected(upTo: 10)
        return body == [1, 2] ? nil : "The body was \(body)."
    }

    /// Checks 4 MiB, which are more than a transport buffers.
    @Sendable private static func deliversWholeBodies(_ fixture: TransportFixture) async throws -> String? {
        _ = serve(on: fixture) { write in
            for number in 0..<64 { try await write([UInt8](repeating: UInt8(number), count: 65_536)) }
        }
        var count = 0
        for try await part in try await open(fixture).body {
            guard !part.isEmpty else { return "A chunk was empty." }
            for byte in part {
                guard byte == count / 65_536 else { return "Byte \(count) was altered or moved." }
                count += 1
            }
        }
        return count == 64 * 65_536 ? nil : "\(count) bytes were delivered."
    }

    /// Checks that each event arrives although the server sends the next one only after that.
    @Sendable private static func deliversEvents(_ fixture: TransportFixture) async throws -> String? {
        let steps = (0..<3).map { _ in ResponseGate() }
        defer { for step in steps { step.open() } }
        _ = serve(on: fixture) { write in
            for (number, step) in steps.enumerated() {
                try await write(ServerSentEvent(id: "\(number)", data: "event").bytes)
                await step.wait()
            }
        }
        var parser = ServerSentEventParser()
        var ids: [String] = []
        for try await part in try await open(fixture).body {
            for event in try parser.parse(part) {
                ids.append(event.id)
                guard ids.count <= steps.count else { return "There were more events." }
                steps[ids.count - 1].open()
            }
        }
        return ids == ["0", "1", "2"] ? nil : "The events were \(ids)."
    }

    @Sendable private static func endsReleasedStreams(_ fixture: TransportFixture) async throws -> String? {
        let ended = serve(on: fixture, endless)
        do {
            var parts = try await open(fixture).body.makeAsyncIterator()
            guard try await parts.next()?.isEmpty == false else { return "There was no first chunk." }
        }
        return await isSet(ended, in: fixture) ? nil : "The server could continue to send."
    }

    @Sendable private static func endsCancelledStreams(_ fixture: TransportFixture) async throws -> String? {
        let ended = serve(on: fixture, endless)
        let body = try await open(fixture).body
        let reader = Task { await failure(of: body)?.code }
        reader.cancel()
        let code = await reader.value
        guard code == .cancelled else {
            return "The reader's error was \(code.map { "\($0)" } ?? "missing")."
        }
        return await isSet(ended, in: fixture) ? nil : "The server could continue to send."
    }

    @Sendable private static func limitsStreams(_ fixture: TransportFixture) async throws -> String? {
        for (size, code) in [(100_000, TransportError.Code?.none), (100_001, .invalidResponse)] {
            _ = serve(on: fixture) { write in try await write([UInt8](repeating: 0, count: size)) }
            let error = await failure(of: try await open(fixture, bodyLimit: 100_000).body)
            guard error?.code == code else {
                return "\(size) bytes resulted in \(error.map { "\($0.code)" } ?? "no error")."
            }
        }
        return nil
    }

    /// Checks an endless body with a limit of 200 milliseconds, up to 512 MiB.
    @Sendable private static func endsStreamsInTime(_ fixture: TransportFixture) async throws -> String? {
        _ = serve(on: fixture, endless)
        do {
            let body = try await fixture.transport.streamOrBuffer(
                request,
                upload: nil,
                to: fixture.origin,
                limits: RequestLimits(timeout: .milliseconds(200))
            ).body
            var count = 0
            for try await part in body {
                count += part.count
                guard count < 1 << 29 else { break }
            }
            return "The stream continued."
        } catch let error as TransportError where error.code == .timedOut {
            return nil
        }
    }

    @Sendable private static func reportsTruncatedBodies(_ fixture: TransportFixture) async throws -> String?
    {
        struct Interruption: Error {}
        _ = serve(on: fixture) { write in
            try await write(Array("half".utf8))
            throw Interruption()
        }
        let received = Locked<[UInt8]>([])
        let error = await failure(of: try await open(fixture).body) { part in
            received.withLock { $0 += part }
        }
        guard received.withLock({ $0 }) == Array("half".utf8) else { return "The received bytes were lost." }
        return error?.code == .unreachable || error?.code == .invalidResponse
            ? nil : "The error was \(error.map { "\($0.code)" } ?? "missing")."
    }

    /// Checks an upload with a length and one without.
    @Sendable private static func sendsUploads(_ fixture: TransportFixture) async throws -> String? {
        for length in [nil, 60_000] {
            fixture.reset { HTTP.Response(200, body: $0.body) }
            let upload = HTTP.Upload(length: length) { write in
                for number in 0..<30 { try await write([UInt8](repeating: UInt8(number), count: 2000)) }
            }
            let body = try await open(fixture, upload: upload).body.collected(upTo: 100_000)
            guard body == (0..<30).flatMap({ [UInt8](repeating: UInt8($0), count: 2000) }) else {
                return "The body was altered in transit."
            }
        }
        return nil
    }

    /// Checks producers that throw an error before or after their first chunk, and lengths that are too large
    /// or too small.
    @Sendable private static func refusesFailedUploads(_ fixture: TransportFixture) async throws -> String? {
        struct Failure: Error {}
        let uploads: [(HTTP.Upload, isFailure: Bool)] = [
            (HTTP.Upload { _ in throw Failure() }, true),
            (
                HTTP.Upload { write in
                    try await write([1, 2, 3])
                    throw Failure()
                }, true
            ),
            (HTTP.Upload(length: 10) { try await $0([1, 2, 3]) }, false),
            (HTTP.Upload(length: 2) { try await $0([1, 2, 3]) }, false),
        ]
        for (number, (upload, isFailure)) in uploads.enumerated() {
            do throws(TransportError) {
                _ = try await open(fixture, upload: upload)
                return "Upload \(number) was accepted."
            } catch {
                guard error.code == .invalidRequest, (error.cause is Failure) == isFailure else {
                    return "The error of upload \(number) was \(error.code)."
                }
            }
        }
        return nil
    }

    /// Produces a body that ends only with its connection.
    @Sendable private static func endless(_ write: @escaping HTTP.BodyStream.Write) async throws {
        while true { try await write([UInt8](repeating: 0x61, count: 65_536)) }
    }

    /// Reads a body to its end and returns its error, if any.
    private static func failure(
        of body: HTTP.ResponseBody,
        received: (@Sendable ([UInt8]) -> Void)? = nil
    ) async -> TransportError? {
        do {
            for try await part in body { received?(part) }
            return nil
        } catch {
            return error as? TransportError
        }
    }
}
