import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

/// A model state, and the same state built from real keepers and a store.
struct ReplayedWorld {
    private(set) var world: ModelState
    private(set) var steps: [ModelStep] = []
    private var apps: [ReplayedApp]
    private let store = MoodStore()

    init(_ bounds: ExplorerBounds) throws {
        world = ModelState(bounds)
        apps = try (0..<bounds.processes).map { [store] _ in try ReplayedApp(store) }
    }

    /// The steps that real components can perform next.
    ///
    /// Unlike in the model, a keeper learns the result of a store operation immediately. All sessions of a
    /// keeper use the same kind of credential.
    var choices: [ModelStep] {
        world.steps.filter { step in
            switch step {
            case .receiveStoreResult, .acceptLogin(_, .opaque): false
            default: true
            }
        }
    }

    /// Performs a step in the model and with the real components.
    mutating func apply(_ step: ModelStep) throws {
        steps.append(step)
        let before = world
        try model(step)
        switch step {
        case .performStoreOperation(let app):
            apps[app].keeper.performNextStoreOperation()
            try send(app)
        case .signOut(let app):
            _ = apps[app].keeper.signOut()
            // `signOut()` performs a pending removal before it returns.
            while case .remove? = world.processes[app].pending.first {
                try model(.performStoreOperation(app))
                try send(app)
            }
        case .receiveChange(let app): apps[app].keeper.send { _ in .changed }
        case .acquireLock(let app), .proceedWithoutLock(let app): apps[app].endLockWait()
        case .receiveResponse(let app, let index):
            apps[app].receive(index, Self.answer(before.processes[app].requests[index].answer ?? .failed))
        case .requestAccess(let caller): asker(caller).ask(caller, isExpired: false)
        case .requestFresherAccess(let caller): asker(caller).ask(caller, isExpired: true)
        case .cancelRequest(let caller): asker(caller).leave(caller)
        case .acceptLogin(let app, _):
            guard let admission = world.processes[app].acceptedLogin else { return }
            apps[app].accept(Self.stored(admission.handle))
        case .completeLogin(let app): apps[app].completeLogin()
        case .changeSession(let app): apps[app].amend("form-\(world.lastForm)")
        case .learnOfRevocation(let app): apps[app].endSession()
        case .crash(let app): apps[app] = try ReplayedApp(store)
        case .setStoreCondition(let mood): store.set(mood)
        case .receiveStoreResult, .answerRequest, .loseRequest, .revokeLogin: break
        }
    }

    private mutating func model(_ step: ModelStep) throws {
        try world.apply(step, with: ModelState.shipped)
        world.mergeReads()
        try world.check()
    }

    private mutating func send(_ app: Int) throws {
        while !world.processes[app].results.isEmpty { try model(.receiveStoreResult(app)) }
    }

    private func asker(_ caller: Int) -> ReplayedApp {
        apps[Int(world.callerProcesses[caller])]
    }

    /// A description of how the real components differ from the model, or `nil` if they agree.
    var difference: String? {
        for (number, app) in world.processes.enumerated() {
            let state = apps[number].keeper.keeperState.withLock { $0 }
            let (expected, actual) = (Shape(app.machine), Shape(state))
            if expected != actual { return "process \(number): expected \(expected), found \(actual)" }
            if app.pending.count != state.operations.count {
                return "process \(number): expected \(app.pending), found \(state.operations)"
            }
            if app.requests.count != apps[number].questionCount {
                return "process \(number): the numbers of requests differ"
            }
        }
        for caller in world.isWaiting.indices where world.isWaiting[caller] != asker(caller).isWaiting(caller)
        {
            return "caller \(caller): expected to wait: \(world.isWaiting[caller])"
        }
        let record = store.record
        if world.record?.generation != record?.generation { return "the generations of the records differ" }
        if let record, case .present(let stored) = StoredSession.reading(record.bytes) {
            guard Self.handle(stored) == world.record?.handle else { return "the records differ" }
        } else if record != nil {
            return "the record cannot be read"
        }
        return nil
    }

