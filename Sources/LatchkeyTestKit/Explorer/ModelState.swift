package import LatchkeyCore

/// A state of the model: a few processes of one app, with their store and server, at one point in time.
///
/// Values that are random in the real system are represented by small numbers. For example, a session's
/// version is `token * 65_536 + access`.
///
/// A state is a value, so the search can apply each possible step to a copy. Sets of logins are 32-bit masks,
/// so a state can have at most 32 logins.
package struct ModelState: ExplorerModel, Hashable {
    /// How the store responds to operations.
    ///
    /// A `locked` store rejects reads and writes with the code `locked`. An unconditional removal leaves a
    /// tombstone, but a request to remove only the record of a particular login fails. A `failing` store
    /// rejects all operations with the code `failed`.
    package enum StoreCondition: UInt8, Hashable, Sendable, CaseIterable {
        case available, locked, failing
    }

    /// One of the app's processes, with its state machine and the operations in progress.
    package struct Process: Hashable, Sendable {
        /// The state machine under test.
        package internal(set) var machine = SessionMachine()
        /// The store operations that still have to be performed, in this order.
        package internal(set) var pending: [SessionMachine.Effect] = []
        /// The results of store operations that the process hasn't received yet.
        package internal(set) var results: [SessionMachine.Event] = []
        /// The refresh requests whose responses the process hasn't received yet.
        package internal(set) var requests: [RefreshRequest] = []
        /// The login that the server has accepted, with the number of sign-outs when it began.
        package internal(set) var acceptedLogin: AcceptedLogin?
        /// For each token family, the last token that had been used when a refresh read the store.
        ///
        /// The list is empty once the process has received the result.
        package internal(set) var usedAtRead: [UInt32] = []
        /// The number of the read during which ``usedAtRead`` was recorded.
        package internal(set) var readNumber: UInt32 = 0
        /// Whether the process's refresh is waiting for the cross-process lock.
        package internal(set) var waitsForLock = false
        /// Whether the process continues its refresh without holding the lock.
        package internal(set) var proceedsWithoutLock = false
        /// Whether the process still has to be notified of a change by another process.
        package internal(set) var hasPendingChange = false
        /// The logins that have ended for this process and must never come back, as a bit mask.
        package internal(set) var endedLogins: UInt32 = 0
        /// Whether the process's latest removal was caused by a sign-out rather than by the server.
        package internal(set) var signedOut = false

        /// Returns the login's token that was most recently used when a refresh read the store.
        ///
        /// Returns `nil` for a login that began after that read.
        func used(_ login: UInt32) -> UInt32? {
            guard Int(login) < usedAtRead.count, usedAtRead[Int(login)] != .max else { return nil }
            return usedAtRead[Int(login)]
        }
    }

    /// A login that the server has accepted but the process hasn't stored yet.
    ///
    /// The ``ModelStep/completeLogin(_:)`` step passes the login to the state machine. If the user signs out
    /// before that step, the machine rejects the login because the number of sign-outs has changed.
    package struct AcceptedLogin: Hashable, Sendable {
        /// The login's session handle.
        package internal(set) var handle: SessionHandle
        /// The number of sign-outs that had happened when the login began.
        package internal(set) var signOuts: UInt32
    }

    /// A refresh request, which asks the server for a token's successor.
    package struct RefreshRequest: Hashable, Sendable {
        /// The session whose refresh token was sent.
        package internal(set) var handle: SessionHandle
        /// The last token in the family that had been used when the process read the store.
        ///
        /// In this model, the token takes the place of the date in the request's proof. The server uses the
        /// date to decide whether the request is merely late.
        package internal(set) var used: UInt32
        /// The server's response, or `nil` while the request is in transit.
        package internal(set) var answer: SessionMachine.Answer?
    }

    /// A token family on the server.
    ///
    /// Each login has its own family.
    package struct TokenFamily: Hashable, Sendable {
        /// Whether the server accepts the family's tokens.
        ///
        /// `false` once the login has been revoked.
        package internal(set) var isLive = true
        /// The number of the newest token that a client has presented.
        package internal(set) var used: UInt32 = 0
    }

    /// The record in the store, which is shared by all processes.
    package struct Record: Hashable, Sendable {
        /// The handle of the session in the record.
        package internal(set) var handle: SessionHandle
        /// The sequence number of the write that created the record.
        package internal(set) var generation: UInt64
    }

    /// The app's processes, in a fixed order.
    package internal(set) var processes: [Process]
    /// Whether each caller is waiting for an answer.
    package internal(set) var isWaiting: [Bool]
    /// The index of each caller's process.
    package internal(set) var callerProcesses: [UInt8]
    /// The record in the store, if there is one.
    package internal(set) var record: Record?
    /// The generation of the latest record, even if it has been removed.
    package internal(set) var lastGeneration: UInt64 = 0
    /// How the store currently responds to operations.
    package internal(set) var storeCondition = StoreCondition.available
    /// The generation of the latest record that was marked as removed because the store was locked.
    package internal(set) var tombstone: UInt64 = 0
    /// The index of the process that holds the refresh lock, or `nil` if the lock is free.
    package internal(set) var lockHolder: UInt8?
    /// The token families on the server, indexed by login number.
    package internal(set) var families: [TokenFamily] = []
    /// The number of the latest access token that was issued.
    package internal(set) var lastAccess: UInt32 = 0
    /// The highest `SessionHandle.form` number that has been assigned so far.
    package internal(set) var lastForm: UInt32 = 0
    /// The logins whose records were removed or replaced, as a bit mask.
    package internal(set) var removedLogins: UInt32 = 0
    /// The most recently stored login, or `nil` if that login has ended.
    package internal(set) var current: UInt32?
    /// How many steps of each kind are left.
    package internal(set) var budget: ExplorerBounds

    /// Creates a state in which all processes have just started and the store is empty.
    package init(_ bounds: ExplorerBounds) {
        processes = Array(repeating: Process(), count: bounds.processes)
        isWaiting = Array(repeating: false, count: bounds.callers)
        callerProcesses = (0..<bounds.callers).map { UInt8($0 % bounds.processes) }
        budget = bounds
        for process in processes.indices {
            processes[process].pending = processes[process].machine.reduce(.started)
        }
    }

    /// Creates a state from its canonical form and a budget.
    package init(canonical form: ArraySlice<UInt8>, budget: ExplorerBounds) {
        var reader = ModelStateDecoder(form, budget: budget)
        self = reader.decodeState()
    }

    /// Creates a state without any processes or callers, to be filled by ``ModelStateDecoder``.
    init(empty budget: ExplorerBounds) {
        (processes, isWaiting, callerProcesses) = ([], [], [])
        self.budget = budget
    }
}
