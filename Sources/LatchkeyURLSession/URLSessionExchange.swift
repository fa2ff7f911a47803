import Foundation
import LatchkeyModel
import LatchkeyWire

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An exchange of a request for a response, whose body is buffered between `URLSession` and the consumer.
final class URLSessionExchange: Sendable {
    /// The number of buffered bytes above which the transfer is paused.
    static let highWater = 1 << 18

    private typealias Caller = CheckedContinuation<Result<HTTP.Response, TransportError>, Never>
    private typealias Consumer = CheckedContinuation<Result<[UInt8]?, TransportError>, Never>

    private struct State {
        /// The status and the header fields, or `nil` until they are received.
        var head: HTTP.Response?
        var caller: Caller?
        var buffer: [UInt8] = []
        var received = 0
        var consumer: Consumer?
        var isPaused = false
        /// The result to return after the buffered bytes, or `nil` while the exchange is in progress.
        ///
        /// The first result counts: after a limit was exceeded, `URLSession` reports that the task was cancelled.
        var end: Result<Void, TransportError>?
        var timer: Task<Void, any Error>?
    }

    private let task: URLSessionTask
    private let host: String
    private let bodyLimit: Int
    private let state = Locked(State())

    /// Creates an exchange for a task that hasn't been resumed.
    init(_ task: URLSessionTask, host: String, bodyLimit: Int) {
        (self.task, self.host, self.bodyLimit) = (task, host, bodyLimit)
    }

    // MARK: The caller

