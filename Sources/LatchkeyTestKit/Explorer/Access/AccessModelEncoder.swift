import LatchkeyCore

/// Encodes ``AccessModel`` states into canonical forms, which ``AccessModelDecoder`` decodes.
///
/// Only logins that occur in the state are numbered, from oldest to newest. For a presentation,
/// only whether it is the current one is encoded. Each caller is encoded separately, and the results are
/// written in ascending order.
package struct AccessModelEncoder {
    /// The form that was written last.
    var bytes: [UInt8] = []

    /// A bit mask of the logins that occur in the state.
    private var mentioned: UInt64 = 0

    init() {
        bytes.reserveCapacity(64)
    }

    /// Writes a state, replacing the previously written form.
    ///
    /// - Parameters:
    ///   - state: The state. Login numbers must not exceed 62.
    ///   - order: The order in which to write the processes, as a list of their indices.
    mutating func write(_ state: AccessModel, order: [Int]) {
        bytes.removeAll(keepingCapacity: true)
        mentioned = 0
        mention(state.record)
        for process in state.processes { mention(process) }
        bytes.append(name(of: state.record))
        bytes.append(UInt8(mentioned.nonzeroBitCount))
        for number in order { write(state.processes[number]) }
    }

    // MARK: Names

    private mutating func mention(_ login: AccessMachine.Login?) {
        if let login { mentioned |= 1 << UInt64(login.number) }
    }

    private mutating func mention(_ process: AccessModel.Process) {
        for status in [process.machine.status, process.known] {
            if case .signedIn(let login) = status { mention(login) }
        }
        for waiter in process.machine.waiters { mention(waiter.former) }
        for runner in process.machine.runners.values { mention(runner.login) }
        for caller in process.callers {
            switch caller {
            case .idle: break
            case .waiting(_, let former): mention(former)
            case .running(_, let login, _, _): mention(login)
            }
        }
        mention(process.admission?.login)
    }

    /// Returns a number below 32: twice the login's rank plus its account, or 0 if there is no login.
    private func name(of login: AccessMachine.Login?) -> UInt8 {
        guard let login else { return 0 }
        let rank = (mentioned & ((1 << UInt64(login.number)) - 1)).nonzeroBitCount
        return UInt8(1 + rank * 2) + UInt8(login.account)
    }

    // MARK: Processes

    private mutating func write(_ process: AccessModel.Process) {
        let machine = process.machine
        let current = machine.presentation?.number
        write(machine.status)
        write(process.known)
        bytes.append(machine.openDuties | process.duties << 4)
        var flags: UInt8 = process.hasPendingChange ? 1 : 0
        flags |= process.call == nil ? 0 : 2
        if let call = process.call {
            flags |=
                (call.isOpen ? 4 : 0) | (call.isExplicit ? 8 : 0) | (call.number == current ? 16 : 0)
                | call.content.rawValue << 5
        }
        bytes.append(flags)
        var phase: UInt8 = 0
        if let presentation = machine.presentation {
            phase = 1 + presentation.phase.code | (presentation.isExplicit ? 4 : 0)
        }
        if let admission = machine.admission { phase |= admission == current ? 8 : 16 }
        bytes.append(phase)
        bytes.append(name(of: process.admission?.login))
        if let admission = process.admission {
            bytes.append(
                admission.phase.rawValue | admission.duties << 2 | (admission.number == current ? 16 : 0)
            )
        }
        let callers = process.callers.indices.map { word(of: $0, in: process) }.sorted()
        bytes.append(UInt8(callers.count))
        for caller in callers {
            for shift in stride(from: 32, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: caller >> UInt64(shift)))
            }
        }
    }

    private mutating func write(_ status: AccessMachine.Status) {
        switch status {
        case .unread: bytes.append(64)
        case .unavailable: bytes.append(65)
        case .signedOut: bytes.append(0)
        case .signedIn(let login): bytes.append(name(of: login))
        }
    }

    /// Encodes a caller's state, as seen by the caller and by the machine, in 40 bits.
    private func word(of index: Int, in process: AccessModel.Process) -> UInt64 {
        var word: UInt64 = 0
        func add(_ value: UInt8, bits: UInt64) { word = word << bits | UInt64(value) }
        // We add the position first, so that callers are sorted by position.
        let position = process.machine.waiters.firstIndex { $0.caller == UInt32(index) }
        add(position.map { UInt8($0 + 1) } ?? 0, bits: 4)
        let waiter = position.map { process.machine.waiters[$0] }
        add(waiter?.need.code ?? 0, bits: 2)
        add(name(of: waiter?.former), bits: 5)
        let runner = process.machine.runners[UInt32(index)]
        add(name(of: runner?.login), bits: 5)
        add(runner?.policy == .onDemand ? 1 : 0, bits: 1)
        add(runner?.mayRepeat == true ? 1 : 0, bits: 1)
        switch process.callers[index] {
        case .idle: add(0, bits: 11)
        case .waiting(let need, let former):
            add(1, bits: 2)
            add(need.code, bits: 2)
            add(name(of: former), bits: 5)
            add(0, bits: 2)
        case .running(let policy, let login, let isRepetition, let hasSignedOut):
            add(2, bits: 2)
            add(policy == .onDemand ? 1 : 0, bits: 2)
            add(name(of: login), bits: 5)
            add((isRepetition ? 2 : 0) | (hasSignedOut ? 1 : 0), bits: 2)
        }
        return word
    }
}

extension AccessMachine.Need {
    /// The request's number in a canonical form.
    fileprivate var code: UInt8 {
        switch self {
        case .action(.never): 0
        case .action(.onDemand): 1
        case .login: 2
        }
    }
}

extension AccessMachine.Presentation.Phase {
    /// The phase's number in a canonical form.
    fileprivate var code: UInt8 {
        switch self {
        case .flow: 0
        case .duties: 1
        case .closing: 2
        }
    }
}

extension AccessModel {
    /// Creates an encoder that can be used for many states.
    package static func makeEncoder(_ bounds: AccessBounds) -> AccessModelEncoder {
        AccessModelEncoder()
    }

    /// Returns the state's canonical form, which is the smallest form over all orders of its processes.
    ///
    /// - Parameter encoder: The encoder, whose buffers are reused.
    /// - Returns: The bytes of the canonical form.
    package func canonical(_ encoder: inout AccessModelEncoder) -> [UInt8] {
        encoder.write(self, order: Array(processes.indices))
        var best = encoder.bytes
        for order in Self.orders(of: processes.count).dropFirst() {
            encoder.write(self, order: order)
            if encoder.bytes.lexicographicallyPrecedes(best) { best = encoder.bytes }
        }
        return best
    }

    /// All permutations of up to four processes.
    ///
    /// The first permutation leaves the order unchanged.
    private static let allOrders: [[[Int]]] = (0...4).map { count in
        var orders: [[Int]] = [[]]
        for _ in 0..<count {
            orders = orders.flatMap { order in
                (0..<count).filter { !order.contains($0) }.map { order + [$0] }
            }
        }
        return orders
    }

    private static func orders(of count: Int) -> [[Int]] { allOrders[count] }
}
