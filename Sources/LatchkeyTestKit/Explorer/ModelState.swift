package import LatchkeyCore

/// A state of the model: a few processes of one app, their store and their server at one point in time.
///
/// Values that are random in reality are small numbers. For example, the version of a session is
/// `token * 65_536 + access`.
///
/// A state is a value, so the search applies each possible step to a copy. Sets of logins are 32-bit masks,
/// so a state has at most 32 logins.
package struct ModelState: ExplorerModel, Hashable {
    /// The behavior of the store.
    ///
    /// A `locked` store rejects reads and writes with the code `locked`. Removing any record leaves a
    /// tombstone, and removing a specific login fails. A `failing` store rejects all operations with the code
    /// `failed`.
    package enum StoreCondition: UInt8, Hashable, Sendable, CaseIterable {
        case available, locked, failing
    }

    /// A process of the app, with its state machine and the operations in progress.
    package struct Process: Hashable, Sendable {
        /// The state machine under test.
        package internal(set) var machine = SessionMachine()
        /// The store operations to perform, in this order.
        package internal(set) var pending: [SessionMachine.Effect] = []
        /// The results of performed operations that the process has not received yet.
        package internal(set) var results: [SessionMachine.Event] = []
        /// The refresh requests whose response the process has not received.
        package internal(set) var requests: [RefreshRequest] = []
        /// The login that the server has accepted, with the number of sign-outs when it began.
        package internal(set) var acceptedLogin: AcceptedLogin?
        /// The last used token of each family at the time when a refresh read the store.
        ///
        /// The list is empty once the process has received the result.
        package internal(set) var usedAtRead: [UInt32] = []
        /// The number of the read to which ``usedAtRead`` refers.
        package internal(set) var readNumber: UInt32 = 0
        /// Whether the process's refresh waits for the cross-process lock.
        package internal(set) var waitsForLock = false
        /// Whether the process continues its refresh without the lock.
        package internal(set) var proceedsWithoutLock = false
        /// Whether a notification of another process's change is pending.
        package internal(set) var hasPendingChange = false
        /// The logins that have ended for this process and must never return to it, as a bit mask.
        package internal(set) var endedLogins: UInt32 = 0
        /// Whether the process's latest removal is due to a sign-out rather than a verdict from the server.
        package internal(set) var signedOut = false

        /// Returns the last used token of a login at the time when a refresh read the store.
        ///
        /// The result is `nil` for a login that began later.
        func used(_ login: UInt32) -> UInt32? {
            guard Int(login) < usedAtRead.count, usedAtRead[Int(login)] != .max else { return nil }
            return usedAtRead[Int(login)]
        }
    }

    /// A login that the server has accepted but the process has not stored.
    ///
    /// The step ``ModelStep/completeLogin(_:)`` passes the login to the state machine. If the user signs out
    /// before that step, the machine rejects the login because its number of sign-outs is outdated.
    package struct AcceptedLogin: Hashable, Sendable {
        /// The handle of the login.
        package internal(set) var handle: SessionHandle
        /// The number of sign-outs when the login began.
        package internal(set) var signOuts: UInt32
    }

    /// A refresh request, which asks the server for a token's successor.
    package struct RefreshRequest: Hashable, Sendable {
        /// The session whose refresh token was sent.
        package internal(set) var handle: SessionHandle
        /// The last used token of the family at the time of the store read.
        ///
        /// This number stands for the date of the proof.
        package internal(set) var used: UInt32
        /// The server's response; `nil` while the request is in transit.
        package internal(set) var answer: SessionMachine.Answer?
    }

    /// A token family on the server, which belongs to one login.
    package struct TokenFamily: Hashable, Sendable {
        /// Whether the server accepts the tokens of the family; `false` after the login was revoked.
        package internal(set) var isLive = true
        /// The number of the newest token that a client has presented.
        package internal(set) var used: UInt32 = 0
    }

    /// The record in the store, which all processes share.
    package struct Record: Hashable, Sendable {
        /// The session in the record.
        package internal(set) var handle: SessionHandle
        /// The number of the write that created the record.
        package internal(set) var generation: UInt64
    }

    /// The app's processes, in a fixed order.
    package internal(set) var processes: [Process]
    /// Whether each caller is waiting for an answer.
    package internal(set) var isWaiting: [Bool]
    /// The index of the process of each caller.
    package internal(set) var callerProcesses: [UInt8]
    /// The record in the store, if there is one.
    package internal(set) var record: Record?
    /// The generation of the latest record, which may have been removed.
    package internal(set) var lastGeneration: UInt64 = 0
    /// The current behavior of the store.
    package internal(set) var storeCondition = StoreCondition.available
    /// The generation of the latest record that counts as removed, because its removal found the store
    /// locked.
    package internal(set) var tombstone: UInt64 = 0
    /// The index of the process that holds the refresh lock; `nil` if the lock is free.
    package internal(set) var lockHolder: UInt8?
    /// The token families on the server, indexed by login number.
    package internal(set) var families: [TokenFamily] = []
    /// The number of the latest access token that was issued.
    package internal(set) var lastAccess: UInt32 = 0
    /// The highest `SessionHandle.form` number that has been assigned to a session.
    package internal(set) var lastForm: UInt32 = 0
    /// The logins whose records were removed or replaced, as a bit mask.
    package internal(set) var removedLogins: UInt32 = 0
    /// The login that was stored last, unless it has ended since.
    package internal(set) var current: UInt32?
    /// The remaining number of steps of each kind.
    package internal(set) var budget: ExplorerBounds

    /// Creates a state with processes that have just started and an empty store.
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

    /// Creates a state without processes and callers, for ``ModelStateDecoder`` to fill.
    init(empty budget: ExplorerBounds) {
        (processes, isWaiting, callerProcesses) = ([], [], [])
        self.budget = budget
    }
}
