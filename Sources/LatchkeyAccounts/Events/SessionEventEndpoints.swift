package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// The route with which a device follows the changes of its session.
///
/// The route stores no data: an event's id is a ``SessionCursor``, and a device that resumes is sent the difference
/// between its state and the present one. Each change makes the streams of the session read its state, so events are
/// never based on an unconfirmed message from another node.
package struct SessionEventEndpoints: Sendable {
    /// The longest wait of a poll, in seconds, and the wait by default.
    private static let (longestWait, usualWait) = (Int64(60), Int64(25))

    /// The open streams, which the server closes when it stops.
    package let streams: EventStreams

    private let follower: EventFollower
    private let authenticator: SessionAuthenticator
    private let topics: [BroadcastTopic.Kind]
    private let time: any TimeSource

    /// Creates the route.
    ///
    /// - Parameters:
    ///   - authenticator: The authenticator of the session token; access tokens are not accepted.
    ///   - sessions: The repository from which the states are read.
    ///   - broadcast: The publications of the database.
    ///   - sources: Further data whose changes are events.
    ///   - settings: The limits and intervals.
    ///   - metrics: Counts the streams and events.
    ///   - time: The clock for expiries and comments.
    ///   - random: The random source for the spread of comments and reconnects.
    package init(
        authenticator: SessionAuthenticator,
        sessions: SessionRepository,
        broadcast: Broadcast,
        sources: [SessionEventSource] = [],
        settings: EventSettings,
        metrics: EventMetrics,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.authenticator = authenticator
        self.time = time
        topics = sources.map(\.topic)
        streams = EventStreams(
            broadcast: broadcast,
            settings: settings,
            metrics: metrics,
            time: time,
            random: random
        )
        follower = EventFollower(
            reader: SessionSnapshotReader(sessions: sessions, sources: sources),
            settings: settings,
            metrics: metrics,
            time: time,
            random: random
        )
    }

    /// The route that this type handles.
    package var endpoints: [Endpoint] {
        [Endpoint(.get, Route.sessionEvents, operation: .sessionEvents, answer: events)]
    }

    /// Handles `GET /sessions/events`, as a stream if the client accepts one, and otherwise as a long poll.
    ///
    /// - Throws: ``ServerError`` with status 401 or 403 if there is no active full session, 400 for a malformed query,
    ///   or 429 if there are too many streams.
    private func events(_ context: RequestContext) async throws -> HTTP.Response {
        let session = try await authenticator.session(of: context, refusal: .sessionInactive).session
        let more = topics.map { BroadcastTopic($0, of: session.identityID) }
        guard !Self.acceptsStream(context.request) else {
            let stream = try streams.open(for: session, topics: more, until: nil)
            let known = context.request.headers["Last-Event-ID"].flatMap { SessionCursor($0) }
            // The state is read again, because it may have changed before the subscription.
            guard let present = try await follower.reader.read(session.id, at: time.now) else {
                throw Self.ended
            }
            var response = HTTP.Response(200, headers: ["Content-Type": ServerSentEvent.mediaType])
            // Proxies must pass on each event at once.
            response.headers["Cache-Control"] = "no-store, no-transform"
            response.headers["X-Accel-Buffering"] = "no"
            response.stream = HTTP.BodyStream(isLongLived: true) { [follower] write in
                try await follower.follow(stream, from: present, known: known, write: write)
            }
            return response
        }
        let wait = try Self.wait(context.query["wait"])
        let end = context.now + .seconds(wait)
        let poll = try streams.open(for: session, topics: more, until: end)
        let body = try await follower.poll(poll, of: session, after: context.query["after"], until: end)
        return .json(200, body: try JSONCoding.encode(body))
    }

    /// Returns whether a request accepts an event stream explicitly, regardless of its preference.
    private static func acceptsStream(_ request: HTTP.Request) -> Bool {
        request.headers.all("Accept").contains { field in
            field.split(separator: ",").contains { range in
                let type = range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
                return type.equalsIgnoringASCIICase(ServerSentEvent.mediaType)
            }
        }
    }

    /// Parses the wait of a poll in seconds.
    private static func wait(_ text: String?) throws(ServerError) -> Int64 {
        guard let text, !text.isEmpty else { return usualWait }
        guard text.utf8.count <= 2, let wait = Int64(text), (0...longestWait).contains(wait) else {
            throw .malformed("wait must be a number of seconds from 0 to \(longestWait).")
        }
        return wait
    }

    private static let ended = ServerError(
        401,
        id: .sessionInactive,
        reason: "No valid session credentials were found in the request."
    )
}