    /// Sends the request and waits for the response head.
    ///
    /// - Parameter timeout: The time limit for the whole exchange, or `nil` for none.
    /// - Returns: The status and the header fields.
    /// - Throws: ``TransportError`` if the exchange ends before them.
    func head(within timeout: Duration?) async throws(TransportError) -> HTTP.Response {
        if let timeout, !RequestLimits.isUnlimited(timeout) {
            let timer = Task { [weak self] in
                try await SystemTime().sleep(for: timeout)
                self?.end(.timedOut, message: "The request timed out.")
            }
            state.withLock { $0.timer = timer }
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                // The exchange may have been cancelled or timed out already.
                let end = state.withLock { state in
                    if state.end == nil { state.caller = caller }
                    return state.end
                }
                task.resume()
                if case .failure(let error) = end { caller.resume(returning: .failure(error)) }
            }
        } onCancel: {
            task.cancel()
        }
        return try outcome.get()
    }

    /// Waits for the next chunk of the body.
    func next() async throws(TransportError) -> [UInt8]? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (consumer: Consumer) in
                let ready = state.withLock { state in take(from: &state, for: consumer) }
                if let ready { consumer.resume(returning: ready) }
            }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    /// Ends the exchange because the body is no longer needed.
    func cancel() {
        end(with: .cancelled())
    }

    /// Returns the result for a consumer, or `nil` if it has to wait, and continues to receive.
    private func take(
        from state: inout State,
        for consumer: Consumer
    ) -> Result<[UInt8]?, TransportError>? {
        if case .failure(let error) = state.end, error.code == .cancelled { return .failure(error) }
        if !state.buffer.isEmpty {
            defer { state.buffer = [] }
            unpause(&state)
            return .success(state.buffer)
        }
        if let end = state.end { return end.map { nil } }
        guard state.consumer == nil else {
            return .failure(
                TransportError(.invalidRequest, message: "A body can be iterated only once.")
            )
        }
        state.consumer = consumer
        return nil
    }

    // MARK: The session

    /// Returns the head of the response to the caller.
    ///
    /// Interim responses are ignored (RFC 9110, section 15.2), which Foundation for Linux also reports.
    func receive(_ response: HTTPURLResponse) {
        guard response.statusCode >= 200 else { return }
        var head = HTTP.Response(response.statusCode)
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            head.headers.fields.append(HTTP.Headers.Field(name: name, value: value))
        }
        let (caller, isSecond) = state.withLock { state in
            let isSecond = state.head != nil
            state.head = state.head ?? head
            defer { state.caller = nil }
            return (state.caller, isSecond)
        }
        // A multipart response has a head for each part, whose body would be mixed with that of the others.
        if isSecond { end(.invalidResponse, message: "The response has several parts.") }
        caller?.resume(returning: .success(head))
    }

    /// Passes a chunk of the body to the consumer, or buffers it.
    func receive(_ data: Data) {
        guard !data.isEmpty else { return }
        let bytes = [UInt8](data)
        let (consumer, isTooLarge) = state.withLock { state -> (Consumer?, Bool) in
            guard state.end == nil else { return (nil, false) }
            state.received += bytes.count
            guard state.received <= bodyLimit else { return (nil, true) }
            if let consumer = state.consumer {
                state.consumer = nil
                return (consumer, false)
            }
            state.buffer += bytes
            if state.buffer.count > Self.highWater { pause(&state) }
            return (nil, false)
        }
        if isTooLarge { end(.invalidResponse, message: "The response is larger than \(bodyLimit) bytes.") }
        consumer?.resume(returning: .success(bytes))
    }

    /// Ends the exchange when `URLSession` has completed the task.
    func complete(_ error: (any Error)?) {
        var hasHead: Bool { state.withLock { $0.head != nil } }
        if let error {
            let isUnsent = !hasHead && task.countOfBytesSent == 0
            end(with: TransportError(error, host: host, isUnsent: isUnsent))
            return
        }
        // Foundation for Linux does not report redirects without a location, but completes the task.
        if !hasHead, let response = task.response as? HTTPURLResponse { receive(response) }
        if hasHead {
            finish(.success(()))
        } else {
            end(.invalidResponse, message: "The response is not HTTP.")
        }
    }

    /// Stops receiving until the consumer has read the buffer.
    ///
    /// Called with the lock, because suspensions are counted and must not be mixed up. Foundation for Linux
    /// continues to receive data for a suspended task.
    private func pause(_ state: inout State) {
        guard !state.isPaused else { return }
        state.isPaused = true
        #if canImport(Darwin)
        task.suspend()
        #endif
    }

    /// Continues to receive, unless that was never paused.
    private func unpause(_ state: inout State) {
        guard state.isPaused else { return }
        state.isPaused = false
        #if canImport(Darwin)
        task.resume()
        #endif
    }

    private func end(_ code: TransportError.Code, message: String) {
        end(with: TransportError(code, message: "\(host): \(message)"))
    }

    /// Ends the exchange with an error, which has no effect if it has already ended.
    private func end(with error: TransportError) {
        finish(.failure(error))
        task.cancel()
    }

    private func finish(_ end: Result<Void, TransportError>) {
        let (final, result) = state.withLock { state in
            var end = end
            if case .failure(var error) = end {
                error.head = state.head
                end = .failure(error)
            }
            let result = state.end ?? end
            state.end = result
            // A suspended task would not complete.
            unpause(&state)
            defer { (state.caller, state.consumer, state.timer) = (nil, nil, nil) }
            return (state, result)
        }
        final.timer?.cancel()
        if case .failure(let error) = result { final.caller?.resume(returning: .failure(error)) }
        final.consumer?.resume(returning: result.map { nil })
    }
}

/// The body of a streamed response, which retains the transport and cancels the exchange when it is released.
final class URLSessionBody: HTTP.ResponseBody.Source {
    private let exchange: URLSessionExchange
    private let transport: URLSessionTransport

    init(_ exchange: URLSessionExchange, of transport: URLSessionTransport) {
        (self.exchange, self.transport) = (exchange, transport)
    }

    deinit {
        exchange.cancel()
    }

    func next() async throws(TransportError) -> [UInt8]? {
        try await exchange.next()
    }
}

/// A session delegate that forwards the events of each task to the corresponding exchange.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: URLSessionExchange]>([:])

    func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.receive(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    #if canImport(FoundationNetworking)
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // Foundation for Linux asks for a password after it has delivered the response. It would wait for
        // one for ever, or end the task with an error.
        exchange(of: task)?.complete(nil)
        completionHandler(.rejectProtectionSpace, nil)
    }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.complete(error)
    }
}
