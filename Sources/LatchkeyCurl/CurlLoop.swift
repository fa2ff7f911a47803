import CCurl
import CCurlShim
import Glibc
import LatchkeyCore
import LatchkeyModel

/// The thread that drives all transfers of one transport.
///
/// `@unchecked Sendable`: `shared` is locked; `active` and `idle` belong to the thread; `multi` is used by the
/// thread, and by others only to wake it, under the lock that says that it is still there.
final class CurlLoop: @unchecked Sendable {
    private struct Shared {
        var arriving: [CurlTransfer] = []
        var isStopping = false
        var isClosed = false
    }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    private let multi: UnsafeMutableRawPointer
    private let shared = Locked(Shared())
    private var active: [UnsafeMutableRawPointer: CurlExchange] = [:]

    private init(multi: UnsafeMutableRawPointer) {
        self.multi = multi
    }

    /// Starts a thread; it holds its loop until it is stopped.
    static func start() throws(TransportError) -> CurlLoop {
        guard isReady, let multi = curl_multi_init() else {
            throw TransportError(.unreachable, "libcurl could not be started.", neverSent: true)
        }
        latchkey_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 64)
        latchkey_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 32)
        let loop = CurlLoop(multi: multi)
        let context = Unmanaged.passRetained(loop).toOpaque()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        guard pthread_create(&thread, &attributes, curlLoopMain, context) == 0 else {
            Unmanaged<CurlLoop>.fromOpaque(context).release()
            curl_multi_cleanup(multi)
            throw TransportError(
                .unreachable,
                "The system gives no thread for the transport.",
                neverSent: true
            )
        }
        return loop
    }

    /// Hands in a transfer that somebody waits for.
    func add(_ transfer: CurlTransfer) {
        let isClosed = shared.withLock { shared in
            if !shared.isStopping { shared.arriving.append(transfer) }
            return shared.isStopping
        }
        if isClosed {
            transfer.finish(.failure(Self.stopped), neverSent: true)
        } else {
            wake()
        }
    }

    /// Makes the thread look at what has changed.
    func wake() {
        shared.withLock { if !$0.isClosed { curl_multi_wakeup(multi) } }
    }

    /// Ends the thread; whoever still waits is told.
    func stop() {
        shared.withLock { $0.isStopping = true }
        wake()
    }

    fileprivate func run() {
        // A signal for the app is for one of its own threads; and a broken connection is no reason to end it.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var running: Int32 = 0
        while true {
            let (arriving, isStopping) = shared.withLock { shared in
                defer { shared.arriving = [] }
                return (shared.arriving, shared.isStopping)
            }
            for transfer in arriving { begin(transfer, stopping: isStopping) }
            if isStopping { break }
            for exchange in active.values where exchange.transfer.isCancelled {
                end(exchange, CURLE_ABORTED_BY_CALLBACK)
            }
            curl_multi_perform(multi, &running)
            var outcome = CURLE_OK
            while let easy = latchkey_curl_next_done(multi, &outcome) {
                if let exchange = active[easy] { end(exchange, outcome) }
            }
            // Wakes for sockets, for curl's own timers and for `wake`; the bound is only a safety net.
            curl_multi_poll(multi, nil, 0, active.isEmpty ? Int32.max : 60_000, nil)
        }
        for exchange in active.values { end(exchange, CURLE_ABORTED_BY_CALLBACK) }
        shared.withLock { $0.isClosed = true }
        curl_multi_cleanup(multi)
    }

    private func begin(_ transfer: CurlTransfer, stopping: Bool) {
        guard !stopping, !transfer.isCancelled else {
            return transfer.finish(.failure(Self.stopped), neverSent: true)
        }
        guard let exchange = CurlExchange(transfer), curl_multi_add_handle(multi, exchange.easy) == CURLM_OK
        else {
            let failure = TransportError(.unreachable, "libcurl took no request.", neverSent: true)
            return transfer.finish(.failure(failure), neverSent: true)
        }
        active[exchange.easy] = exchange
    }

    private func end(_ exchange: CurlExchange, _ outcome: CURLcode) {
        curl_multi_remove_handle(multi, exchange.easy)
        active[exchange.easy] = nil
        exchange.finish(outcome)
    }

    private static let stopped = TransportError(.unreachable, "The transport was closed.", neverSent: true)
}

private func curlLoopMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
