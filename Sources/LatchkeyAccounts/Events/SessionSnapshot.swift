import LatchkeyModel
import LatchkeyServerKit

/// The state of an active session at one point in time.
struct SessionSnapshot: Sendable {
    let session: Session
    /// An identifier for this state.
    ///
    /// Comparing two cursors shows whether the session has changed.
    let cursor: SessionCursor
    /// When the session or the token that is used to follow it expires, whichever comes first.
    let deadline: Timestamp
}

/// The token with which a device follows its session.
struct FollowingToken: Sendable {
    /// The kind of token, which determines when the stream ends.
    enum Kind: Sendable {
        /// A session token, which ends when a re-authentication has replaced it.
        case session(hash: [UInt8])
        /// An access token, which ends when it expires.
        case access(expiresAt: Timestamp)
    }

    let session: Identifier
    let kind: Kind
}

/// Reads the states of sessions.
struct SessionSnapshotReader: Sendable {
    /// The maximum number of concurrent reads.
    ///
    /// The limit leaves most of the database's capacity to requests when many streams read at the same time.
    private static let concurrentReads = 16

    let sources: [SessionEventSource]
    private let sessions: SessionRepository
    private let duties: Duties
    private let gate = AsyncGate(limit: concurrentReads)

    init(sessions: SessionRepository, sources: [SessionEventSource], duties: Duties) {
        (self.sessions, self.sources, self.duties) = (sessions, sources, duties)
    }

    /// The result of a read.
    enum Reading: Sendable {
        case active(SessionSnapshot)
        /// The session has ended, or its account is inactive.
        case sessionEnded
        /// The session continues, but the token is no longer valid because the user has authenticated again.
        case tokenExpired
    }

    /// Reads the current state of the session that a token belongs to.
    ///
    /// The session is looked up by the token, so that a stream that was opened with a stolen token ends when
    /// the user's next login replaces the token.
    func read(_ token: FollowingToken, at now: Timestamp) async throws -> Reading {
        try await gate.pass {
            let found: AuthenticatedSession?
            var deadline = Timestamp(microseconds: .max)
            switch token.kind {
            case .session(let hash): found = try await sessions.find(tokenHash: hash)
            case .access(let end):
                found = now < end ? try await sessions.find(token.session) : nil
                deadline = end
            }
            guard let found else {
                // The hash of a replaced token is deleted some time after it has expired.
                let session = try await sessions.find(token.session)
                return session?.isAlive(at: now) == true ? .tokenExpired : .sessionEnded
            }
            guard found.isAlive(at: now) else {
                let continues = found.session.isAlive(at: now) && found.identity.isActive
                return continues ? .tokenExpired : .sessionEnded
            }
            deadline = min(deadline, found.session.expiresAt)
            if case .replaced(let end?) = found.token { deadline = min(deadline, end) }
            var revisions: [Int64] = []
            for source in sources { revisions.append(try await source.revision(found.session.identityID)) }
            revisions.append(try await duties.fingerprint(of: found, at: now))
            return .active(
                SessionSnapshot(
                    session: found.session,
                    cursor: SessionCursor(found.identity, revisions: revisions),
                    deadline: deadline
                )
            )
        }
    }
}
