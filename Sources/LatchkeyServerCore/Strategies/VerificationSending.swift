import LatchkeyModel
import LatchkeyWire

/// Begins flows that verify the addresses of an identity, each with its code on the way.
struct VerificationSending: Sendable {
    /// A verification that waits for its code.
    struct Begun: Sendable {
        let flow: Identifier
        let address: Traits.Address
    }

    private let context: ServerContext
    private let gate: FlowGate
    private let sending: CodeSending

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        gate = FlowGate(context)
        sending = CodeSending(context, courier: courier)
    }

    /// Begins a flow for each address that is not verified yet, phones first; ``wake()`` follows the transaction.
    ///
    /// An address that has had its codes gets none now: it can be verified later, by a flow of its own.
    ///
    /// - Parameters:
    ///   - identity: The identity, whether it is kept yet or not.
    ///   - known: Addresses to leave alone.
    ///   - session: The session that the flows end with; they belong to the account in any case.
    ///   - followsRegistration: Whether a registration begins them, which has a limit of its own.
    ///   - exchange: The request that this is a part of.
    ///   - now: The time.
    ///   - transaction: The request's transaction.
    /// - Returns: The identity with its addresses marked, to be kept by the caller; and the flows.
    /// - Throws: ``DatabaseError``.
    func begin(
        for identity: Identity,
        except known: [Traits.Address] = [],
        boundTo session: Identifier? = nil,
        followsRegistration: Bool = false,
        _ exchange: Exchange,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> (Identity, [Begun]) {
        guard context.settings.verificationEnabled else { return (identity, []) }
        var identity = identity
        var begun: [Begun] = []
        let open = identity.verifiable.filter { !$0.isVerified && !known.contains($0.address) }.map(\.address)
        for address in open.filter({ $0.via == .sms }) + open.filter({ $0.via != .sms }) {
            var flow = waiting(for: address, of: identity, exchange, at: now)
            flow.sessionID = session
            let wait = try keepCode(
                for: address,
                of: identity,
                flow,
                followsRegistration: followsRegistration,
                exchange,
                at: now,
                in: transaction
            )
            guard wait == nil else { continue }
            try FlowRepository.insert(flow, in: transaction)
            identity = identity.marking(address: address.value, as: .sent, at: now)
            begun.append(Begun(flow: flow.id, address: address))
        }
        return (identity, begun)
    }

    /// Begins the flow that a change waits for, with its code on the way; ``wake()`` follows the transaction.
    ///
    /// - Throws: 429 when the address has had its codes; then nothing may be kept.
    func begin(
        _ change: PendingChange,
        of identity: Identity,
        _ exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Begun {
        let (address, now) = (change.address, exchange.now)
        var flow = waiting(for: address, of: identity, exchange, at: now)
        flow.traits = change.json
        flow.sessionID = change.session
        let wait = try keepCode(for: address, of: identity, flow, exchange, at: now, in: transaction)
        if let wait { throw ServerError.tooManyRequests(retryAfter: wait) }
        try FlowRepository.insert(flow, in: transaction)
        return Begun(flow: flow.id, address: address)
    }

    /// Has sent what was kept.
    func wake() {
        sending.wake()
    }

    /// Keeps a code for an address.
    ///
    /// - Returns: In how many seconds to try again; nothing when it is kept.
    private func keepCode(
        for address: Traits.Address,
        of identity: Identity,
        _ flow: Flow,
        followsRegistration: Bool = false,
        _ exchange: Exchange,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Int? {
        let dispatch = sending.dispatch(
            .verificationCode,
            to: address,
            of: identity.id,
            in: flow.id,
            guesses: .kept,
            for: exchange
        )
        return try sending.keep(
            dispatch,
            followsRegistration: followsRegistration,
            for: exchange.peer,
            at: now,
            in: transaction
        )
    }

    private func waiting(
        for address: Traits.Address,
        of identity: Identity,
        _ exchange: Exchange,
        at now: Timestamp
    ) -> Flow {
        var flow = gate.flow(.verification, of: identity.id, identity.schemaID, exchange, at: now)
        flow.state = .sentEmail
        flow.address = address.value
        return gate.showing(Form(messages: [.verificationCodeSent(address)]), in: flow, at: now)
    }
}
