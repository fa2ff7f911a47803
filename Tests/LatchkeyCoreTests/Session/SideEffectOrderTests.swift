import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

@Suite(.timeLimit(.minutes(10))) struct `Order of the actions after a login` {
    @Test func `The previous login's key is removed before the caller of the new login continues`() {
        var state = KeeperState(.sessionToken)
        let now = Timestamp(seconds: 1_800_000_000)
        _ = state.reduce(.read(.absent, epoch: state.machine.epoch, refreshRead: nil), at: now)
        _ = Self.logIn(key: 1, generation: 1, in: &state, at: now)

        let sideEffects = Self.logIn(key: 2, generation: 2, in: &state, at: now)

        let order = sideEffects.compactMap { sideEffect in
            switch sideEffect {
            case .removeKey(let key): "remove key \(key.exposed)"
            case .answer: "answer the caller"
            default: nil
            }
        }
        #expect(order == ["remove key [1]", "answer the caller"])
    }

    /// Sends the events of a login whose session is written to the store.
    ///
    /// - Returns: The actions after the session has been written.
    private static func logIn(
        key: UInt8,
        generation: UInt64,
        in state: inout KeeperState,
        at now: Timestamp
    ) -> [KeeperState.SideEffect] {
        let stored = StoredSession(
            login: LoginID(random: SeededRandom(seed: UInt64(key))),
            session: UserSession(id: "\(key)", identity: Identity(id: "user", schema: "customer")),
            credential: .sessionToken("token"),
            key: StoredKey([key]),
            certificate: nil,
            requiresCertificate: false
        )
        let (handle, caller) = (state.catalog.handle(for: stored), state.add { _ in })
        let signOuts = state.machine.signOuts
        _ = state.reduce(.loginSucceeded(caller, handle, signOuts: signOuts), at: now)
        return state.reduce(
            .replaced(caller, handle, generation: generation, signOuts: signOuts),
            at: now
        )
    }
}
