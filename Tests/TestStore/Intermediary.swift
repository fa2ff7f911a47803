import LatchkeyModel
import LatchkeyServerKit
package import LatchkeyTestKit
package import LatchkeyWire

/// An intermediary between a device and the test server, which interferes with some of the exchanges.
package final class Intermediary: Sendable {
    /// A request, and what became of it.
    package struct Exchange: Sendable {
        /// The method and the path, such as `POST /a/commerce/orders`.
        package let route: String
        package let request: HTTP.Request
        /// The server's response, or `nil` if the server hasn't received the request.
        package let original: HTTP.Response?
        /// Whether the client has received the server's response.
        package let isIntact: Bool
    }

    /// The routes that a client calls in the background after a login, and again later if there is no response.
    package static let backgroundRoutes: Set = [
        "GET /a/commerce/transactions", "DELETE /a/self-service/logout/api",
    ]

    private struct State {
        var choose: (@Sendable (HTTP.Request) -> Interference?)?
        var exchanges: [Exchange] = []
    }

    private let server: TestServer
    private let state = Locked(State())

    /// Creates an intermediary that passes all exchanges on.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - network: The device's network, whose requests to the server go through the intermediary.
    package init(_ server: TestServer, on network: TestTransport) {
        self.server = server
        network.serve(TestServer.url) { [weak self] in await self?.respond(to: $0) ?? HTTP.Response(502) }
    }

    /// The exchanges since the last call of ``forget()``.
    package var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// Forgets all exchanges.
    package func forget() {
        state.withLock { $0.exchanges = [] }
    }

    /// Chooses the interference with each request from now on.
    ///
    /// - Parameter choose: A closure that returns the interference, or `nil` to pass the exchange on.
    package func interfere(_ choose: (@Sendable (HTTP.Request) -> Interference?)?) {
        state.withLock { $0.choose = choose }
    }

    /// Interferes with one request.
    ///
    /// - Parameters:
    ///   - interference: The interference.
    ///   - number: The number of requests to pass on before.
    package func interfere(_ interference: Interference, after number: Int) {
        let count = Locked(0)
        interfere { _ in
            count.withLock { count in
                defer { count += 1 }
                return count == number ? interference : nil
            }
        }
    }

    /// Performs a call, and lets time pass while the call waits before it repeats a request.
    package func outcome<Value: Sendable>(of call: @escaping @Sendable () async -> Value) async -> Value {
        let isDone = Locked(false)
        let task = Task {
            defer { isDone.withLock { $0 = true } }
            return await call()
        }
        var turns = 0
        while !isDone.withLock({ $0 }) {
            await Task.yield()
            turns += 1
            if turns % 5000 == 0 { server.time.advance(by: .seconds(3)) }
        }
        return await task.value
    }

    private func respond(to request: HTTP.Request) async -> HTTP.Response {
        let interference = state.withLock { $0.choose }?(request)
        var original: HTTP.Response?
        if interference?.isForwarded != false {
            original = await server.handler.respond(to: request, from: .inProcess)
                .received(for: request.method)
        }
        let response = interference?.response(original) ?? original ?? HTTP.Response(502)
        let exchange = Exchange(
            route: "\(request.method.rawValue) \(request.path)",
            request: request,
            original: original,
            isIntact: interference?.passes(original, as: response) ?? true
        )
        state.withLock { $0.exchanges.append(exchange) }
        return response
    }
}

extension [Intermediary.Exchange] {
    /// The routes without a successful response that has reached the client.
    package var unconfirmedRoutes: Set<String> {
        // Forms that ask for a code have status 400.
        let confirmed = filter { $0.isIntact && ($0.original?.status ?? 500) <= 400 }
        return Set(map(\.route)).subtracting(confirmed.map(\.route))
    }
}