    // MARK: Correspondence

    /// Returns a stored session.
    ///
    /// Every second session is an OAuth grant, and every third one doesn't need a certificate.
    private static func stored(_ handle: SessionHandle) -> StoredSession {
        let isCertified = handle.isComplete && !handle.login.isMultiple(of: 3)
        return StoredSession(
            login: LoginID(random: SeededRandom(seed: UInt64(handle.login))),
            session: UserSession(
                id: "form-\(handle.form)",
                identity: Identity(id: "login-\(handle.login)", schema: "customer")
            ),
            credential: handle.login.isMultiple(of: 2)
                ? .grant(
                    OAuthGrant(
                        pair: pair(handle),
                        issuer: "https://id.example.com",
                        client: "app",
                        scopes: ["openid"]
                    )
                )
                : .sessionToken("token", pair: pair(handle)),
            key: StoredKey([UInt8(handle.login)]),
            certificate: isCertified
                ? DeviceCertificate(
                    pem: "PEM",
                    chain: [],
                    serialNumber: "",
                    certifiedAt: Timestamp(seconds: 0),
                    notAfter: Timestamp(seconds: 1)
                ) : nil,
            requiresCertificate: isCertified || !handle.isComplete
        )
    }

    private static func pair(_ handle: SessionHandle) -> TokenPair {
        TokenPair(
            access: Secret("\(handle.version)"),
            refresh: "refresh",
            renewAt: Timestamp(seconds: 0),
            expiresAt: Timestamp(seconds: 0)
        )
    }

    /// Returns the handle that represents a stored session in the model.
    fileprivate static func handle(_ stored: StoredSession) -> SessionHandle? {
        guard
            let login = UInt32(stored.session.identity.id.dropFirst("login-".count)),
            let version = stored.pair.flatMap({ UInt32($0.access.exposed) }),
            let form = UInt32(stored.session.id.dropFirst("form-".count))
        else { return nil }
        return SessionHandle(login: login, version: version, form: form, isComplete: stored.isComplete)
    }

    private static func answer(_ answer: SessionMachine.Answer) -> TokenRenewal.Answer {
        switch answer {
        case .granted(let handle): .granted(pair(handle))
        case .refused: .refused
        case .stale: .stale
        case .failed: .failed(.notRefreshed)
        }
    }
}

/// The properties that must be equal in the model and in a real keeper.
///
/// Handles are compared by their values.
private struct Shape: Equatable, CustomStringConvertible {
    let description: String

    init(_ machine: SessionMachine) {
        self.init(machine) { "\($0.login).\($0.version).\($0.form)" }
    }

    init(_ state: KeeperState) {
        self.init(state.machine) { handle in
            guard let stored = state.catalog[handle]?.stored, let model = ReplayedWorld.handle(stored) else {
                return "none"
            }
            return "\(model.login).\(model.version).\(model.form)"
        }
    }

    private init(_ machine: SessionMachine, _ name: (SessionHandle) -> String) {
        let truth =
            switch machine.status {
            case .unread: "unread"
            case .unavailable(let code): "unavailable \(code)"
            case .absent: "absent"
            case .present(let handle): "present " + name(handle)
            }
        let refresh =
            switch machine.refresh {
            case .idle: "idle"
            case .locking: "locking"
            case .reading: "reading"
            case .asking(let handle, let generation): "asking \(name(handle)) on \(generation)"
            case .saving(let handle): "saving " + name(handle)
            }
        let owed =
            switch machine.pendingRemoval {
            case nil: "none"
            case .anything: "anything"
            case .login: "a login"
            }
        description = """
            \(truth), \(refresh), owes \(owed), generation \(machine.generation), epoch \(machine.epoch), \
            sign-outs \(machine.signOuts), looks \(machine.refreshReads), replacing \(machine.replacing), \
            removing \(machine.isRemoving), unsaved \(machine.isUnsaved), waiters \(machine.waiters.count)
            """
    }
}
