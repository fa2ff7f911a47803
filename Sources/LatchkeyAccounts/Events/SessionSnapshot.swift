import LatchkeyModel
import LatchkeyServerKit

/// The state of an active session at one point in time.
struct SessionSnapshot: Sendable {
    let session: Session
    /// An identifier for this state.
    ///
    /// Comparing two cursors shows whether the session has changed.
    let cursor: SessionCursor
}

/// Reads the states of sessions.
struct SessionSnapshotReader: Sendable {
    /// The maximum number of concurrent reads.
    ///
    /// The limit leaves most of the database's capacity to requests when many streams read at the same time.
    private static let concurrentReads = 16

    let sources: [SessionEventSource]
    private let sessions: SessionRepository
    private let gate = AsyncGate(limit: concurrentReads)

    init(sessions: SessionRepository, sources: [SessionEventSource]) {
        (self.sessions, self.sources) = (sessions, sources)
    }

    /// Reads the current state of a session.
    ///
    /// - Returns: The state, or `nil` if the session has ended or its account is inactive.
    func read(_ session: Identifier, at now: Timestamp) async throws -> SessionSnapshot? {
        try await gate.pass {
            guard let found = try await sessions.find(session), found.isAlive(at: now) else { return nil }
            var revisions: [Int64] = []
            for source in sources { revisions.append(try await source.revision(found.session.identityID)) }
            return SessionSnapshot(
                session: found.session,
                cursor: SessionCursor(found.identity, revisions: revisions)
            )
        }
    }
}
