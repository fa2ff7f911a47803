import LatchkeyModel

/// Writes reached limits to the audit log: each limit of a subject at most once an hour on each node.
///
/// The request that is refused rolls its transaction back, so that the event is written in one of its own, afterwards.
package final class LimitAudit: Sendable {
    private static let interval: Duration = .seconds(3600)

    /// The most subjects that are remembered, and so the most events an hour.
    private static let mostSubjects = 1000

    private struct State {
        var recorded: [[UInt8]: Timestamp] = [:]
        var last: Task<Void, Never>?
    }

    private let database: any Database
    private let trace: AuditTrace
    private let random: any RandomSource
    private let state = Locked(State())

    init(_ database: any Database, trace: AuditTrace, random: any RandomSource) {
        self.database = database
        self.trace = trace
        self.random = random
    }

    /// Records that a limit was reached.
    ///
    /// - Parameters:
    ///   - event: The event that was refused.
    ///   - bucket: The keyed hash of its subject.
    ///   - now: The time.
    func record(_ event: LimitedEvent, bucket: [UInt8], at now: Timestamp) {
        state.withLock { state in
            if let time = state.recorded[bucket], now - time < Self.interval { return }
            if state.recorded.count >= Self.mostSubjects {
                state.recorded = state.recorded.filter { now - $0.value < Self.interval }
                guard state.recorded.count < Self.mostSubjects else { return }
            }
            state.recorded[bucket] = now
            let entry = AuditEvent(limit: event, trace: trace, at: now, random: random)
            state.last = Task { [database, last = state.last] in
                await last?.value
                // An unavailable database shows elsewhere; the metrics count the refusal in any case.
                try? await database.transaction { try AuditLog.append(entry, in: $0) }
            }
        }
    }

    /// Waits until all events are written.
    package func finish() async {
        await state.withLock(\.last)?.value
    }
}

extension AuditEvent {
    fileprivate init(
        limit event: LimitedEvent,
        trace: AuditTrace,
        at now: Timestamp,
        random: some RandomSource
    ) {
        let limit = MeteredLimit(event).rawValue
        self.init(
            .limitReached,
            of: event.identity ?? .nilUUID,
            by: .server,
            about: event.identifier.map { limit + " " + trace.hash($0) } ?? limit,
            from: event.network?.description,
            at: now,
            random: random
        )
    }
}

extension LimitedEvent {
    /// The account that the event is about.
    fileprivate var identity: Identifier? {
        switch self {
        case .failure(.identity(let id)), .failureOnNetwork(.identity(let id), _),
            .failureOnKnownNetwork(.identity(let id), _), .accountChange(let id), .noticeText(let id),
            .deviceNoticeText(let id), .refusedEntryNotice(let id):
            id
        default: nil
        }
    }

    /// The identifier or address that the event is about.
    fileprivate var identifier: String? {
        switch self {
        case .code(let address), .codeInReserve(let address), .guess(let address),
            .guessInReserve(let address):
            address.value
        case .failure(.unknown(let identifier)), .failureOnNetwork(.unknown(let identifier), _),
            .failureOnKnownNetwork(.unknown(let identifier), _):
            identifier
        default: nil
        }
    }

    /// The network that the event is about.
    fileprivate var network: Network? {
        switch self {
        case .codeFromNetwork(let network), .failureFromNetwork(let network),
            .accountFailedFromNetwork(let network), .registration(let network),
            .failureOnNetwork(_, let network), .failureOnKnownNetwork(_, let network):
            network
        default: nil
        }
    }
}
