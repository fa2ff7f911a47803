import LatchkeyCore

/// Everything that a few processes of one app, their store and their server can be in at one moment.
///
/// Small numbers stand for what is random in reality: a form of a session is `token * 16 + access`.
package struct ExploredWorld: Hashable, Sendable {
    /// What the store does when it is used.
    package enum StoreMood: UInt8, Hashable, Sendable, CaseIterable {
        case fine, locked, failing
    }

    /// One process: the machine, and what it has asked for that is not done yet.
    package struct App: Hashable, Sendable {
        var machine = SessionMachine()
        /// What is to be done with the store, in this order.
        var pending: [SessionMachine.Effect] = []
        /// What came of it, and is not heard of yet.
        var results: [SessionMachine.Event] = []
        /// Questions on their way to the server, and answers on their way back.
        var questions: [Question] = []
        /// A login that the server has accepted, and after how many sign-outs it began.
        var admission: Admission?
        /// What had been used of each family when a refresh looked at the store, and which look that was.
        var seenUsed: [UInt32] = []
        var seenLook: UInt32 = 0
        var waitsForLock = false
        /// Whether it goes on without the lock.
        var overtook = false
        /// Whether another process has changed the store.
        var hasNews = false
        /// The logins that this process has ended, a bit each; nothing may bring them back to it.
        var left: UInt32 = 0
        /// Whether what it removes is what somebody signed out of, rather than what the server has ended.
        var signedOut = false
    }

    /// A login that the server has accepted.
    package struct Admission: Hashable, Sendable {
        var handle: SessionHandle
        var signOuts: UInt32
    }

    /// A question to the server about the successor of a token.
    package struct Question: Hashable, Sendable {
        var handle: SessionHandle
        /// What had been used when the store was read for it, which is when its proof was dated.
        var used: UInt32
        var answer: SessionMachine.Answer?
    }

    /// What a caller was told, once it has been.
    package enum CallerState: UInt8, Hashable, Sendable {
        case outside, waiting, answered
    }

    /// A family of tokens on the server.
    package struct Family: Hashable, Sendable {
        var isLive = true
        /// The newest token that was shown.
        var used: UInt32 = 0
        var accesses: UInt32 = 0
        /// Whether the server ended it by itself, or was told to.
        var isEndedOnPurpose = false
    }

    /// The one record that all processes share.
    package struct Record: Hashable, Sendable {
        var handle: SessionHandle
        var generation: UInt64
    }

    var apps: [App]
    var callers: [CallerState]
    var callerApps: [UInt8]
    var record: Record?
    var lastGeneration: UInt64 = 0
    var mood = StoreMood.fine
    /// The generation up to which records are dead, left by a removal that met a locked store.
    var tombstone: UInt64 = 0
    var lockHolder: UInt8?
    var families: [Family] = []
    /// The logins that have ended in the store, a bit each.
    var buried: UInt32 = 0
    /// The login that was written last and that nothing has ended since.
    var current: UInt32?
    /// How much may still happen.
    var budget: ExplorerBounds

    /// Processes that have just begun, with nobody logged in.
    package init(_ bounds: ExplorerBounds) {
        apps = Array(repeating: App(), count: bounds.processes)
        callers = Array(repeating: .outside, count: bounds.callers)
        callerApps = (0..<bounds.callers).map { UInt8($0 % bounds.processes) }
        budget = bounds
        for app in apps.indices { apps[app].pending = apps[app].machine.reduce(.started) }
    }
}
