import LatchkeyMicrohttpd
import LatchkeyServerCore

/// How many connections clients hold open.
struct ConnectionMetrics: MetricsSource {
    /// The listeners by name.
    let listeners: [(name: String, server: HTTPServer)]

    func write(to text: inout MetricsText) {
        text.begin(.connections)
        for listener in listeners {
            text.sample(.connections, [listener.name], Double(listener.server.connectionCount))
        }
    }
}
