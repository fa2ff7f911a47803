import CCurl
import CCurlShim
import Glibc
import LatchkeyModel
import LatchkeyWire

/// A transport's event loop.
///
/// A single thread drives all of the transport's transfers.
///
/// `@unchecked Sendable` is safe because `shared` is protected by its lock, and `active` and `multi` are only
/// used on the loop's thread. The only call that other threads make with `multi` wakes the
/// loop, and they hold the lock during that call so that `multi` can't be freed in the meantime.
final class CurlLoop: @unchecked Sendable {
    private struct Shared {
        var arriving: [CurlTransfer] = []
        var isStopping = false
        var isClosed = false
    }

    // Initializes libcurl once per process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    private let multi: UnsafeMutableRawPointer
    private let shared = Locked(Shared())
    private var active: [UnsafeMutableRawPointer: CurlExchange] = [:]

    private init(multi: UnsafeMutableRawPointer) {
        self.multi = multi
    }

    /// Starts the thread.
    ///
    /// The thread retains the loop until the loop is stopped.
    ///
    /// The connection pool holds up to 64 connections, and up to 32 connections to the same host.
    ///
    /// - Throws: `TransportError` with the code `unreachable` if libcurl or the thread cannot be started.
    static func start() throws(TransportError) -> CurlLoop {
        guard isReady, let multi = latchkey_curl_create_multi() else {
            throw TransportError(.unreachable, message: "libcurl could not be initialized.", neverSent: true)
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
                message: "The system cannot create a thread for the transport.",
                neverSent: true
            )
        }
        return loop
    }

    /// Submits a transfer.
    ///
    /// If the loop has been stopped, the transfer is completed with an error.
    ///
    /// This method can be called from any thread. The transfer starts on the loop's thread, after the
    /// transfers that were added earlier.
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

    /// Wakes the thread so that it picks up new and cancelled transfers.
    ///
    /// This method can be called from any thread. The call has no effect after the thread has ended.
    func wake() {
        shared.withLock { if !$0.isClosed { curl_multi_wakeup(multi) } }
    }

    /// Stops the thread.
    ///
    /// Pending transfers fail with an error.
    ///
    /// This method returns immediately. The loop's thread delivers the errors and then releases the loop.
    func stop() {
        shared.withLock { $0.isStopping = true }
        wake()
    }

    // The thread's main function. The function returns once `stop()` has been called.
    fileprivate func run() {
        // Signals are handled by the app's own threads, and a broken connection (SIGPIPE) must not end the
        // process.
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
                end(exchange, outcome: CURLE_ABORTED_BY_CALLBACK)
            }
            for exchange in active.values where exchange.transfer.takeResumption() { exchange.resume() }
            curl_multi_perform(multi, &running)
            var outcome = CURLE_OK
            while let easy = latchkey_curl_next_done(multi, &outcome) {
                if let exchange = active[easy] { end(exchange, outcome: outcome) }
            }
            // This call returns on socket activity, when one of curl's timers fires, and after `wake`. The
            // timeout of 60 seconds is only a safety net.
            curl_multi_poll(multi, nil, 0, active.isEmpty ? Int32.max : 60_000, nil)
        }
        for exchange in active.values { end(exchange, outcome: CURLE_ABORTED_BY_CALLBACK) }
        shared.withLock { $0.isClosed = true }
        curl_multi_cleanup(multi)
    }

    /// Starts a new transfer, or completes it immediately if it was cancelled or the loop is stopping.
    private func begin(_ transfer: CurlTransfer, stopping: Bool) {
        guard !stopping, !transfer.isCancelled else {
            return transfer.finish(.failure(Self.stopped), neverSent: true)
        }
        guard let exchange = CurlExchange(transfer), curl_multi_add_handle(multi, exchange.easy) == CURLM_OK
        else {
            let failure = TransportError(
                .unreachable,
                message: "libcurl did not accept the request.",
                neverSent: true
            )
            return transfer.finish(.failure(failure), neverSent: true)
        }
        active[exchange.easy] = exchange
    }

    /// Completes an exchange.
    ///
    /// The exchange is detached first so that its handle is freed on this thread.
    private func end(_ exchange: CurlExchange, outcome: CURLcode) {
        curl_multi_remove_handle(multi, exchange.easy)
        active[exchange.easy] = nil
        exchange.finish(outcome)
    }

    private static let stopped = TransportError(
        .unreachable,
        message: "The transport was closed.",
        neverSent: true
    )
}

/// The thread's main function, which runs the given loop and then releases the loop.
private func curlLoopMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
