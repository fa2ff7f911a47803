import LatchkeyCore

/// Decodes canonical forms that were written by ``AccessModelEncoder``.
///
/// Several states can have the same canonical form. The decoder returns one of these states.
struct AccessModelDecoder {
    /// The number that the current presentation gets in every decoded state.
    ///
    /// All earlier presentations get the number 0.
    private static let current: UInt32 = 1

    private var bytes: ArraySlice<UInt8>
    private var state: AccessModel

    /// - Parameters:
    ///   - bytes: The canonical form to decode. Bytes missing from a truncated form are read as zeros.
    ///   - budget: The budget of the decoded state, which is not part of the form.
    init(_ bytes: ArraySlice<UInt8>, budget: AccessBounds) {
        self.bytes = bytes
        state = AccessModel(empty: budget)
    }

    /// Decodes the state.
    ///
    /// Call this method only once, because decoding consumes the bytes.
    mutating func decodeState() -> AccessModel {
        state.record = login(next())
        state.lastLogin = UInt32(next())
        for _ in 0..<state.budget.processes { state.processes.append(process()) }
        return state
    }

    private mutating func next() -> UInt8 {
        bytes.popFirst() ?? 0
    }

    private func login(_ name: UInt8) -> AccessMachine.Login? {
        guard name > 0 else { return nil }
        return AccessMachine.Login(number: UInt32(name - 1) / 2 + 1, account: UInt32(name - 1) % 2)
    }

    private mutating func status() -> AccessMachine.Status {
        switch next() {
        case 64: .unread
        case 65: .unavailable
        case let name: login(name).map { .signedIn($0) } ?? .signedOut
        }
    }

    private mutating func process() -> AccessModel.Process {
        var process = AccessModel.Process()
        let status = status()
        process.known = self.status()
        let duties = next()
        process.duties = duties >> 4
        let flags = next()
        process.hasPendingChange = flags & 1 != 0
        if flags & 2 != 0 {
            process.call = AccessModel.PresenterCall(
                number: flags & 16 != 0 ? Self.current : 0,
                isOpen: flags & 4 != 0,
                isExplicit: flags & 8 != 0,
                content: AccessModel.PresenterCall.Content(rawValue: flags >> 5 & 3) ?? .login
            )
        }
        let phase = next()
        let phases: [AccessMachine.Presentation.Phase?] = [nil, .flow, .duties, .closing]
        let presentation = phases[Int(phase & 3)]
            .map {
                AccessMachine.Presentation(number: Self.current, phase: $0, isExplicit: phase & 4 != 0)
            }
        if let login = login(next()) {
            let flags = next()
            process.admission = AccessModel.Admission(
                number: flags & 16 != 0 ? Self.current : 0,
                login: login,
                duties: flags >> 2 & 3,
                phase: AccessModel.Admission.Phase(rawValue: flags & 3) ?? .accepted
            )
        }
        var waiters: [(position: UInt64, waiter: AccessMachine.Waiter)] = []
        var runners: [AccessMachine.Caller: AccessMachine.Runner] = [:]
        for index in 0..<next() {
            readCaller(UInt32(index), of: &process, waiters: &waiters, runners: &runners)
        }
        process.machine = AccessMachine(
            status: status,
            openDuties: duties & 15,
            admission: phase & 8 != 0 ? Self.current : phase & 16 != 0 ? 0 : nil,
            presentation: presentation,
            presentationCount: Self.current,
            waiters: waiters.sorted { $0.position < $1.position }.map(\.waiter),
            runners: runners
        )
        return process
    }

    private mutating func readCaller(
        _ index: AccessMachine.Caller,
        of process: inout AccessModel.Process,
        waiters: inout [(position: UInt64, waiter: AccessMachine.Waiter)],
        runners: inout [AccessMachine.Caller: AccessMachine.Runner]
    ) {
        var word: UInt64 = 0
        for _ in 0..<5 { word = word << 8 | UInt64(next()) }
        // The components are read in reverse order.
        func take(_ bits: UInt64) -> UInt64 {
            defer { word >>= bits }
            return word & (1 << bits - 1)
        }
        let flags = take(2)
        let name = UInt8(take(5))
        let kind = take(2)
        switch take(2) {
        case 1: process.callers.append(.waiting(Self.need(kind), former: login(name)))
        case 2:
            let login = login(name) ?? AccessMachine.Login(number: 0, account: 0)
            process.callers.append(
                .running(
                    kind == 1 ? .onDemand : .never,
                    login,
                    isRepetition: flags & 2 != 0,
                    hasSignedOut: flags & 1 != 0
                )
            )
        default: process.callers.append(.idle)
        }
        let mayRepeat = take(1) == 1
        let policy: LoginPolicy = take(1) == 1 ? .onDemand : .never
        if let login = login(UInt8(take(5))) {
            runners[index] = AccessMachine.Runner(policy: policy, login: login, mayRepeat: mayRepeat)
        }
        let former = login(UInt8(take(5)))
        let need = Self.need(take(2))
        let position = take(4)
        if position > 0 {
            let waiter = AccessMachine.Waiter(caller: index, need: need, former: former)
            waiters.append((position, waiter))
        }
    }

    private static func need(_ code: UInt64) -> AccessMachine.Need {
        switch code {
        case 0: .action(.never)
        case 1: .action(.onDemand)
        default: .login
        }
    }
}

extension AccessModel {
    /// Creates a state from its canonical form and a budget.
    package init(canonical form: ArraySlice<UInt8>, budget: AccessBounds) {
        var decoder = AccessModelDecoder(form, budget: budget)
        self = decoder.decodeState()
    }
}
