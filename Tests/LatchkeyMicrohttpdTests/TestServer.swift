import Dispatch
import LatchkeyServerKit
import Testing

@testable import LatchkeyMicrohttpd

extension HTTPServer.Configuration {
    /// A configuration with long time limits for busy machines.
    static var unhurried: HTTPServer.Configuration {
        var configuration = HTTPServer.Configuration()
        configuration.sweepsByItself = false
        // Requests must not time out on a busy machine.
        configuration.drainTimeout = .seconds(300)
        return configuration
    }
}

/// Runs a test with a server on a free loopback port.
func withServer(
    _ handler: any HTTPHandler = Echo(),
    configure: (inout HTTPServer.Configuration) -> Void = { _ in },
    _ body: (HTTPServer) async throws -> Void
) async throws {
    var configuration = HTTPServer.Configuration.unhurried
    configuration.threads = 2
    configure(&configuration)
    let server = HTTPServer(configuration: configuration, handler: handler)
    try server.start()
    do {
        try await body(server)
        await server.stop()
    } catch {
        await server.stop()
        throw error
    }
}

/// Polls until a condition on the server's threads is met.
///
/// This function does not block a thread.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let bound = clock.now + .seconds(120)
    while !condition() {
        guard clock.now < bound else { return false }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
        }
    }
    return true
}
