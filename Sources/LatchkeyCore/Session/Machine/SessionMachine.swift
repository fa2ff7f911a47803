/// The state machine for the device's session: `(state, event) -> (state, [effect])`.
///
/// The machine doesn't read the clock, generate random numbers or perform I/O. The machine's driver passes in
/// one event at a time and performs the resulting effects in order. The results of the effects come back as
/// events. No other code makes decisions about a session.
///
/// The explorer checks the machine's invariants for all interleavings of callers, processes, refreshes,
/// logins, sign-outs and crashes, including stores that are locked or fail.
package struct SessionMachine: Hashable, Sendable {
    /// The session status, as far as it is known to this process.
    package enum Status: Hashable, Sendable {
        /// The store has not been read yet. The status changes when the store is read, to `absent` when the
        /// user signs out, or to `present` when a user logs in.
        case unread
        /// The store could not be read. The status changes under the same conditions as for `unread`.
        case unavailable(SessionStoreError.Code)
        /// No user is logged in. The status changes to `present` when a user logs in, in this process or
        /// another one.
        case absent
        /// A user is logged in. The status changes to `absent` when the user signs out, in this process or
        /// another one, or when the server ends the session.
        case present(SessionHandle)
    }

    /// The progress of a refresh.
    package enum Refresh: Hashable, Sendable {
        /// No refresh is running. Changes to `locking` when a caller needs a newer credential.
        case idle
        /// The refresh is waiting for the cross-process lock. Changes to `reading` when the lock is acquired
        /// or after a timeout.
        case locking
        /// The refresh is reading the record, because another process may have changed it. Changes to
        /// `asking` if a refresh is still needed. Changes to `idle` if the session that was read
        /// is new enough for all callers, or if the store can't be read.
        case reading
        /// The refresh is waiting for the server's response. Changes to `saving` if the server returned new
        /// tokens, to `reading` if the record was changed or the request was stale, and to `idle` in all
        /// other cases.
        case asking(SessionHandle, basedOn: UInt64)
        /// The new session is being written. The next state is `reading` if the record has changed in the
        /// meantime, or `idle` if it hasn't.
        case saving(SessionHandle)
    }

    /// A caller that is waiting for the session.
    package struct Waiter: Hashable, Sendable {
        /// The number that the driver assigned to the caller.
        package var caller: Caller
        /// Which credential the caller needs.
        package var need: Need

        /// Creates a waiting caller.
        package init(caller: Caller, need: Need) {
            (self.caller, self.need) = (caller, need)
        }
    }

    /// The number that identifies a caller.
    package typealias Caller = UInt32

    /// Which record to remove from the store.
    package enum Removal: Hashable, Sendable {
        /// Any record.
        case anything
        /// The record of one login, regardless of the version. A different login's record isn't removed.
        case login(UInt32)
    }

    /// Which credential a caller needs.
    package enum Need: Hashable, Sendable {
        /// The current credential, regardless of its age.
        case any
        /// A newer credential from the same login, because the given one has expired or was rejected.
        case fresher(SessionHandle)
    }

    /// The current session status.
    package internal(set) var status = Status.unread
    /// The progress of the current refresh.
    package internal(set) var refresh = Refresh.idle

    /// The number of the current epoch.
    ///
    /// Results of effects from an earlier epoch are ignored.
    ///
    /// A new epoch begins whenever the user signs out or the server ends the session.
    package internal(set) var epoch: UInt32 = 0

    /// The number of times that the user has signed out.
    ///
    /// A login is not accepted if the user signed out after it began.
    ///
    /// Sessions that were ended by the server aren't counted, because a login in progress may still be stored
    /// in that case.
    package internal(set) var signOuts: UInt32 = 0

    /// The number of times that the store has been read for a refresh.
    ///
    /// We need this to tell the result of an earlier read from that of the current one.
    package internal(set) var refreshReads: UInt32 = 0

    /// The generation of the record that `status` was read from or written to, or 0 if there is no record.
    package internal(set) var generation: UInt64 = 0

    /// The removal that must still be completed, or `nil` if the store can't contain the record of a session
    /// that has ended.
    package internal(set) var pendingRemoval: Removal?

    /// Whether the pending removal has been requested but its outcome isn't known yet.
    ///
    /// We don't request the removal again until its outcome is known, because a delayed second removal could
    /// remove the next login.
    package internal(set) var isRemoving = false

    /// The number of logins that are being written.
    ///
    /// A pending removal waits until the logins have been written, so that it doesn't remove a new login.
    package internal(set) var replacing = 0

    /// Whether `status` is newer than the record because the session could not be written.
    package internal(set) var isUnsaved = false

    /// The callers that are waiting, in order of arrival.
    package internal(set) var waiters: [Waiter] = []

    /// Creates the machine for a process that has just started and hasn't read its store yet.
    package init() {}

    /// The session of the logged-in user, or `nil` if no user is logged in.
    ///
    /// The value is also `nil` if the store hasn't been read yet or can't be read.
    package var held: SessionHandle? {
        if case .present(let handle) = status { handle } else { nil }
    }
}
