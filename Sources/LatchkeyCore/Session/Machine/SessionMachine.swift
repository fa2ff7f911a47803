/// The state machine of the device's session: `(state, event) -> (state, [effect])`.
///
/// It reads no clock, uses no random numbers and performs no input or output. Its driver passes in one event
/// at a time and performs the effects in their order; the results come back as events. No other code decides
/// about a session.
///
/// The explorer checks the invariants over all interleavings of callers, processes, refreshes, logins,
/// sign-outs, crashes and stores that are locked or fail.
package struct SessionMachine: Hashable, Sendable {
    /// The knowledge about the session.
    package enum Status: Hashable, Sendable {
        /// The store has not been read. Becomes any of the others when it has been, `absent` by a sign-out,
        /// `present` by a login.
        case unread
        /// The store could not be read. Becomes any of the others in the same ways.
        case unavailable(SessionStoreError.Code)
        /// No user is logged in. Becomes `present` by a login, here or in another process.
        case absent
        /// A user is logged in. Becomes `absent` by a sign-out, here or in another process, or by the
        /// server's verdict.
        case present(SessionHandle)
    }

    /// The progress of a refresh.
    package enum Refresh: Hashable, Sendable {
        /// No refresh is running. Becomes `locking` when a caller needs a fresher credential.
        case idle
        /// The refresh waits for the cross-process lock. Becomes `reading` with the lock or after a timeout.
        case locking
        /// The refresh reads what another process may have written. Becomes `asking`, or `idle` when that
        /// record serves all callers or the store cannot be read.
        case reading
        /// The server was asked. Becomes `saving`, `reading` when the record has changed or the request was
        /// stale, or `idle`.
        case asking(SessionHandle, basedOn: UInt64)
        /// The new session is being written. Becomes `idle`, or `reading` when the record has changed.
        case saving(SessionHandle)
    }

    /// A caller that waits for access.
    package struct Waiter: Hashable, Sendable {
        /// The number by which the driver knows the caller.
        package var caller: Caller
        /// The access that the caller needs.
        package var need: Need

        /// Creates a waiting caller.
        package init(caller: Caller, need: Need) {
            (self.caller, self.need) = (caller, need)
        }
    }

    /// A number that identifies a caller.
    package typealias Caller = UInt32

    /// The extent of a removal from the store.
    package enum Removal: Hashable, Sendable {
        /// Any record.
        case anything
        /// The record of one login, in any form; the record of another login is not removed.
        case login(UInt32)
    }

    /// The access that a caller needs.
    package enum Need: Hashable, Sendable {
        /// The current access, whatever its age.
        case any
        /// Fresher access of the same login than this session's, which has expired or was refused.
        case fresher(SessionHandle)
    }

    /// The knowledge about the session.
    package internal(set) var status = Status.unread
    /// The progress of the current refresh.
    package internal(set) var refresh = Refresh.idle

    /// The number of session ends; results of effects from an earlier epoch do not change this one.
    package internal(set) var epoch: UInt32 = 0

    /// The number of sign-outs; a login that began before a sign-out is not accepted after it.
    ///
    /// A session end on the server's verdict does not count: it must not prevent the login that replaces the
    /// session.
    package internal(set) var signOuts: UInt32 = 0

    /// The number of reads for refreshes, so that an earlier reading is not mistaken for the current one.
    package internal(set) var refreshReads: UInt32 = 0

    /// The generation of the record that `status` was read from or written as; 0 if there is no record.
    package internal(set) var generation: UInt64 = 0

    /// The removal that is pending because the store may still hold a record of a session that has ended.
    package internal(set) var pendingRemoval: Removal?

    /// Whether that removal is in progress.
    ///
    /// It is not requested again before its outcome is known: a late repetition could remove the next login.
    package internal(set) var isRemoving = false

    /// The number of logins being written; a pending removal waits for them, so that it removes none of them.
    package internal(set) var replacing = 0

    /// Whether `status` is more recent than the record, because it could not be written.
    package internal(set) var isUnsaved = false

    /// The waiting callers, in the order of their arrival.
    package internal(set) var waiters: [Waiter] = []

    /// Creates the machine of a process that has just started and has not read its store.
    package init() {}

    /// The session of the user who is logged in, or `nil`.
    ///
    /// Before the store was read, and while it is unavailable, it is `nil` as well.
    package var held: SessionHandle? {
        if case .present(let handle) = status { handle } else { nil }
    }
}
