import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Creates the events for changes to a session.
///
/// All streams share one instance, because every additional reference in a stream's closure costs memory.
final class EventFollower: Sendable {
    let reader: SessionSnapshotReader
    private let settings: EventSettings
    private let metrics: EventMetrics
    private let time: any TimeSource
    private let random: any RandomSource

    init(
        reader: SessionSnapshotReader,
        settings: EventSettings,
        metrics: EventMetrics,
        time: any TimeSource,
        random: any RandomSource
    ) {
        (self.reader, self.settings, self.metrics) = (reader, settings, metrics)
        (self.time, self.random) = (time, random)
    }

    /// Writes a session's events until the session ends, the client disconnects or the server stops.
    ///
    /// `write` doesn't return until the client is ready for more data. The next read of the session's state
    /// includes all changes that were made during the wait, so the stream doesn't need a queue.
    ///
    /// - Parameters:
    ///   - stream: The open stream.
    ///   - token: The token that the stream was opened with. When it expires, the stream ends without an
    ///     event.
    ///   - present: The session's state when the stream was opened.
    ///   - known: The state that the client has already seen, or `nil` if the client hasn't followed the
    ///     session before.
    ///   - write: Sends a chunk of the stream to the client.
    /// - Throws: The error thrown by `write`.
    func follow(
        _ stream: EventStream,
        with token: FollowingToken,
        from present: SessionSnapshot,
        known: SessionCursor?,
        write: HTTP.BodyStream.Write
    ) async throws {
        // Close the stream explicitly, because the server may hold on to the response for a moment after it
        // has ended.
        defer { stream.close() }
        var cursor = present.cursor
        let missed = known.map { cursor.changes(since: $0, sources: reader.sources) } ?? []
        try await write(retry + events([.state] + missed, at: cursor, data: Self.data(of: present.session)))
        while let signals = await stream.next() {
            guard signals != .heartbeat else {
                try await write(ServerSentEvent.comment)
                continue
            }
            let reading: SessionSnapshotReader.Reading
            do {
                reading = try await reader.read(token, at: time.now)
            } catch {
                // We don't lose the change, because the stream tries to read the state again soon.
                stream.scheduleRepetition()
                continue
            }
            let snapshot: SessionSnapshot
            switch reading {
            case .active(let active): snapshot = active
            case .sessionEnded:
                metrics.sent.add(.sessionEnded)
                let last = ServerSentEvent(type: SessionEventType.sessionEnded.rawValue, data: "{}")
                return try await write(last.bytes)
            case .tokenExpired: return
            }
            stream.schedule(deadline: snapshot.deadline)
            let changes = snapshot.cursor.changes(since: cursor, sources: reader.sources)
            cursor = snapshot.cursor
            if !changes.isEmpty {
                try await write(events(changes, at: cursor))
            } else if signals.contains(.heartbeat) {
                try await write(ServerSentEvent.comment)
            }
        }
    }

    /// Waits until there are events for a poll, and returns them.
    ///
    /// - Parameters:
    ///   - poll: The open poll.
    ///   - token: The token of the request. If it expires during the wait, the poll returns without an event.
    ///   - after: The id of the last state that the client has seen. If the id is `nil` or unknown, this
    ///     method returns immediately.
    ///   - end: The uptime at which the poll returns even if there are no events.
    /// - Returns: The response body.
    /// - Throws: ``DatabaseError`` if the initial state can't be read, or ``ServerError`` with status 429 if
    ///   the poll was closed in favor of another stream.
    func poll(
        _ poll: EventStream,
        with token: FollowingToken,
        after: String?,
        until end: Duration
    ) async throws -> SessionEventsBody {
        defer { poll.close() }
        let first: SessionSnapshot
        switch try await reader.read(token, at: time.now) {
        case .active(let active): first = active
        case .sessionEnded: return ended(after)
        case .tokenExpired: return SessionEventsBody(events: [], lastId: after ?? "")
        }
        guard let known = after.flatMap({ SessionCursor($0) }) else {
            return body([.state], at: first.cursor)
        }
        var (changes, cursor) = (first.cursor.changes(since: known, sources: reader.sources), first.cursor)
        poll.schedule(deadline: first.deadline)
        while changes.isEmpty, time.uptime < end {
            guard await poll.next() != nil else {
                if let displacement = poll.displacement { throw displacement }
                break
            }
            do {
                let reading = try await reader.read(token, at: time.now)
                if case .sessionEnded = reading { return ended(after) }
                guard case .active(let snapshot) = reading else { break }
                poll.schedule(deadline: snapshot.deadline)
                changes = snapshot.cursor.changes(since: known, sources: reader.sources)
                cursor = snapshot.cursor
            } catch {
                // The client sends the same id with its next poll, so we don't lose the change.
                break
            }
        }
        return body(changes, at: changes.isEmpty ? known : cursor)
    }

    /// A `retry` field with a random delay, so that clients don't all reconnect at the same time.
    private var retry: [UInt8] {
        let pause = random.duration(in: settings.retry..<settings.retry * 2)
        return ServerSentEvent.retry(milliseconds: pause.wholeMicroseconds / 1000)
    }

    /// Returns the encoded events that lead to a new state.
    ///
    /// - Parameters:
    ///   - types: The event types.
    ///   - cursor: The session's state after these events.
    ///   - data: The data to include in the first event.
    /// - Returns: The encoded events, ready to be written to a stream.
    private func events(
        _ types: [SessionEventType],
        at cursor: SessionCursor,
        data: String = "{}"
    ) -> [UInt8] {
        let id = cursor.description
        var bytes: [UInt8] = []
        for (index, type) in types.enumerated() {
            metrics.sent.add(type)
            bytes += ServerSentEvent(id: id, type: type.rawValue, data: index == 0 ? data : "{}").bytes
        }
        return bytes
    }

    private func body(_ types: [SessionEventType], at cursor: SessionCursor) -> SessionEventsBody {
        let id = cursor.description
        for type in types { metrics.sent.add(type) }
        return SessionEventsBody(
            events: types.map { SessionEventsBody.Event(id: id, type: $0.rawValue) },
            lastId: id
        )
    }

    private func ended(_ after: String?) -> SessionEventsBody {
        metrics.sent.add(.sessionEnded)
        // The event has no id, because the session no longer has a state.
        let event = SessionEventsBody.Event(id: "", type: SessionEventType.sessionEnded.rawValue)
        return SessionEventsBody(events: [event], lastId: "")
    }

    /// Returns the data of the first event, which contains the session's id and expiry date.
    private static func data(of session: Session) -> String {
        var writer = JSONWriter(reserving: 128)
        writer.object { writer in
            writer.name("session_id")
            writer.identifier(session.id)
            writer.name("expires_at")
            writer.time(session.expiresAt)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
