import LatchkeyMicrohttpd
import LatchkeyServerKit

/// Reports the number of open client connections for each listener.
struct ConnectionMetrics: MetricsSource {
    /// The listeners and their names.
    let listeners: [(name: String, server: HTTPServer)]

    /// Writes one sample per listener, with the listener's name as the label.
    func write(to text: inout MetricsText) {
        text.begin(.connections)
        for listener in listeners {
            text.sample(.connections, labels: [listener.name], value: Double(listener.server.connectionCount))
        }
    }
}
