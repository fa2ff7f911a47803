import Glibc
import Latchkey
import LatchkeyModel
import LatchkeyWire

/// Interrupts this process at a certain point of a refresh or a purchase.
final class SuddenEnd: Sendable {
    enum Place: String, Sendable {
        case beforeSend, afterCommit, beforeWrite, afterWrite
        case beforeOrder, afterOrder, beforeFinish, afterFinish
        /// Before and after any request.
        case beforeRequest, afterResponse
    }

    private struct Plan {
        let place: Place
        let signal: Int32
        /// How many times the process must reach the place before the signal is sent.
        var count: Int
    }

    private let plan = Locked<Plan?>(nil)

    /// Plans a signal.
    ///
    /// - Parameters:
    ///   - signal: The signal to send, or 0 to print a line instead.
    ///   - point: The name of a place, optionally followed by a colon and how many times it must be reached.
    func plan(_ signal: Int32, at point: String) {
        let words = point.split(separator: ":").map(String.init)
        let count = words.count == 2 ? Int(words[1]) ?? 1 : 1
        let place = words.first.flatMap { Place(rawValue: $0) }
        plan.withLock { $0 = place.map { Plan(place: $0, signal: signal, count: count) } }
    }

    func come(at place: Place) {
        let signal = plan.withLock { plan -> Int32? in
            guard plan?.place == place else { return nil }
            plan?.count -= 1
            guard let current = plan, current.count <= 0 else { return nil }
            plan = nil
            return current.signal
        }
        switch signal {
        case nil: break
        case 0: say(place.rawValue)
        case let signal?: kill(getpid(), signal)
        }
    }
}

/// A transport that ends the process before certain requests are sent or after their responses are received.
///
/// Only requests that obtain tokens, place orders or finish purchases can end the process.
struct EndingTransport: Transport {
    let transport: any Transport
    let end: SuddenEnd

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        end.come(at: .beforeRequest)
        let answer = try await sendToNamedPlaces(request, to: origin, limits: limits)
        end.come(at: .afterResponse)
        return answer
    }

    private func sendToNamedPlaces(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        let places: (before: SuddenEnd.Place, after: SuddenEnd.Place)
        switch request.path {
        case let path where path.hasSuffix("/oauth2/token"): places = (.beforeSend, .afterCommit)
        case let path where path.hasSuffix("/commerce/orders"): places = (.beforeOrder, .afterOrder)
        case let path where path.hasSuffix("/finish"): places = (.beforeFinish, .afterFinish)
        default: return try await transport.send(request, to: origin, limits: limits)
        }
        end.come(at: places.before)
        let answer = try await transport.send(request, to: origin, limits: limits)
        end.come(at: places.after)
        return answer
    }
}

/// A store that ends the process before or after a write or removal.
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
        end.come(at: .beforeWrite)
        try store.remove()
        end.come(at: .afterWrite)
    }

    func remove(basedOn generation: UInt64) throws(SessionStoreError) {
        end.come(at: .beforeWrite)
        try store.remove(basedOn: generation)
        end.come(at: .afterWrite)
    }

    func watch(_ onChange: @escaping @Sendable () -> Void) -> StoreWatch? { store.watch(onChange) }

    func sideStore(for scope: SideRecordScope) -> (any SessionStore)? {
        store.sideStore(for: scope).map { EndingStore(store: $0, end: end) }
    }

    var refreshLock: (any RefreshLock)? { store.refreshLock }
}
