import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The route that lets a device follow changes to its session.
///
/// The route doesn't store any data. Event ids are ``SessionCursor`` values, so when a device reconnects, the
/// server compares the state that the device has seen with the current one and sends the difference. Whenever
/// something changes, the session's streams read the state from the database, so events never rely on what
/// another node claims.
struct SessionEventEndpoints: Sendable {
    /// The maximum and the default wait of a poll, in seconds.
    private static let (longestWait, usualWait) = (Int64(60), Int64(25))

    /// The open streams, which are closed when the server stops.
    let streams: EventStreams

    private let follower: EventFollower
    private let authenticator: SessionAuthenticator
    private let topics: [BroadcastTopic.Kind]
    private let time: any TimeSource

    /// Creates the route.
    ///
    /// - Parameters:
    ///   - authenticator: Authenticates session tokens, and access tokens with the scope `events`.
    ///   - sessions: The repository that the session states are read from.
    ///   - broadcast: The notifications from the database.
    ///   - sources: The sources of events that aren't about the session itself.
    ///   - duties: Determines the duties whose changes are events.
    ///   - settings: The limits and intervals for event streams.
    ///   - limit: The maximum number of open streams and waiting polls.
    ///   - metrics: Counts the streams and events.
    ///   - time: The clock for expiry and for the comments that keep streams open.
    ///   - random: The random source for spreading comments and reconnects over time.
    init(
        authenticator: SessionAuthenticator,
        sessions: SessionRepository,
        broadcast: Broadcast,
        sources: [SessionEventSource] = [],
        duties: Duties,
        settings: EventSettings,
        limit: Int,
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
            limit: limit,
            metrics: metrics,
            time: time,
            random: random
        )
        follower = EventFollower(
            reader: SessionSnapshotReader(sessions: sessions, sources: sources, duties: duties),
            settings: settings,
            metrics: metrics,
            time: time,
            random: random
        )
    }

    /// The route that this type handles.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.sessionEvents,
                accepts: .sessionOrScope(.events).exemptFromDuties,
                operation: .sessionEvents,
                answer: events
            )
        ]
    }

    /// Handles `GET /sessions/events`, either as a stream if the client accepts one or as a long poll.
    ///
    /// - Throws: ``ServerError`` with status 401 or 403 if there is no active full session, 400 if the query
    ///   is malformed, or 429 if there are too many streams.
    private func events(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.requiredSession(of: context)
        let session = found.session
        let token: FollowingToken
        if let end = found.accessTokenExpiry {
            token = FollowingToken(session: session.id, kind: .access(expiresAt: end))
        } else {
            guard let secret = context.sessionToken else { throw Self.ended }
            let hash = SessionToken(presented: secret).hash
            token = FollowingToken(session: session.id, kind: .session(hash: hash))
        }
        let more = topics.map { BroadcastTopic($0, of: session.identityID) }
        let acceptsStream = Self.acceptsStream(context.request)
        let wait = acceptsStream ? 0 : try Self.wait(context.query["wait"])
        guard context.request.method != .head else { return Self.head(ofStream: acceptsStream) }
        guard !acceptsStream else {
            let stream = try streams.open(for: session, topics: more, until: nil)
            let known = context.request.headers["Last-Event-ID"].flatMap { SessionCursor($0) }
            // Read the state again, because it may have changed before we subscribed.
            guard case .active(let present) = try await follower.reader.read(token, at: time.now) else {
                throw Self.ended
            }
            stream.schedule(deadline: present.deadline)
            var response = HTTP.Response(200, headers: Self.streamHeaders)
            response.stream = HTTP.BodyStream(isLongLived: true) { [follower] write in
                try await follower.follow(stream, with: token, from: present, known: known, write: write)
            }
            return response
        }
        let end = time.uptime + .seconds(wait)
        let poll = try streams.open(for: session, topics: more, until: end)
        let body = try await follower.poll(poll, with: token, after: context.query["after"], until: end)
        return .json(200, body: try JSONCoding.encode(body))
    }

    /// Returns the response to a `HEAD` request.
    ///
    /// Such a request must neither take the place of another stream nor wait for events, so the length of the
    /// body isn't known.
    private static func head(ofStream isStream: Bool) -> HTTP.Response {
        var response = HTTP.Response(
            200,
            headers: isStream ? streamHeaders : ["Content-Type": HTTP.Response.jsonType]
        )
        response.stream = HTTP.BodyStream { _ in }
        return response
    }

    private static let streamHeaders: HTTP.Headers = [
        "Content-Type": ServerSentEvent.mediaType,
        // Proxies must forward each event immediately.
        "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
    ]

    /// Returns whether a request explicitly accepts an event stream, ignoring quality values.
    private static func acceptsStream(_ request: HTTP.Request) -> Bool {
        request.headers.all("Accept").contains { field in
            field.split(separator: ",").contains { range in
                let type = range.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
                return type.equalsIgnoringASCIICase(ServerSentEvent.mediaType)
            }
        }
    }

    /// Parses the `wait` parameter of a poll, in seconds.
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
