import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Turns the changes of a session into events.
///
/// All streams share one instance, because each reference in a stream's closure takes memory.
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

    /// Writes the events of a session until it ends, the client disconnects or the server stops.
    ///
    /// While the client does not read, `write` does not return, and all changes in the meantime become one read of the
    /// state. The stream therefore holds no queue.
    ///
    /// - Parameters:
    ///   - stream: The open stream.
    ///   - present: The state at the beginning.
    ///   - known: The state that the client knows; `nil` if it has not followed the session before.
    ///   - write: Sends a part of the stream.
    /// - Throws: The error of `write`.
    func follow(
        _ stream: EventStream,
        from present: SessionSnapshot,
        known: SessionCursor?,
        write: HTTP.BodyStream.Write
    ) async throws {
        // The server may hold the response for a moment after its end.
        defer { stream.close() }
        let session = present.session.id
        var cursor = present.cursor
        let missed = known.map { cursor.changes(since: $0, sources: reader.sources) } ?? []
        try await write(retry + events([.state] + missed, at: cursor, data: Self.data(of: present.session)))
        stream.schedule(deadline: present.session.expiresAt)
        while let signals = await stream.next() {
            guard signals != .heartbeat else {
                try await write(ServerSentEvent.comment)
                continue
            }
            let snapshot: SessionSnapshot?
            do {
                snapshot = try await reader.read(session, at: time.now)
            } catch {
                // The change is not lost: the stream reads again soon.
                stream.scheduleRepetition()
                continue
            }
            guard let snapshot else {
                metrics.sent.add(.sessionEnded)
                let last = ServerSentEvent(type: SessionEventType.sessionEnded.rawValue, data: "{}")
                return try await write(last.bytes)
            }
            stream.schedule(deadline: snapshot.session.expiresAt)
            let changes = snapshot.cursor.changes(since: cursor, sources: reader.sources)
            cursor = snapshot.cursor
            if !changes.isEmpty {
                try await write(events(changes, at: cursor))
            } else if signals.contains(.heartbeat) {
                try await write(ServerSentEvent.comment)
            }
        }
    }

    /// Waits for events.
    ///
    /// - Parameters:
    ///   - poll: The open poll.
    ///   - session: The session.
    ///   - after: The id of the state that the client knows; `nil` or an unknown id is answered at once.
    ///   - end: The time at which the poll ends without an event.
    /// - Returns: The events.
    /// - Throws: ``DatabaseError`` if the state cannot be read at the beginning.
    func poll(
        _ poll: EventStream,
        of session: Session,
        after: String?,
        until end: Timestamp
    ) async throws -> SessionEventsBody {
        defer { poll.close() }
        guard let first = try await reader.read(session.id, at: time.now) else { return ended(after) }
        guard let known = after.flatMap({ SessionCursor($0) }) else {
            return body([.state], at: first.cursor)
        }
        var (changes, cursor) = (first.cursor.changes(since: known, sources: reader.sources), first.cursor)
        poll.schedule(deadline: min(end, first.session.expiresAt))
        while changes.isEmpty, time.now < end {
            guard await poll.next() != nil else { break }
            do {
                guard let snapshot = try await reader.read(session.id, at: time.now) else {
                    return ended(after)
                }
                poll.schedule(deadline: min(end, snapshot.session.expiresAt))
                changes = snapshot.cursor.changes(since: known, sources: reader.sources)
                cursor = snapshot.cursor
            } catch {
                // The client sends its next poll with the same id, so the change is not lost.
                break
            }
        }
        return body(changes, at: changes.isEmpty ? known : cursor)
    }

    /// The line that spreads the reconnects of clients.
    private var retry: [UInt8] {
        let pause = random.duration(in: settings.retry..<settings.retry * 2)
        return ServerSentEvent.retry(milliseconds: pause.wholeMicroseconds / 1000)
    }

    /// Returns the bytes of events that lead to a state.
    ///
    /// - Parameters:
    ///   - types: The types of the events.
    ///   - cursor: The state after the events.
    ///   - data: The data of the first event.
    /// - Returns: The events as part of a stream.
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
        // The state has no id, because there is no session.
        let event = SessionEventsBody.Event(id: "", type: SessionEventType.sessionEnded.rawValue)
        return SessionEventsBody(events: [event], lastId: "")
    }

    /// The data of the first event, which names the session and its expiry.
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
