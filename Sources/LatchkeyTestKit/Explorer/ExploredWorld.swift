package import LatchkeyCore

/// Everything that a few processes of one app, their store and their server can be in at one moment.
///
/// Small numbers stand for what is random in reality: the credentials of a session are `token * 65_536 + access`.
package struct ExploredWorld: Hashable, Sendable {
    /// What the store does when it is used.
    package enum StoreMood: UInt8, Hashable, Sendable, CaseIterable {
        case fine, locked, failing
    }

    /// One process: the machine, and what it has asked for that is not done yet.
    package struct App: Hashable, Sendable {
        package internal(set) var machine = SessionMachine()
        /// What is to be done with the store, in this order.
        package internal(set) var pending: [SessionMachine.Effect] = []
        /// What came of it, and is not heard of yet.
        package internal(set) var results: [SessionMachine.Event] = []
        /// Questions on their way to the server, and answers on their way back.
        package internal(set) var questions: [Question] = []
        /// A login that the server has accepted, and after how many sign-outs it began.
        package internal(set) var admission: Admission?
        /// What had been used of each family when a refresh looked at the store, and which look that was; until it
        /// hears what was found.
        package internal(set) var seenUsed: [UInt32] = []
        package internal(set) var seenLook: UInt32 = 0
        package internal(set) var waitsForLock = false
        /// Whether it goes on without the lock.
        package internal(set) var overtook = false
        /// Whether another process has changed the store.
        package internal(set) var hasNews = false
        /// The logins that this process has ended, a bit each; nothing may bring them back to it.
        package internal(set) var left: UInt32 = 0
        /// Whether what it removes is what somebody signed out of, rather than what the server has ended.
        package internal(set) var signedOut = false

        /// What had been used of a login when a refresh looked at the store; nothing for one that came later.
        func used(_ login: UInt32) -> UInt32? {
            guard Int(login) < seenUsed.count, seenUsed[Int(login)] != .max else { return nil }
            return seenUsed[Int(login)]
        }
    }

    /// A login that the server has accepted.
    package struct Admission: Hashable, Sendable {
        package internal(set) var handle: SessionHandle
        package internal(set) var signOuts: UInt32
    }

    /// A question to the server about the successor of a token.
    package struct Question: Hashable, Sendable {
        package internal(set) var handle: SessionHandle
        /// What had been used when the store was read for it, which is when its proof was dated.
        package internal(set) var used: UInt32
        package internal(set) var answer: SessionMachine.Answer?
    }

    /// A family of tokens on the server.
    package struct Family: Hashable, Sendable {
        package internal(set) var isLive = true
        /// The newest token that was shown.
        package internal(set) var used: UInt32 = 0
    }

    /// The one record that all processes share.
    package struct Record: Hashable, Sendable {
        package internal(set) var handle: SessionHandle
        package internal(set) var generation: UInt64
    }

    package internal(set) var apps: [App]
    /// Which callers wait for an answer.
    package internal(set) var isWaiting: [Bool]
    package internal(set) var callerApps: [UInt8]
    package internal(set) var record: Record?
    package internal(set) var lastGeneration: UInt64 = 0
    package internal(set) var mood = StoreMood.fine
    /// The generation up to which records are dead, left by a removal that met a locked store.
    package internal(set) var tombstone: UInt64 = 0
    package internal(set) var lockHolder: UInt8?
    package internal(set) var families: [Family] = []
    /// The newest access that a family has given, and the newest form of a record.
    package internal(set) var lastAccess: UInt32 = 0
    package internal(set) var lastForm: UInt32 = 0
    /// The logins that have ended in the store, a bit each.
    package internal(set) var buried: UInt32 = 0
    /// The login that was written last and that nothing has ended since.
    package internal(set) var current: UInt32?
    /// How much may still happen.
    package internal(set) var budget: ExplorerBounds

    /// Processes that have just begun, with nobody logged in.
    package init(_ bounds: ExplorerBounds) {
        apps = Array(repeating: App(), count: bounds.processes)
        isWaiting = Array(repeating: false, count: bounds.callers)
        callerApps = (0..<bounds.callers).map { UInt8($0 % bounds.processes) }
        budget = bounds
        for app in apps.indices { apps[app].pending = apps[app].machine.reduce(.started) }
    }

    /// A world with a canonical form, in which so much may still happen.
    package init(canonical form: [UInt8], budget: ExplorerBounds) {
        var reader = WorldReader(form[...], budget)
        self = reader.readWorld()
    }

    /// Nothing at all, for a reader to fill.
    init(empty budget: ExplorerBounds) {
        (apps, isWaiting, callerApps) = ([], [], [])
        self.budget = budget
    }
}
