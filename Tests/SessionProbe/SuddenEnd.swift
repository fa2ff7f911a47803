import Glibc
import Latchkey
import LatchkeyModel
import LatchkeyWire

/// Kills or stops this process, or prints a line, at one point of a refresh.
final class SuddenEnd: Sendable {
    enum Place: String, Sendable {
        case beforeSend, afterCommit, beforeWrite, afterWrite
    }

    private let plan = Locked<(place: Place, signal: Int32)?>(nil)

    func plan(_ signal: Int32, at place: Place?) {
        plan.withLock { $0 = place.map { ($0, signal) } }
    }

    func come(at place: Place) {
        let signal = plan.withLock { plan -> Int32? in
            guard plan?.place == place else { return nil }
            defer { plan = nil }
            return plan?.signal
        }
        switch signal {
        case nil: break
        case 0: say(place.rawValue)
        case let signal?: kill(getpid(), signal)
        }
    }
}

/// A transport that ends the process before a token request is sent or after its response is received.
struct EndingTransport: Transport {
    let transport: any Transport
    let end: SuddenEnd

    func send(_ request: HTTP.Request, to origin: String) async throws(TransportError) -> HTTP.Response {
        guard request.path.hasSuffix("/oauth2/token") else {
            return try await transport.send(request, to: origin)
        }
        end.come(at: .beforeSend)
        let answer = try await transport.send(request, to: origin)
        end.come(at: .afterCommit)
        return answer
    }
}

/// A store that ends the process before or after a write.
struct EndingStore: SessionStore {
    let store: any SessionStore
    let end: SuddenEnd

    func read() -> StoredRecord { store.read() }

    func write(_ bytes: [UInt8], basedOn generation: UInt64) throws(SessionStoreError) -> UInt64 {
        end.come(at: .beforeWrite)
        let next = try store.write(bytes, basedOn: generation)
        end.come(at: .afterWrite)
        return next
    }

    func remove() throws(SessionStoreError) {
        try store.remove()
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        try store.remove(basedOn: generation)
    }

    func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? { store.watch(onChange) }

    func sideStore(for scope: SideRecordScope) -> (any SessionStore)? { store.sideStore(for: scope) }

    var refreshLock: (any RefreshLock)? { store.refreshLock }
}
