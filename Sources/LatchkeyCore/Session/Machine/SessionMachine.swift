/// Decides what becomes of this device's session: `(state, event) -> (state, [effect])`.
///
/// It reads no clock, draws no random number and performs nothing. Whoever drives it hands in one event at a time and
/// performs the effects in their order; the results come back as events. Nothing else decides about a session.
///
/// What always holds is checked by the explorer over all interleavings of callers, processes, refreshes, logins,
/// sign-outs, crashes and stores that are locked or fail.
package struct SessionMachine: Hashable, Sendable {
    /// What is known about the session.
    package enum Truth: Hashable, Sendable {
        /// Nothing. Becomes any of the others when the store has been read, `absent` by a sign-out, `present` by a login.
        case unread
        /// The store could not tell. Becomes any of the others in the same ways.
        case unavailable(SessionStoreError.Code)
        /// Nobody is logged in. Becomes `present` by a login, here or in another process.
        case absent
        /// Somebody is. Becomes `absent` by a sign-out, here or in another process, or by the server's word.
        case present(SessionHandle)
    }

    /// How far a refresh has come.
    package enum Refresh: Hashable, Sendable {
        /// None is under way. Becomes `locking` when a caller needs fresher access than there is.
        case idle
        /// It waits for its turn among the processes. Becomes `reading` when the wait is over, one way or the other.
        case locking
        /// It looks for what another process has done meanwhile. Becomes `asking`, or `idle` when that suffices or the
        /// store cannot tell.
        case reading
        /// The server was asked. Becomes `saving`, `reading` when the record has moved on or the question came too late,
        /// or `idle`.
        case asking(SessionHandle, basedOn: UInt64)
        /// What it granted is being written. Becomes `idle`, or `reading` when the record has moved on.
        case saving(SessionHandle)
    }

    /// Somebody who waits for access.
    package struct Waiter: Hashable, Sendable {
        package var caller: Caller
        package var need: Need
    }

    /// Tells callers apart.
    package typealias Caller = UInt32

    /// What is to be removed from the store.
    package enum Removal: Hashable, Sendable {
        /// Whatever is there.
        case anything
        /// The record of one login, in whichever form; another login's stays.
        case login(UInt32)
    }

    /// What a caller asks for.
    package enum Need: Hashable, Sendable {
        /// The access that there is.
        case any
        /// Fresher access of the same login than this, which has expired or was refused.
        case fresher(SessionHandle)
    }

    package internal(set) var truth = Truth.unread
    package internal(set) var refresh = Refresh.idle

    /// Counts what ended sessions: what began in an earlier epoch changes nothing in this one.
    package internal(set) var epoch: UInt32 = 0

    /// Counts the sign-outs: a login that began before one is not let in after it.
    ///
    /// What the server ends is no obstacle to the login that takes its place.
    package internal(set) var signOuts: UInt32 = 0

    /// Numbers the looks that refreshes take at the store, so that no earlier reading is taken for one.
    package internal(set) var looks: UInt32 = 0

    /// The generation of the record that `truth` was read from or written as; 0 without a record.
    package internal(set) var generation: UInt64 = 0

    /// What may still be in the store of a session that is over.
    package internal(set) var owed: Removal?

    /// Whether that is being removed: it is not asked for again until the outcome is known, for a second removal could
    /// come too late and meet the next login.
    package internal(set) var isRemoving = false

    /// How many logins are being written; what is owed is not removed meanwhile, or it could be one of them.
    package internal(set) var replacing = 0

    /// Whether `truth` is fresher than the record, because it could not be written.
    package internal(set) var isUnsaved = false

    /// In the order in which they came.
    package internal(set) var waiters: [Waiter] = []

    package init() {}

    /// The session that is held.
    package var held: SessionHandle? {
        if case .present(let handle) = truth { handle } else { nil }
    }
}
