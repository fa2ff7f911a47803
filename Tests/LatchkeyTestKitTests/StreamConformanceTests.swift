import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyTestKit

@Suite(.timeLimit(.minutes(10))) struct `Conformance checks of streams and time limits` {
    @Test(arguments: [
        (StreamFault.waitsForBodies, "A streamed response is returned before"),
        (.losesChunks, "A streamed body is delivered completely"),
        (.holdsBackChunks, "Server-sent events are delivered"),
        (.keepsReleasedBodies, "Releasing a streamed body"),
        (.ignoresCancellation, "Cancelling the reader"),
        (.ignoresSizes, "A streamed body fails if it is larger"),
        (.ignoresTimeLimits, "A time limit also ends a stream"),
        (.hidesTruncation, "A truncated body fails"),
        (.reordersUploads, "An upload is sent completely"),
        (.acceptsFailedUploads, "An upload that fails"),
        (.reportsTimeoutsAsUnreachable, "An exchange ends with timedOut"),
        (.refusesLongLimits, "A time limit can have any length"),
    ])
    func `The checks detect each kind of faulty transport`(fault: StreamFault, requirement: String) async {
        var checks = TransportConformance { _, _ in
            FaultyStreams(base: try CurlTransport(), fault: fault)
        }
        checks.patience = .seconds(1)

        let violations = await checks.violations()

        #expect(violations.contains { $0.hasPrefix(requirement) }, "\(violations)")
    }
}

/// The requirement that a transport violates.
enum StreamFault: Sendable {
    case waitsForBodies, losesChunks, holdsBackChunks, keepsReleasedBodies, ignoresCancellation, ignoresSizes
    case ignoresTimeLimits, hidesTruncation, reordersUploads, acceptsFailedUploads,
        reportsTimeoutsAsUnreachable
    case refusesLongLimits
}

/// A transport that streams with libcurl and violates one of the requirements.
private final class FaultyStreams: StreamingTransport {
    let base: CurlTransport
    let fault: StreamFault
    private let bodies = Locked<[HTTP.ResponseBody]>([])

    init(base: CurlTransport, fault: StreamFault) {
        (self.base, self.fault) = (base, fault)
    }

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        if fault == .refusesLongLimits, let timeout = limits.timeout, RequestLimits.isUnlimited(timeout) {
            throw TransportError(.invalidRequest, message: "The time limit is too long.")
        }
        do throws(TransportError) {
            return try await base.send(request, to: origin, limits: limits)
        } catch {
            guard fault == .reportsTimeoutsAsUnreachable, error.code == .timedOut else { throw error }
            throw TransportError(.unreachable, message: "The connection broke.")
        }
    }

    func stream(
        _ request: HTTP.Request,
        upload: HTTP.Upload?,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.StreamedResponse {
        var (upload, limits) = (upload, limits)
        if fault == .ignoresSizes { limits.bodyLimit = nil }
        if fault == .ignoresTimeLimits, limits.timeout == .milliseconds(200) { limits.timeout = nil }
        if let given = upload { upload = faulty(given) }
        let answer = try await base.stream(request, upload: upload, to: origin, limits: limits)
        if fault == .keepsReleasedBodies { bodies.withLock { $0.append(answer.body) } }
        let source = FaultySource(answer.body, fault: fault)
        if fault == .waitsForBodies { try await source.collect() }
        return HTTP.StreamedResponse(answer.status, headers: answer.headers, body: HTTP.ResponseBody(source))
    }

    private func faulty(_ upload: HTTP.Upload) -> HTTP.Upload {
        switch fault {
        case .reordersUploads:
            HTTP.Upload { write in
                let parts = Locked<[[UInt8]]>([])
                try await upload.produce { part in parts.withLock { $0.append(part) } }
                for part in parts.withLock({ $0 }).reversed() { try await write(part) }
            }
        case .acceptsFailedUploads: HTTP.Upload { write in try? await upload.produce(write) }
        default: upload
        }
    }
}

/// A body that violates one of the requirements.
private final class FaultySource: HTTP.ResponseBody.Source {
    private let base: Locked<HTTP.ResponseBody.Iterator>
    private let fault: StreamFault
    private let held = Locked<[UInt8]?>(nil)
    private let count = Locked(0)

    init(_ body: HTTP.ResponseBody, fault: StreamFault) {
        base = Locked(body.makeAsyncIterator())
        self.fault = fault
    }

    func collect() async throws(TransportError) {
        var body: [UInt8] = []
        while let part = try await nextOfBase() { body += part }
        held.withLock { $0 = body }
    }

    func next() async throws(TransportError) -> [UInt8]? {
        if let whole = held.withLock({ $0 }) {
            held.withLock { $0 = [] }
            return whole.isEmpty ? nil : whole
        }
        switch fault {
        case .losesChunks:
            count.withLock { $0 += 1 }
            if count.withLock({ $0 == 2 }) { _ = try await nextOfBase() }
            return try await nextOfBase()
        case .holdsBackChunks:
            try await collect()
            return try await next()
        case .ignoresCancellation:
            do throws(TransportError) {
                return try await nextOfBase()
            } catch {
                throw TransportError(.unreachable, message: "The connection broke.")
            }
        case .hidesTruncation:
            do throws(TransportError) {
                return try await nextOfBase()
            } catch {
                return nil
            }
        default: return try await nextOfBase()
        }
    }

    private func nextOfBase() async throws(TransportError) -> [UInt8]? {
        var iterator = base.withLock { $0 }
        do {
            return try await iterator.next()
        } catch {
            throw error as? TransportError ?? TransportError(.unreachable, message: "The connection broke.")
        }
    }
}
