/// The state machine of the device's session: `(state, event) -> (state, [effect])`.
///
/// It reads no clock, uses no random numbers and performs no input or output. Its driver passes in one event
/// at a time and performs the effects in order; their results come back as events. No other code makes
/// decisions about a session.
///
/// The explorer checks the invariants for all interleavings of callers, processes, refreshes, logins,
/// sign-outs and crashes, including with stores that are locked or fail.
package struct SessionMachine: Hashable, Sendable {
    /// The machine's view of the session.
    package enum Status: Hashable, Sendable {
        /// The store has not been read. Changes to any other status once it has been read, to `absent` on a
        /// sign-out, or to `present` on a login.
        case unread
        /// The store could not be read. Changes to the other statuses under the same conditions as `unread`.
        case unavailable(SessionStoreError.Code)
        /// No user is logged in. Changes to `present` on a login, in this process or another one.
        case absent
        /// A user is logged in. Changes to `absent` on a sign-out, in this process or another one, or when
        /// the server ends the session.
        case present(SessionHandle)
    }

    /// The progress of a refresh.
    package enum Refresh: Hashable, Sendable {
        /// No refresh is running. Changes to `locking` when a caller needs a fresher credential.
        case idle
        /// The refresh waits for the cross-process lock. Changes to `reading` once it holds the lock, or
        /// after a timeout.
        case locking
        /// The refresh reads the record, which another process may have changed. Changes to `asking`, or to
        /// `idle` if that record serves all callers or the store cannot be read.
        case reading
        /// The refresh waits for the server's answer. Changes to `saving`; to `reading` if the record has
        /// changed or the request was stale; or to `idle`.
        case asking(SessionHandle, basedOn: UInt64)
        /// The new session is being written. Changes to `idle`, or to `reading` if the record has changed.
        case saving(SessionHandle)
    }

    /// A caller that waits for access.
    package struct Waiter: Hashable, Sendable {
        /// The number by which the driver identifies the caller.
        package var caller: Caller
        /// The kind of access that the caller needs.
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

    /// The kind of access that a caller needs.
    package enum Need: Hashable, Sendable {
        /// The current credential, regardless of its age.
        case any
        /// A fresher credential of the same login than this session's, which has expired or was rejected.
        case fresher(SessionHandle)
    }

    /// The machine's view of the session.
    package internal(set) var status = Status.unread
    /// The progress of the current refresh.
    package internal(set) var refresh = Refresh.idle

    /// The number of the current epoch; results of effects from an earlier epoch do not change the state.
    ///
    /// A new epoch begins with each sign-out, and when the server ends the session.
    package internal(set) var epoch: UInt32 = 0

    /// The number of sign-outs so far; a login that began before a sign-out is not accepted after it.
    ///
    /// Sessions ended by the server are not counted, because they must not prevent a login in progress from
    /// being stored.
    package internal(set) var signOuts: UInt32 = 0

    /// The number of reads for refreshes so far, so that the result of an earlier read is not mistaken for
    /// the current one.
    package internal(set) var refreshReads: UInt32 = 0

    /// The generation of the record that `status` was read from or written as; 0 if there is no record.
    package internal(set) var generation: UInt64 = 0

    /// The pending removal, if the store may still hold the record of a session that has ended.
    package internal(set) var pendingRemoval: Removal?

    /// Whether that removal is in progress.
    ///
    /// The removal is not requested again until its outcome is known, because a late repetition could remove
    /// the next login.
    package internal(set) var isRemoving = false

    /// The number of logins being written; a pending removal waits for them, so that it does not remove any
    /// of them.
    package internal(set) var replacing = 0

    /// Whether `status` is more recent than the record because the session could not be written.
    package internal(set) var isUnsaved = false

    /// The waiting callers, in order of arrival.
    package internal(set) var waiters: [Waiter] = []

    /// Creates the machine for a process that has just started and has not yet read its store.
    package init() {}

    /// The session of the user who is logged in, or `nil`.
    ///
    /// Also `nil` before the store has been read, and while it is unavailable.
    package var held: SessionHandle? {
        if case .present(let handle) = status { handle } else { nil }
    }
}
